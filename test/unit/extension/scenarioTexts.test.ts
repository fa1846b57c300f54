/** Short texts about scenarios and their results, and the tables that leave the editor. */
import { strict as assert } from 'node:assert';
import * as fc from 'fast-check';
import { csvText, jsonText, mailText, wrapped } from '../../../src/extension/present/resultTable';
import {
  basisOf,
  countsChange,
  outcomeOf,
  reportSummary,
  runCycles,
  runName,
  runOutcome,
  runSummary,
  verdictSummary,
} from '../../../src/extension/present/scenarios';
import type { RunReport, ScenarioReport } from '../../../src/protocol/run';
import { workspaceTree } from '../../../src/protocol/scenarios';

const run = (parts: Partial<RunReport> = {}): RunReport => ({
  ...{
    variant: 'before',
    parameters: { n: 10 },
    machine: 'broadwell-ep-e5-2660v4',
    features: ['PCID', 'PTI'],
  },
  ...{ total: 1000, low: 900, high: 1600, priced: { cycles: 1000, low: 900, high: 1600 } },
  ...{ byOperation: {}, counts: { INVLPG: 10 }, misses: 0, verdict: 'safe', complete: true },
  ...{ why: [], assumed: [], unknown: [], expect: [] },
  ...parts,
});

const report = (...runs: RunReport[]): ScenarioReport => ({
  ...{ title: 'A title', about: '', kernel: 'linux', cpus: 2, compares: 'patch' },
  ...{ variants: ['before', 'after'], parameters: [{ name: 'n', values: [10] }], runs },
});

const expected = (text: string, ok: boolean): RunReport['expect'][number] => ({
  text,
  ok,
  line: 7,
  found: 3,
});
const unended = run({
  complete: false,
  total: null,
  low: null,
  high: null,
  priced: null,
  verdict: 'deadlock',
});
const unpriced = run({ total: null, high: null });

describe('texts about scenarios', () => {
  it('say what is compared, and why not the patch', () => {
    const applies = { applies: true, touched: ['a'] } as const;
    const not = { applies: false, reason: 'mm/x.c: no such file', line: 12 } as const;
    const variants = { compares: 'variants', onWorkspaceTree: false };
    assert.deepEqual(basisOf('linux', {}), { ...variants, text: 'Its own variants of the model kernel' });
    assert.deepEqual(basisOf('linux', { linux: applies }), {
      ...{ compares: 'patch', onWorkspaceTree: false },
      text: 'Before and after this patch, on the model kernel',
    });
    assert.deepEqual(basisOf('linux', { linux: not }), {
      ...variants,
      text: 'Its own variants: the patch does not apply to the model kernel (line 12: mm/x.c: no such file)',
    });
    assert.deepEqual(basisOf('linux', { linux: applies, [workspaceTree]: applies }, 'linux-6.1'), {
      ...{ compares: 'patch', onWorkspaceTree: true },
      text: 'Before and after this patch, on the kernel tree linux-6.1 of the workspace',
    });
    assert.match(
      basisOf('linux', { linux: not, [workspaceTree]: { ...not, line: null } }, 'tree').text,
      /no such file\); nor to the kernel tree tree \(mm\/x\.c: no such file\)$/,
    );
  });

  it('never call an unknown figure a number', () => {
    assert.equal(runCycles(run()), '1000 cy (900–1600)');
    assert.equal(runCycles(unpriced), '1000 cy (900–1600) + ?');
    assert.equal(runCycles(unended), 'no cycles: it did not end');
    assert.equal(runCycles(run({ total: null, low: null, high: null, priced: null })), 'cycles not known');
    assert.equal(reportSummary(report(unended)), 'deadlock · cycles not known');
    assert.match(reportSummary(report(run(), unended)), /900–1600 cy \+ \?/);
  });

  it('sum up a report: verdict, range over all runs, expectations', () => {
    const one = run({ expect: [expected('verdict == safe', true), expected('IPI == 3', false)] });
    const other = run({ variant: 'after', total: 500, low: 400, high: 700 });
    assert.equal(reportSummary(report(one, other)), 'safe · 400–1600 cy · 1 of 2 expectations');
    assert.equal(reportSummary(report()), 'no runs');
    const partly = run({ notes: ['not run: the patch changes mm/x.c, which takes no part in this run'] });
    assert.equal(reportSummary(report(partly)), 'safe · 900–1600 cy · part of the patch did not run');
  });

  it('count verdicts that are not safe', () => {
    const stale = run({ verdict: 'stale-data' });
    assert.equal(verdictSummary([run(), run()]), 'safe');
    assert.equal(verdictSummary([run(), stale, stale]), 'stale-data in 2 of 3 runs');
  });

  it('take a verdict that is expected for a good one', () => {
    const stale = { verdict: 'stale-data' };
    assert.equal(runOutcome(run()), 'passed');
    assert.equal(runOutcome(run(stale)), 'unsafe');
    assert.equal(runOutcome(run({ ...stale, expect: [expected('verdict == stale-data', true)] })), 'passed');
    assert.equal(runOutcome(run({ expect: [expected('IPI == 3', false)] })), 'failed');
    assert.equal(runOutcome(run({ verdict: 'unknown' })), 'unknown');
    assert.equal(outcomeOf(report(run(), run(stale), run({ verdict: 'unknown' }))), 'unsafe');
    assert.equal(outcomeOf(report()), 'passed');
  });

  it('take figures that a patch changes in a built-in scenario for a change, not for a failure', () => {
    const changed = run({
      variant: 'after',
      expect: [expected('INVLPG == 3', false), expected('verdict == safe', true)],
    });
    assert.equal(runOutcome(changed, true), 'changed');
    assert.equal(runOutcome(changed), 'failed', 'a budget of one’s own');
    assert.equal(
      runOutcome({ ...changed, variant: 'before' }, true),
      'failed',
      'nothing has changed before it',
    );
    const stale = run({
      variant: 'after',
      verdict: 'stale-data',
      expect: [expected('verdict == safe', false)],
    });
    assert.equal(runOutcome(stale, true), 'failed');
    assert.equal(outcomeOf(report(run(), changed), true), 'changed');
    assert.equal(outcomeOf({ ...report(run(), changed), compares: 'variants' }, true), 'failed');
  });

  it('say what a variant changes against the first, under the same values only', () => {
    const after = run({ variant: 'after', counts: { INVLPG: 20, LFENCE: 1 } });
    assert.equal(countsChange(run(), after), '+10·INVLPG +LFENCE');
    assert.equal(
      runSummary(after, [run(), after]),
      'safe · 1000 cy (900–1600) · +10·INVLPG +LFENCE against before',
    );
    const elsewhere = run({ variant: 'after', parameters: { n: 2 } });
    assert.equal(runSummary(elsewhere, [run(), elsewhere]), 'safe · 1000 cy (900–1600)');
    assert.equal(
      runSummary(after, [unended, after]),
      'safe · 1000 cy (900–1600)',
      'not against one that broke off',
    );
    assert.equal(runName(after), 'after, n=10');
    assert.equal(runName(run({ parameters: {} })), 'before');
  });
});

