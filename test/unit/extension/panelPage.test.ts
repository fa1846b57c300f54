import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { PanelModel } from '../../../src/extension/panel/model';
import { PanelPage, type PageActions } from '../../../src/extension/panel/page';
import type { PanelSource, PanelSubject } from '../../../src/extension/panel/subject';
import type { OpenRun, Runs } from '../../../src/extension/runs';
import { Cancelled } from '../../../src/extension/workerClient';
import { panelVersion, type PanelHostMessage } from '../../../src/protocol/panel';
import { isPanelHostMessage } from '../../../src/protocol/panelCheck';
import type { CpuState, MachineState, RunRequest } from '../../../src/protocol/run';
import { segmentsOf, shootdown } from '../webview/samples';
import { reportOf } from './panelSamples';

const cpu = (number: number, cycles: number): CpuState => ({
  ...{ cpu: number, mode: 'user', function: '', waitsFor: '', cr3: null, mm: 'a', slot: 0, lazy: false },
  ...{ slots: [], pendingUserFlush: { kind: 'none' }, interruptsOn: true, nmiBlocked: false },
  ...{ pendingInterrupts: [], requestsIn: 0, requestsOut: 0, tlb: [], pagingEntries: 0 },
  ...{ cycles, low: cycles, high: cycles, unpriced: 0, operations: [], misses: 0 },
});

/** CPU 1 moves on with every event, CPU 0 stays. */
const stateAt = (seq: number): MachineState => ({
  ...{ seq, cpus: [cpu(0, 0), cpu(1, seq + 1)], spaces: [] },
});

class FakeRuns {
  readonly requests: RunRequest[] = [];
  closed = 0;
  /** Set: the next run waits for it. */
  hold: Promise<void> | null = null;

  async open(request: RunRequest, signal: AbortSignal): Promise<OpenRun> {
    this.requests.push(request);
    await this.hold;
    if (signal.aborted) throw new Cancelled();
    const [variant] = request.variants;
    if (variant === 'broken') throw new Error('line 3: it cannot be run');
    return {
      request,
      opened: {
        ...{ run: 1, title: 't', cpus: 2, report: reportOf(variant!, { INVLPG: 1 }), trace: shootdown },
        segments: segmentsOf([]),
      },
      seek: seq => Promise.resolve(stateAt(seq)),
      entries: () => Promise.resolve([]),
      close: () => {
        this.closed++;
      },
    };
  }
}

const subject: PanelSubject = {
  ...{
    id: 'one',
    title: 'One',
    about: '',
    origin: 'built in',
    kernel: 'linux',
    compares: 'Its own variants',
  },
  request: {
    ...{ scenario: { kind: 'builtin', name: 'one' }, patch: null, tree: null, variants: [], set: {} },
    ...{ machine: null, defaultMachine: 'haswell', features: null },
  },
  patch: null,
  variants: ['base', 'serial', 'broken'],
  parameters: [{ name: 'n', values: [1, 10, 33] }],
};

const source: PanelSource = {
  list: () => Promise.resolve([{ id: 'one', title: 'One', about: '', origin: 'built in' }]),
  subject: id => Promise.resolve(id === 'one' ? subject : undefined),
  usual: () => ({ n: 10, c: 3 }),
};

const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round++) await Promise.resolve();
};

