import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isWorkerMessage } from '../../../src/protocol/workerMessages';
import {
  eventKinds,
  laneKinds,
  type MachineState,
  type OpenedRun,
  type RunRequest,
  type TraceColumns,
} from '../../../src/protocol/run';
import { Runs } from '../../../src/worker/runs';

const require = createRequire(join(process.cwd(), 'package.json'));
const assets: Readonly<Record<string, () => string>> = {
  'web-tree-sitter.wasm': () => join(require.resolve('web-tree-sitter'), '..', 'web-tree-sitter.wasm'),
  'tree-sitter-c.wasm': () => join(require.resolve('tree-sitter-c/package.json'), '..', 'tree-sitter-c.wasm'),
};
const load = (name: string): Promise<Uint8Array> =>
  Promise.resolve(new Uint8Array(readFileSync(assets[name]!())));

const request = (change: Partial<RunRequest> = {}): RunRequest => ({
  scenario: { kind: 'builtin', name: 'madvise-threads' },
  patch: null,
  tree: null,
  variants: ['base'],
  set: { n: 10, c: 3 },
  machine: null,
  defaultMachine: 'broadwell-ep-e5-2660v4',
  features: null,
  ...change,
});

const calm = (): Promise<void> => Promise.resolve();

async function open(runs: Runs, change: Partial<RunRequest> = {}): Promise<OpenedRun> {
  const answer = await runs.answer({ type: 'open', id: 1, request: request(change) }, calm);
  assert.ok(isWorkerMessage(answer));
  assert.equal(answer.type, 'opened');
  return (answer as { opened: OpenedRun }).opened;
}

async function seek(runs: Runs, run: number, seq: number): Promise<MachineState> {
  const answer = await runs.answer({ type: 'seek', id: 2, run, seq }, calm);
  assert.ok(isWorkerMessage(answer));
  assert.equal(answer.type, 'state');
  return (answer as { state: MachineState }).state;
}

/** Rows of a kind, and of a name if one is given. */
const rows = ({ kind, name, names, count }: TraceColumns, wanted: string, about?: string): number[] =>
  Array.from({ length: count }, (_, row) => row).filter(
    row => eventKinds[kind[row]!] === wanted && (about === undefined || names[name[row]!] === about),
  );