describe('results that leave the editor', () => {
  const basis = basisOf('linux', { linux: { applies: true, touched: [] } });

  it('are a table of a mail: title, basis, machine, figures, operations, reasons', () => {
    const text = mailText(
      report(
        run(),
        run({
          variant: 'after',
          verdict: 'stale-data',
          why: ['stale-data on CPU 1'],
          expect: [expected('IPI == 2', false)],
        }),
      ),
      basis,
    );
    assert.deepEqual(text.split('\n').slice(0, 7), [
      'A title',
      'Before and after this patch, on the model kernel.',
      'Simulated on broadwell-ep-e5-2660v4, features PCID,PTI.',
      '',
      'variant  parameters  verdict     cycles      range  misses',
      'before   n=10        safe          1000  900..1600       0',
      'after    n=10        stale-data    1000  900..1600       0',
    ]);
    assert.match(text, /\nOperations:\n {2}before, n=10: 10 INVLPG\n/);
    assert.match(text, /\nWhy not safe:\n {2}after, n=10: stale-data on CPU 1\n/);
    assert.match(text, /\nExpectations that do not hold:\n {2}after, n=10: IPI == 2, found 3\n/);
  });

  it('keep to plain ASCII of 75 columns, whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 120 }),
        fc.string({ unit: 'binary', maxLength: 90 }),
        (a, b) => {
          const odd = run({
            variant: a || 'x',
            why: [b],
            parameters: { parameter_with_a_long_name: 1e9, other: -3 },
          });
          for (const line of mailText(
            { ...report(odd, unended, unpriced), title: b },
            { ...basis, text: a },
          ).split('\n'))
            assert.match(line, /^[\x20-\x7e]{0,75}$/);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('mark figures that are not known', () => {
    const text = mailText(report(unended, unpriced), basis);
    assert.match(text, /before +n=10 +deadlock +- +- +0\n/);
    assert.match(text, /1000\+\? +900\.\.1600\+\?/);
  });

  it('break long lines at blanks, and words that are longer than a line', () => {
    assert.deepEqual(wrapped('a b', '  '), ['  a b']);
    assert.deepEqual(wrapped('', '  '), []);
    const [first, second] = wrapped(`${'x'.repeat(70)} yyyyyyyy`);
    assert.deepEqual([first!.length, second], [70, 'yyyyyyyy']);
    assert.equal(wrapped('z'.repeat(200))[0]!.length, 75);
  });

  it('are CSV with a row for each run, empty where a figure is not known', () => {
    const text = csvText(report(run({ variant: '=x,"y"' }), unended));
    assert.deepEqual(text.split('\n'), [
      'variant,n,machine,verdict,cycles,low,high,misses,INVLPG',
      `"'=x,""y""",10,broadwell-ep-e5-2660v4,safe,1000,900,1600,0,10`,
      'before,10,broadwell-ep-e5-2660v4,deadlock,,,,0,10',
      '',
    ]);
    // An operation that a run has not come to is no 0.
    const [, , stopped] = csvText(report(run({ counts: { LFENCE: 1 } }), unended)).split('\n');
    assert.equal(stopped, 'before,10,broadwell-ep-e5-2660v4,deadlock,,,,0,10,');
  });

  it('are JSON with everything', () => {
    const value = JSON.parse(jsonText(report(run()), basis)) as { basis: string; runs: unknown[] };
    assert.equal(value.basis, basis.text);
    assert.deepEqual(value.runs[0], JSON.parse(JSON.stringify(run())));
  });
});
