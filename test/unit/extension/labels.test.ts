import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
  countedOperation,
  direction,
  formatCycles,
  formatNumber,
  formatRange,
  hintLimit,
  hintText,
  verdictText,
} from '../../../src/extension/present/labels';
import { price } from '../../../src/extension/present/prices';
import { hunkOf, lineOf, machine } from './samples';

const values = { n: 10, c: 3 };

describe('figures', () => {
  it('are whole, with a decimal below ten and letters when long', () => {
    assert.deepEqual([4.25, 0, -3, 99.6, 12345, 123456, 2.5e8].map(formatNumber), [
      '4.3',
      '0',
      '−3',
      '100',
      '12345',
      '123k',
      '250M',
    ]);
  });

  it('never lose their range', () => {
    assert.equal(formatRange({ value: 100, low: 90, high: 120 }), '90–120 cy');
    assert.equal(formatRange({ value: -100, low: -120, high: -90 }), '−120 to −90 cy');
    assert.equal(formatCycles({ value: -1500, low: -2100, high: -800 }), '−1500 cy (−2100 to −800)');
  });
});

describe('countedOperation', () => {
  it('shows the count and, where asked, the sign', () => {
    assert.equal(countedOperation('INVLPG', '1', false), 'INVLPG');
    assert.equal(countedOperation('INVLPG', '1', true), '+INVLPG');
    assert.equal(countedOperation('INVLPG', '-1', true), '−INVLPG');
    assert.equal(countedOperation('INVLPG', '-n', true), '−n·INVLPG');
    assert.equal(countedOperation('INVLPG', '2*n', true), '+2·n·INVLPG');
    assert.equal(countedOperation('IPI', 'n-c*n', true), '+(n−c·n)·IPI');
    assert.equal(countedOperation('IPI', '-n-c', true), '+(−n−c)·IPI');
  });
});

describe('price', () => {
  it('multiplies counts with figures and their bounds', () => {
    // 10 × 100 (90 to 120) − 2 × 250 (200 to 300).
    const { cycles } = price({ INVLPG: 'n', INVPCID_ADDR: '-2' }, machine, values);
    assert.deepEqual(cycles, { value: 500, low: 300, high: 800 });
  });

  it('is unknown, not smaller, where one figure is missing', () => {
    for (const operation of ['ISB', 'TLBSYNC']) {
      const { cycles, rows } = price({ INVLPG: '1', [operation]: '1' }, machine, values);
      assert.equal(cycles, null);
      assert.notEqual(rows[1]?.why, '');
    }
  });

  it('is unknown where a symbol has no value', () => {
    const { cycles, rows } = price({ INVLPG: '(f->nr)' }, machine, values);
    assert.equal(cycles, null);
    assert.match(rows[0]!.why, /f->nr/);
  });
});

describe('hintText', () => {
  it('gives operations, range and how it was found', () => {
    assert.equal(hintText(lineOf({}), machine, values), '+INVLPG 90–120 cy by name');
    assert.equal(
      hintText(lineOf({ side: 'old', operations: { INVLPG: 'n' } }), machine, values),
      '−n·INVLPG 900–1200 cy at n=10 by name',
    );
    assert.equal(hintText(lineOf({ side: 'both', weak: false }), machine, values), 'INVLPG 90–120 cy');
  });

  it('never shows an unknown as a number', () => {
    assert.equal(hintText(lineOf({ operations: { ISB: '1' } }), machine, values), '+ISB no price by name');
    assert.equal(hintText(lineOf({ operations: {} }), machine, values), '+cost not known by name');
    const unknown = [{ name: 'tq', line: 7, why: 'no row' }];
    assert.equal(hintText(lineOf({ unknown }), machine, values), '+INVLPG 90–120 cy + ? by name');
  });

  it('never exceeds what VS Code shows of a line', () => {
    const operation = fc.constantFrom('INVLPG', 'INVPCID_ADDR', 'INVPCID_ALL_GLOBAL', 'TLBI_ASID_IS', 'ISB');
    const count = fc.constantFrom('1', 'n', '12*c*n+n+1', '2^order', '-n-c*n');
    fc.assert(
      fc.property(
        fc.dictionary(operation, count, { maxKeys: 5 }),
        fc.constantFrom('old', 'new', 'both'),
        fc.boolean(),
        fc.integer({ min: 0, max: 1_000_000 }),
        (operations, side, weak, n) => {
          const text = hintText(lineOf({ operations, side, weak }), machine, { n, c: n });
          assert.ok(text.length <= hintLimit, text);
        },
      ),
    );
  });
});

describe('verdictText', () => {
  it('gives the delta, its cycles and the values used', () => {
    assert.equal(
      verdictText(hunkOf({ delta: { INVLPG: 'n', INVPCID_ADDR: '-n' } }), machine, values),
      '▼ TLB, by name: +n·INVLPG −n·INVPCID_ADDR → −1500 cy (−2100 to −800) at n=10',
    );
    assert.equal(verdictText(hunkOf({ weak: false }), machine, values), '▲ TLB: +INVLPG → 100 cy (90–120)');
  });

  it('says in words when there is nothing to count or no number', () => {
    assert.equal(
      verdictText(hunkOf({ delta: {} }), machine, values),
      '= TLB, by name: no operation added or taken away',
    );
    const unknown = [{ name: 'tq', line: 7, why: 'no row' }];
    assert.equal(
      verdictText(hunkOf({ delta: {}, unknown }), machine, values),
      '? TLB, by name: no number; 1 not known',
    );
    assert.equal(
      verdictText(hunkOf({ delta: { ISB: '1' } }), machine, values),
      '? TLB, by name: +ISB → no price on Test',
    );
  });
});

describe('direction', () => {
  it('commits itself only when the whole range lies on one side', () => {
    const hunk = hunkOf({});
    assert.equal(direction(hunk, { value: 5, low: 1, high: 9 }), 'dearer');
    assert.equal(direction(hunk, { value: -5, low: -9, high: -1 }), 'cheaper');
    assert.equal(direction(hunk, { value: 5, low: -1, high: 9 }), 'either');
    assert.equal(direction(hunk, null), 'unknown');
  });
});