describe('runs in the worker', function () {
  this.timeout(30_000);
  let runs: Runs;
  let opened: OpenedRun;

  before(async () => {
    runs = new Runs(load);
    opened = await open(runs);
  });

  it('have the trace in columns, with the operations by their own names', () => {
    const { trace, report, cpus } = opened;
    assert.equal(cpus, 8);
    // Ten pages on four CPUs, each flushed for the kernel's PCID and for the user's.
    assert.equal(rows(trace, 'flush', 'INVLPG').length, 40);
    assert.equal(rows(trace, 'flush', 'INVPCID_ADDR').length, 40);
    assert.deepEqual(
      rows(trace, 'ipi').map(row => trace.names[trace.name[row]!]),
      ['to CPU 1', 'to CPU 2', 'to CPU 3'],
    );
    assert.equal(report.counts['INVLPG'], 40);
    assert.equal(report.verdict, 'safe');
    assert.ok(report.total !== null && report.priced);
    assert.ok(Math.abs(report.total - report.priced.cycles) < 0.01);
    assert.ok(report.priced.low <= report.priced.cycles && report.priced.cycles <= report.priced.high);
    const [first] = rows(trace, 'flush', 'INVLPG');
    assert.equal(trace.places[trace.place[first!]!]!.function, '__native_flush_tlb_one_user');
  });

  it('say what each CPU was busy with, without gaps or overlaps, in the time of its clock', () => {
    const { segments, trace } = opened;
    const lanes = new Set(Array.from(segments.lane, lane => laneKinds[lane]!));
    for (const lane of ['user', 'kernel', 'flush', 'ipi-send', 'ipi-wait', 'ipi-handler'] as const)
      assert.ok(lanes.has(lane), lane);
    for (let row = 1; row < segments.count; row++)
      if (segments.cpu[row] === segments.cpu[row - 1])
        assert.equal(segments.start[row], segments.end[row - 1]);
    const flushes = Array.from(segments.lane).filter(lane => laneKinds[lane] === 'flush').length;
    assert.equal(flushes, 80);
    // INVLPG takes 120 cycles on this machine.
    const [first] = rows(trace, 'flush', 'INVLPG');
    const at = segments.seq.indexOf(first!);
    assert.equal(segments.end[at]! - segments.start[at]!, 120);
  });

  it('can be looked at after any event, forth and back', async () => {
    const { run, trace } = opened;
    const start = await seek(runs, run, -1);
    assert.deepEqual(
      start.cpus.slice(0, 5).map(({ mode }) => mode),
      ['user', 'user', 'user', 'user', 'idle'],
    );
    // Warm: ten pages in the user's PCID of the first slot, in the first-level TLB and the second.
    const pcid = start.cpus[0]!.cr3!.pcid;
    assert.equal(start.cpus[0]!.cr3!.half, 'user');
    assert.deepEqual(
      start.cpus[0]!.tlb.map(({ tag, entries, stale }) => [tag, entries, stale]),
      [[pcid, 20, 0]],
    );
    const sent = rows(trace, 'ipi').at(-1)!;
    const waiting = await seek(runs, run, sent);
    assert.equal(waiting.cpus[0]!.mode, 'kernel');
    assert.equal(waiting.cpus[0]!.requestsOut, 3);
    assert.deepEqual(waiting.cpus[3]!.pendingInterrupts, ['function call']);
    // The page tables are empty already, CPU 3 has not been told: what it holds is stale.
    assert.equal(waiting.cpus[3]!.tlb[0]!.stale, 20);
    assert.equal(waiting.spaces[0]!.generation, start.spaces[0]!.generation! + 1);
    const end = await seek(runs, run, trace.count - 1);
    assert.equal(
      end.cpus[3]!.tlb.reduce((sum, one) => sum + one.stale, 0),
      0,
    );
    assert.deepEqual(await seek(runs, run, sent), waiting);
  });

  it('are the same whether they are stepped to, jumped to or stepped back to', async () => {
    const { run } = opened;
    const forth: MachineState[] = [];
    for (let seq = 300; seq < 330; seq++) forth.push(await seek(runs, run, seq));
    for (let seq = 329; seq >= 300; seq--) assert.deepEqual(await seek(runs, run, seq), forth[seq - 300]);
    for (const seq of [310, 2, 325, 305]) {
      const state = await seek(runs, run, seq);
      if (seq >= 300) assert.deepEqual(state, forth[seq - 300]);
    }
  });

  it('list the entries of a CPU, stale ones marked', async () => {
    const { run, trace } = opened;
    const seq = rows(trace, 'ipi').at(-1)!;
    const answer = await runs.answer({ type: 'entries', id: 3, run, seq, cpu: 3 }, calm);
    assert.ok(isWorkerMessage(answer) && answer.type === 'entries');
    const pages = answer.entries.filter(({ pageSize }) => pageSize === '4K');
    assert.equal(pages.length, 20);
    assert.equal(pages[0]!.address, '0x7f0000000000');
    assert.ok(pages.every(({ stale }) => stale === true));
  });

  it('say that a run is gone', async () => {
    const other = await open(runs, { set: { n: 1, c: 0 } });
    runs.close(other.run);
    const answer = await runs.answer({ type: 'seek', id: 4, run: other.run, seq: 0 }, calm);
    assert.deepEqual(answer, { type: 'gone', id: 4, run: other.run });
  });

  it('sweep what the request leaves open, and report progress', async () => {
    const heard: [number, number][] = [];
    const answer = await runs.answer(
      { type: 'run', id: 5, request: request({ variants: ['base', 'serial'], set: { n: 1 } }) },
      (done, total) => {
        heard.push([done, total]);
        return Promise.resolve();
      },
    );
    assert.ok(isWorkerMessage(answer) && answer.type === 'ran');
    const { runs: all, variants, compares } = answer.report;
    assert.deepEqual([variants, compares, all.length], [['base', 'serial'], 'variants', 8]);
    assert.deepEqual(heard[0], [0, 8]);
    assert.ok(all.every(({ expect }) => expect.every(({ ok }) => ok)));
  });

  it('show lines of the patch under review', async () => {
    const path = 'arch/x86/mm/tlb.c';
    const before = await runs.answer(
      { type: 'treeFile', id: 6, file: { request: request(), variant: 'base', path } },
      calm,
    );
    assert.equal(before.type, 'treeFile');
    const text = (before as { text: string }).text;
    const lines = text.split('\n');
    const at = lines.findIndex(line => /^void flush_tlb_mm_range\(/.test(line));
    const brace = lines.indexOf('{', at);
    const patch = [
      ...[`--- a/${path}`, `+++ b/${path}`, `@@ -${brace + 1},2 +${brace + 1},3 @@`],
      ...[' {', '+\tasm volatile("invlpg (%0)" ::"r" (start) : "memory");', ` ${lines[brace + 1]!}`, ''],
    ].join('\n');
    const after = await open(runs, { patch, variants: ['after'], set: { n: 1, c: 0 } });
    const added = after.trace.places.find(({ patchLine }) => patchLine === 5);
    assert.deepEqual([added?.file, added?.line, added?.function], [path, brace + 2, 'flush_tlb_mm_range']);
    assert.equal(after.report.counts['INVLPG'], 2);
  });

  it('are refused with a reason', async () => {
    const attempt = (change: Partial<RunRequest>): Promise<unknown> => open(runs, change);
    await assert.rejects(attempt({ variants: ['none'] }), /no variant 'none'/);
    await assert.rejects(attempt({ set: { z: 1 } }), /no parameter 'z'/);
    await assert.rejects(attempt({ machine: 'no-such' }), /no machine 'no-such'/);
    await assert.rejects(
      attempt({ scenario: { kind: 'text', name: 'a.tlbscope.jsonc', text: '{' } }),
      /^Error: a\.tlbscope\.jsonc:1:/,
    );
    await assert.rejects(
      attempt({ patch: '--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n', variants: ['after'] }),
    );
  });
});
