import { strict as assert } from 'node:assert';
import { cpuChanges, operationChanges, spacesDiffer } from '../../../src/extension/panel/changes';
import { newNonce, pageHtml } from '../../../src/extension/panel/html';
import { crossoversOf, sweepOf } from '../../../src/extension/panel/sweep';
import { csvCell, csvOf, jsonOf } from '../../../src/extension/panel/traceFiles';
import type { SweepSeries } from '../../../src/protocol/panel';
import type { CpuState, MachineState, OpenedRun, RunReport, ScenarioReport } from '../../../src/protocol/run';
import { segmentsOf, shootdown } from '../webview/samples';
import { reportOf } from './panelSamples';

describe('what changes from one run to another', () => {
  const before = reportOf('before', { INVLPG: 40, INVPCID_ADDR: 40, CR3_READ: 2 });
  const after = reportOf('after', { INVLPG: 70, INVPCID_ADDR: 10, CR3_READ: 3, LFENCE: 0 });

  it('is counted by operation, the greatest change first, with the range of the price', () => {
    assert.deepEqual(
      operationChanges(before, after).map(({ name, cycles, low, high }) => [name, cycles, low, high]),
      [
        // 30 fewer at 228 to 300, 30 more at 90 to 160.
        ['INVPCID_ADDR', -7740, -9000, -6840],
        ['INVLPG', 3000, 2700, 4800],
        ['LFENCE', 0, 0, 0],
        ['CR3_READ', null, null, null],
      ],
    );
  });

  it('is not known where a run did not come to its end', () => {
    const stopped = { ...after, complete: false };
    assert.deepEqual(operationChanges(before, stopped), []);
    assert.deepEqual(operationChanges(stopped, before), []);
  });

  it('is nothing where an operation without a price runs equally often', () => {
    const [change] = operationChanges(reportOf('a', { CR3_READ: 2 }), reportOf('b', { CR3_READ: 2 }));
    assert.deepEqual(change, { name: 'CR3_READ', before: 2, after: 2, cycles: 0, low: 0, high: 0 });
  });
});

describe('changes of a state', () => {
  const cpu = (cpu: number, more: Partial<CpuState>): CpuState =>
    ({ cpu, mode: 'user', mm: 'a', ...more }) as CpuState;
  const state = (seq: number, ...cpus: CpuState[]): MachineState => ({ seq, cpus, spaces: [] });

  it('are the members that differ, of the CPUs that differ', () => {
    const from = state(1, cpu(0, { slot: 0 }), cpu(1, { slots: [] }));
    const to = state(2, cpu(0, { slot: 0 }), cpu(1, { slots: [], mode: 'kernel' }));
    assert.deepEqual(cpuChanges(from, to), [{ cpu: 1, mode: 'kernel' }]);
    assert.deepEqual(cpuChanges(to, to), []);
    assert.equal(spacesDiffer(from, to), false);
  });

  it('stay small while 256 CPUs are stepped through', () => {
    const many = (mode: CpuState['mode']): MachineState =>
      state(1, ...Array.from({ length: 256 }, (_, at) => cpu(at, { mode: at === 7 ? mode : 'user' })));
    const bytes = JSON.stringify(cpuChanges(many('user'), many('kernel'))).length;
    assert.ok(bytes < 100, `${bytes}`);
  });
});

const line = (name: string, ...points: readonly (readonly [number, number, number])[]): SweepSeries => ({
  name,
  points: points.map(([x, value, spread]) => ({ x, value, low: value - spread, high: value + spread })),
});

