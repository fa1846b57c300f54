import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { operationChanges } from '../../../src/extension/panel/changes';
import {
  ascii,
  replyText,
  tableLines,
  wrap,
  type ReplySource,
} from '../../../src/extension/present/replyText';
import { reportOf } from './panelSamples';

const before = reportOf('before', { INVLPG: 40, INVPCID_ADDR: 40 });
const after = reportOf('after', { INVLPG: 70, INVPCID_ADDR: 10 });

const source: ReplySource = {
  title: 'madvise of n pages',
  name: 'madvise-threads',
  compares: 'Before and after this patch, on the model kernel',
  runs: [before, { ...after, assumed: ['mm.tq_bits has 64 bits'] }],
  changes: operationChanges(before, after),
  hunk: ['@@ -1,2 +1,3 @@ void tq_flush(void)', ' {', '+\ttq_one(addr);'],
};

describe('the reply to a list', () => {
  it('quotes the hunk, and gives figures, assumptions and the name of the scenario', () => {
    assert.equal(
      replyText(source),
      [
        '> @@ -1,2 +1,3 @@ void tq_flush(void)',
        '>  {',
        '> +       tq_one(addr);',
        '',
        'TLBScope, simulated: madvise of n pages',
        'Scenario madvise-threads. Before and after this patch, on the model kernel.',
        'Machine broadwell-ep-e5-2660v4, features PTI, n=10 c=3.',
        '',
        '                                before               after',
        'verdict                           safe                safe',
        'cycles, all CPUs  14320 (12720..18400)  9580 (8580..14200)',
        'TLB misses                           0                   0',
        '',
        'operation     before  after                cycles',
        'INVPCID_ADDR      40     10  -7740 (-9000..-6840)',
        'INVLPG            40     70  +3000 (+2700..+4800)',
        '',
        'Assumed:',
        '  - mm.tq_bits has 64 bits',
        '',
        'One schedule of each run; cycles are predicted from published figures,',
        'lowest to highest in parentheses.',
        '',
      ].join('\n'),
    );
  });

  it('says what is not known, and never gives it a number', () => {
    const open = reportOf('base', { INVLPG: 2, CR3_READ: 1 });
    const text = replyText({
      ...{ ...source, changes: [], hunk: [] },
      runs: [
        {
          ...open,
          verdict: 'stale-data',
          why: ['stale-data on CPU 1'],
          unknown: [{ name: 'CR3_READ', why: 'no figure', file: '', line: 0 }],
        },
      ],
    });
    assert.match(text, /^cycles, all CPUs +>= 180$/m);
    assert.match(text, /^CR3_READ +1 +no price known$/m);
    assert.match(text, /^Not safe:\n {2}- base: stale-data on CPU 1$/m);
    assert.match(text, /^Not known:\n {2}- CR3_READ: no figure$/m);
    const stopped = replyText({ ...source, runs: [{ ...open, complete: false }] });
    assert.match(stopped, /^cycles, all CPUs +did not end$/m);
    const second = replyText({ ...source, changes: [], runs: [open, { ...open, complete: false }] });
    assert.match(second, /^A run did not end: what its operations change is not known\.$/m);
    assert.doesNotMatch(second, /same operations/);
  });

  it('is plain ASCII within 75 columns, whatever the names say', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 5 }),
        (name, hunk) => {
          const run = { ...before, variant: name, assumed: [name], why: hunk };
          const text = replyText({ ...source, title: name, name, runs: [run, run], hunk });
          assert.ok(/^[\n\x20-\x7e]*$/.test(text));
          for (const line of text.split('\n')) assert.ok(line.length <= 75, line);
        },
      ),
    ));

  it('expands tabs as they are seen, and writes signs in ASCII', () => {
    assert.equal(ascii('a\tb'), 'a       b');
    assert.equal(ascii('\u22125 \u2192 x\u2026'), '-5 -> x...');
  });

  it('breaks at blanks and cuts what is longer than a line', () => {
    assert.deepEqual(wrap('a b', '  '), ['  a b']);
    assert.deepEqual(wrap('x'.repeat(80)), [`${'x'.repeat(72)}...`]);
    assert.deepEqual(
      wrap('word '.repeat(20)).map(line => line.length <= 75),
      [true, true],
    );
  });

  it('cuts columns that do not fit', () => {
    const lines = tableLines([['a'.repeat(60), 'b'.repeat(60), '1']]);
    assert.ok(lines.every(line => line.length <= 75));
    assert.ok(lines[0]!.endsWith('1'));
  });
});
