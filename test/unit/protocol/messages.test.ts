import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { DocumentReport } from '../../../src/protocol/report';
import { isHostMessage, isWorkerMessage } from '../../../src/protocol/workerMessages';
import { analyse } from '../../../src/worker/analyse';

const report: DocumentReport = analyse(
  '--- a/mm/tq.c\n+++ b/mm/tq.c\n@@ -1 +1,2 @@\n a\n+flush_tlb_all();\n',
  {
    features: ['PTI'],
    machine: 'broadwell-ep-e5-2660v4',
    n: 10,
    c: 3,
    firstInvalidLine: null,
  },
);

describe('messages between host and worker', () => {
  it('are accepted as they are meant', () => {
    const options = {
      features: ['PTI'],
      machine: 'broadwell-ep-e5-2660v4',
      n: 10,
      c: 3,
      firstInvalidLine: null,
    };
    assert.ok(isHostMessage({ type: 'analyse', id: 1, text: '', options }));
    assert.ok(isHostMessage({ type: 'decode', id: 1, text: '', index: 0 }));
    assert.ok(isHostMessage({ type: 'cancel', id: 1 }));
    assert.ok(isHostMessage({ type: 'asset', name: 'x', bytes: new Uint8Array(1) }));
    assert.ok(isWorkerMessage({ type: 'asset', id: null, name: 'tree-sitter-c.wasm' }));
    assert.ok(!isWorkerMessage({ type: 'asset', id: null, name: '../secret' }));
    assert.ok(isWorkerMessage({ type: 'report', id: 1, report, final: true }));
    assert.ok(isWorkerMessage({ type: 'failed', id: null, reason: 'x' }));
  });

  it('are refused with a member missing or of another type, anywhere in a report', () => {
    assert.ok(!isHostMessage({ type: 'analyse', id: 1, text: '' }));
    assert.ok(
      !isHostMessage({
        type: 'analyse',
        id: -1,
        text: '',
        options: { features: [], machine: 'broadwell-ep-e5-2660v4', n: 10, c: 3, firstInvalidLine: null },
      }),
    );
    assert.ok(!isHostMessage({ type: 'cancel', id: '1' }));
    const damaged = (change: (copy: Record<string, unknown>) => void): boolean => {
      const copy = structuredClone(report) as unknown as Record<string, unknown>;
      change(copy);
      return isWorkerMessage({ type: 'report', id: 1, report: copy, final: true });
    };
    assert.ok(damaged(() => undefined));
    assert.ok(!damaged(copy => delete copy['links']));
    assert.ok(!damaged(copy => (copy['absence'] = 'other')));
    assert.ok(
      !damaged(copy => ((copy['files'] as { hunks: { line: unknown }[] }[])[0]!.hunks[0]!.line = 'x')),
    );
    assert.ok(!damaged(copy => ((copy['files'] as { status: string }[])[0]!.status = 'lost')));
  });

  it('of no known type are refused, whatever they are', () => {
    for (const type of ['__proto__', 'constructor', 'toString', '', null])
      assert.ok(!isHostMessage({ type, id: 1, text: '', index: 0 }));
    fc.assert(fc.property(fc.anything(), value => !isWorkerMessage(value) && !isHostMessage(value)));
  });
});