describe('a sweep', () => {
  it('marks where one line comes to lie below another', () => {
    const base = line('base', [1, 100, 1], [10, 200, 1], [33, 400, 1]);
    const patched = line('patched', [1, 150, 1], [10, 180, 1], [33, 300, 1]);
    assert.deepEqual(crossoversOf(base, patched), [
      { from: 1, to: 10, cheaper: 'patched', than: 'base', until: null, uncertain: false },
    ]);
  });

  it('says when the ranges leave it open, and passes over equal points and missing ones', () => {
    const one = line('one', [1, 100, 90], [2, 110, 90], [3, 140, 90]);
    const two = line('two', [1, 110, 90], [2, 110, 90], [3, 120, 90]);
    assert.deepEqual(crossoversOf(one, two), [
      { from: 1, to: 3, cheaper: 'two', than: 'one', until: null, uncertain: true },
    ]);
    const gap: SweepSeries = { name: 'gap', points: [{ x: 1, value: null, low: null, high: null }] };
    assert.deepEqual(crossoversOf(one, gap), []);
  });

  it('marks where equal lines part, and until when', () => {
    const base = line('base', [5, 50, 1], [6, 60, 1], [7, 70, 1], [33, 330, 1], [34, 45, 1]);
    const low = line('low', [5, 50, 1], [6, 60, 1], [7, 45, 1], [33, 45, 1], [34, 45, 1]);
    assert.deepEqual(crossoversOf(base, low), [
      { from: 6, to: 7, cheaper: 'low', than: 'base', until: 33, uncertain: false },
    ]);
    // There and back again.
    const other = line('other', [5, 60, 1], [6, 60, 1], [7, 60, 1], [33, 340, 1]);
    assert.deepEqual(
      crossoversOf(base, other).map(({ from, to, cheaper, until }) => [from, to, cheaper, until]),
      [
        [5, 7, 'other', 7],
        [7, 33, 'base', null],
      ],
    );
    assert.deepEqual(crossoversOf(base, base), []);
  });

  it('is made of the runs of a scenario, and says what it leaves out', () => {
    const stopped: RunReport = {
      ...reportOf('after', {}, 33),
      complete: false,
      priced: null,
      verdict: 'unbounded',
    };
    const report: ScenarioReport = {
      ...{
        title: 't',
        about: '',
        kernel: 'linux',
        cpus: 4,
        compares: 'patch',
        variants: ['before', 'after'],
      },
      parameters: [{ name: 'n', values: [10, 33] }],
      runs: [
        reportOf('before', { INVLPG: 33, CR3_READ: 2 }, 33),
        reportOf('before', { INVLPG: 10, CR3_READ: 2 }, 10),
        reportOf('after', { INVLPG: 20 }, 10),
        stopped,
      ],
    };
    const sweep = sweepOf(report, 'n');
    assert.deepEqual(
      sweep.series.map(({ name, points }) => [name, points.map(({ x, value }) => [x, value])]),
      [
        [
          'before',
          [
            [10, 1000],
            [33, 3300],
          ],
        ],
        [
          'after',
          [
            [10, 2000],
            [33, null],
          ],
        ],
      ],
    );
    assert.deepEqual(sweep.fixed, { c: 3 });
    assert.match(
      sweep.note,
      /^Without CR3_READ: no price is known\. Runs that did not end have no point\. Not every run is safe: after at n = 33 is unbounded\.$/,
    );
  });
});

describe('the trace as a file', () => {
  const run = {
    ...{ run: 1, title: 't', cpus: 2, report: reportOf('base', { INVLPG: 1 }), trace: shootdown },
    segments: segmentsOf([]),
  } as OpenedRun;

  it('is CSV with one event a row', () => {
    const lines = csvOf([run]).trimEnd().split('\n');
    assert.equal(lines.length, 9);
    assert.equal(lines[0], 'run,variant,seq,cpu,cycles,kind,name,operand,function,file,line,patchLine');
    assert.equal(lines[3], '0,base,2,0,520,flush,INVLPG,0x7000,tq_flush,mm/tq.c,3,12');
  });

  it('is JSON with the report', () => {
    const made = JSON.parse(jsonOf('t', [run])) as {
      scenario: string;
      runs: { events: { name: string }[] }[];
    };
    assert.equal(made.scenario, 't');
    assert.equal(made.runs[0]!.events[2]!.name, 'INVLPG');
  });

  it('holds no formulas', () => {
    assert.deepEqual(['=1+1', 'a,b', 'say "x"', '-2'].map(csvCell), ["'=1+1", '"a,b"', '"say ""x"""', "'-2"]);
    assert.equal(csvCell(-2), '-2');
  });
});

describe("the page's HTML", () => {
  const html = pageHtml({ script: 'a"b', style: 's', source: 'https://w', nonce: 'abc', inEditor: true });

  it('allows nothing but its own script and style', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    assert.equal(
      policy,
      "default-src 'none'; style-src https://w 'nonce-abc'; script-src 'nonce-abc'; font-src https://w",
    );
    assert.ok(!/unsafe|<style|onload|javascript:/.test(html));
    assert.ok(html.includes('src="a&quot;b"'));
  });

  it('has another nonce each time', () => {
    const seen = new Set(Array.from({ length: 50 }, newNonce));
    assert.equal(seen.size, 50);
    for (const nonce of seen) assert.match(nonce, /^[0-9a-f]{32}$/);
  });
});