describe('the host of the panel', () => {
  let runs: FakeRuns;
  let model: PanelModel;
  let page: PanelPage;
  let sent: PanelHostMessage[];
  let asked: string[];

  const actions: PageActions = {
    reveal: (side, seq) => (asked.push(`reveal ${side} ${seq}`), Promise.resolve('line 3')),
    exportTrace: format => (asked.push(`export ${format}`), Promise.resolve('')),
    savePicture: (format, bytes) => (asked.push(`picture ${format} ${bytes.length}`), Promise.resolve('')),
    copyText: () => Promise.reject(new Error('nothing to copy')),
    command: name => (asked.push(name), Promise.resolve('')),
  };

  const of = <T extends PanelHostMessage['type']>(type: T): Extract<PanelHostMessage, { type: T }>[] =>
    sent.filter((one): one is Extract<PanelHostMessage, { type: T }> => one.type === type);

  beforeEach(async () => {
    runs = new FakeRuns();
    sent = [];
    asked = [];
    model = new PanelModel(runs as unknown as Runs, source, () => undefined);
    page = new PanelPage(
      model,
      actions,
      message => void sent.push(message),
      () => undefined,
    );
    model.listen(change => page.changed(change));
    page.receive({ type: 'ready', version: panelVersion });
    await settle();
  });

  it('sends all there is when the page is there, and again when it comes back', async () => {
    assert.equal(of('snapshot').length, 1);
    assert.equal(of('library')[0]?.library.length, 1);
    await model.show(subject, {});
    page.hidden();
    await model.seek(0, 4);
    const before = sent.length;
    assert.equal(of('state').length, 0, 'nothing is sent to a page that is not there');
    page.receive({ type: 'ready', version: panelVersion });
    assert.equal(sent[before]?.type, 'snapshot');
    assert.equal(of('snapshot').at(-1)!.sides[0]!.state.seq, 4);
    for (const message of sent) assert.ok(isPanelHostMessage(message), message.type);
  });

  it('runs the first two variants with usual values, and closes what it no longer shows', async () => {
    await model.show(subject, {});
    assert.deepEqual(
      runs.requests.map(({ variants, set }) => [variants, set]),
      [
        [['base'], { n: 10 }],
        [['serial'], { n: 10 }],
      ],
    );
    page.receive({ type: 'choose', id: 1, choice: { before: 'serial', after: null, parameters: { n: 33 } } });
    await settle();
    assert.deepEqual(runs.requests.at(-1)!.set, { n: 33 });
    assert.equal(model.shown.length, 1);
    assert.equal(runs.closed, 2);
    assert.deepEqual(of('done').at(-1), { type: 'done', id: 1, said: '' });
  });

  it('takes nothing that the scenario does not have', async () => {
    await model.show(subject, {
      choice: { before: 'no such', after: 'neither', parameters: { n: 7, z: 1 } },
    });
    assert.deepEqual(model.choice, { before: 'base', after: null, parameters: { n: 10 } });
  });

  it('answers a seek with what differs, and nothing else', async () => {
    await model.show(subject, {});
    page.receive({ type: 'seek', id: 5, side: 1, seq: 3 });
    await settle();
    const [state] = of('state').filter(({ id }) => id === 5);
    assert.deepEqual(state, {
      ...{ type: 'state', id: 5, side: 1, seq: 3, spaces: null },
      cpus: [{ cpu: 1, cycles: 4, low: 4, high: 4 }],
    });
    assert.equal(of('state').length, 1);
  });

  it('says what went wrong, and keeps what was shown', async () => {
    await model.show(subject, {});
    await model.choose({ before: 'broken', after: null, parameters: {} });
    const last = of('snapshot').at(-1)!;
    assert.equal(last.problem, 'line 3: it cannot be run');
    assert.equal(last.sides.length, 2);
    assert.equal(last.progress, null);
  });

  it('gives a run up for the next one', async () => {
    let release = (): void => undefined;
    runs.hold = new Promise(done => (release = done));
    const first = model.show(subject, { choice: { before: 'serial', after: null } });
    runs.hold = null;
    const second = model.show(subject, { choice: { before: 'base', after: null } });
    release();
    await Promise.all([first, second]);
    assert.deepEqual(
      model.shown.map(({ run }) => run.opened.report.variant),
      ['base'],
    );
    assert.equal(model.snapshot.problem, '');
  });

  it('refuses a malformed message with an error to its sender', () => {
    page.receive({ type: 'seek', id: 9, side: 5, seq: 0 });
    assert.deepEqual(sent.at(-1), { type: 'failed', id: 9, reason: 'a malformed message was refused' });
    page.receive('nonsense');
    assert.deepEqual(sent.at(-1), { type: 'failed', id: null, reason: 'a malformed message was refused' });
    page.receive({ type: 'ready', version: panelVersion + 1 });
    assert.match((sent.at(-1) as { reason: string }).reason, /another version/);
  });

  it('says what was done, or why not', async () => {
    page.receive({ type: 'reveal', id: 1, side: 0, seq: 7 });
    page.receive({ type: 'copyText', id: 2 });
    page.receive({ type: 'openScenario', id: 3, scenario: 'gone' });
    page.receive({ type: 'picture', id: 4, format: 'svg', bytes: new Uint8Array(3) });
    page.receive({ type: 'sweep', id: 5, parameter: 'z' });
    await settle();
    assert.deepEqual(asked, ['reveal 0 7', 'picture svg 3']);
    assert.deepEqual(of('done')[0], { type: 'done', id: 1, said: 'line 3' });
    assert.deepEqual(
      of('failed')
        .map(({ id, reason }) => [id, reason])
        .sort(),
      [
        [2, 'nothing to copy'],
        [3, 'This scenario is no longer there.'],
        [5, 'There is no parameter z.'],
      ],
    );
  });

  it('changes nothing and throws nothing for any other message', () =>
    fc.assert(
      fc.property(fc.anything(), value => {
        page.receive(value);
        assert.equal(model.subject, null);
      }),
    ));

  it('remembers enough to show the same again', async () => {
    await model.show(subject, {});
    await model.seek(0, 5);
    const { memory } = model;
    const again = new PanelModel(runs as unknown as Runs, source, () => undefined);
    await again.restore(memory!);
    assert.deepEqual(again.memory, memory);
    // The other run goes to the same time.
    assert.equal(again.shown[1]!.state.seq, 5);
  });
});
