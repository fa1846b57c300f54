import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { initialView, panelVersion, type PanelSnapshot } from '../../../src/protocol/panel';
import { idOf, isPanelHostMessage, isPanelPageMessage } from '../../../src/protocol/panelCheck';
import { isHostMessage, isWorkerMessage } from '../../../src/protocol/workerMessages';
import { segmentsOf, shootdown } from '../webview/samples';

const report = {
  ...{ variant: 'base', parameters: { n: 1 }, machine: 'm', features: ['PTI'], total: 5, low: 4, high: 6 },
  priced: { cycles: 5, low: 4, high: 6 },
  byOperation: { INVLPG: { cycles: 5, low: 4, high: 6 }, CR3_READ: null },
  ...{ counts: { INVLPG: 1 }, misses: 0, verdict: 'safe', complete: true, why: [], assumed: [], unknown: [] },
  expect: [{ text: 'INVLPG == 1', ok: true, line: 3, found: 1 }],
};

const cpu = {
  ...{
    cpu: 0,
    mode: 'user',
    function: '',
    waitsFor: '',
    cr3: null,
    mm: 'a',
    slot: 0,
    lazy: false,
    slots: [],
  },
  pendingUserFlush: { kind: 'none' },
  ...{ interruptsOn: true, nmiBlocked: false, pendingInterrupts: [], requestsIn: 0, requestsOut: 0, tlb: [] },
  ...{ pagingEntries: 0, cycles: 0, low: 0, high: 0, unpriced: 0, operations: [], misses: 0 },
};

const snapshot = {
  ...{
    type: 'snapshot',
    version: panelVersion,
    library: [{ id: 'a', title: 't', about: '', origin: 'built in' }],
  },
  scenario: null,
  choice: { before: 'base', after: null, parameters: { n: 1 } },
  sides: [
    {
      report,
      trace: shootdown,
      segments: segmentsOf([{ cpu: 0, lane: 'user', start: 0, end: 5 }]),
      state: { seq: -1, cpus: [cpu], spaces: [{ name: 'a', generation: 1, cpumask: [0] }] },
    },
  ],
  ...{ changes: [], sweep: null, progress: null, problem: '', view: initialView },
} as unknown as PanelSnapshot;

describe('messages to the page', () => {
  it('are taken when they have the agreed form', () => {
    for (const message of [
      snapshot,
      { type: 'state', id: 4, side: 1, seq: -1, cpus: [{ cpu: 0, mode: 'nmi' }], spaces: null },
      { type: 'progress', progress: { label: 'Running base', done: 0, total: 1 } },
      { type: 'done', id: 1, said: '' },
      { type: 'failed', id: null, reason: 'no' },
      { type: 'act', action: 'step' },
    ])
      assert.ok(isPanelHostMessage(message), JSON.stringify(message).slice(0, 80));
  });

  it('are refused when they have not', () => {
    const [side] = snapshot.sides;
    for (const message of [
      null,
      'snapshot',
      { type: '__proto__' },
      { type: 'act', action: 'format' },
      { type: 'state', id: 4, side: 2, seq: 0, cpus: [], spaces: null },
      { type: 'state', id: 4, side: 0, seq: 0, cpus: [{ cpu: 0, mode: 'asleep' }], spaces: null },
      { type: 'state', id: 4, side: 0, seq: 0, cpus: [{ cpu: 0, constructor: 1 }], spaces: null },
      { ...snapshot, sides: [side, side, side] },
      { ...snapshot, view: { ...initialView, detail: 7 } },
      // Columns of different lengths, and an index that leads nowhere.
      { ...snapshot, sides: [{ ...side, trace: { ...shootdown, count: 3 } }] },
      { ...snapshot, sides: [{ ...side, trace: { ...shootdown, places: [] } }] },
      { ...snapshot, sides: [{ ...side, trace: { ...shootdown, kind: new Uint8Array(8).fill(99) } }] },
    ])
      assert.ok(!isPanelHostMessage(message));
  });
});

describe('messages of the page', () => {
  it('are taken when they have the agreed form', () => {
    for (const message of [
      { type: 'ready', version: panelVersion },
      { type: 'seek', id: 1, side: 0, seq: -1 },
      { type: 'choose', id: 2, choice: { before: 'a', after: 'b', parameters: {} } },
      { type: 'view', view: initialView },
      { type: 'picture', id: 3, format: 'png', bytes: new Uint8Array(4) },
      { type: 'command', id: 4, command: 'tlbscope.newScenario' },
      { type: 'cancel' },
    ])
      assert.ok(isPanelPageMessage(message), JSON.stringify(message));
  });

  it('are refused when they have not; no command but those of the list', () => {
    for (const message of [
      undefined,
      { type: 'seek', id: 1, side: 0, seq: 1.5 },
      { type: 'seek', id: 1, side: 0, seq: -2 },
      { type: 'seek', side: 0, seq: 1 },
      { type: 'command', id: 4, command: 'workbench.action.terminal.new' },
      { type: 'export', id: 4, format: 'exe' },
      { type: 'picture', id: 3, format: 'png', bytes: 'text' },
      { type: 'view', view: { ...initialView, speed: 1e9 } },
    ])
      assert.ok(!isPanelPageMessage(message), JSON.stringify(message));
  });

  it('never make a check throw', () =>
    fc.assert(
      fc.property(fc.anything(), value => {
        for (const check of [isPanelHostMessage, isPanelPageMessage, isHostMessage, isWorkerMessage])
          assert.equal(typeof check(value), 'boolean');
        idOf(value);
      }),
    ));

  it('are told apart by their number even when they are refused', () => {
    assert.equal(idOf({ type: 'seek', id: 7 }), 7);
    assert.equal(idOf({ type: 'seek', id: 'x' }), null);
    assert.equal(idOf(null), null);
  });
});
