/** How often a walk over a range goes round: its steps and its bounds, with counts derived by hand. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const parameters =
  'unsigned long start, unsigned long end, unsigned long last, unsigned long stride, unsigned long nr, int shift, int order';

/** INVLPG that a loop with the given head adds. */
async function turns(head: string, before = ''): Promise<string | undefined> {
  const lines = [...(before === '' ? [] : [before]), head, '\tinvlpg(addr);'];
  const added = lines.map(line => `+\t${line}`).join('\n');
  const patch = patchOf(
    'arch/x86/mm/tq.c',
    ` void tq(${parameters})\n {\n \tunsigned long addr;\n${added}\n }`,
  );
  const [hunk] = (await priced(patch)).hunks;
  return shown(hunk!.delta)['INVLPG'];
}

describe('the turns of a walk', function () {
  this.timeout(60_000);

  // The pages of a range are counted in strides; a step of k of them goes round ⌈n/k⌉ times.
  const steps: Readonly<Record<string, string>> = {
    PAGE_SIZE: 'n',
    '2 * PAGE_SIZE': 'ceil(n/2)',
    '(PAGE_SIZE << 1)': 'ceil(n/2)',
    '16 * PAGE_SIZE': 'ceil(n/16)',
    PMD_SIZE: 'n',
    '4 * PMD_SIZE': 'ceil(n/4)',
    HPAGE_PMD_SIZE: 'n',
    stride: 'n',
    '2 * stride': 'ceil(n/2)',
    '1UL << shift': 'n',
    '2UL << shift': 'ceil(n/2)',
    'nr * PAGE_SIZE': 'ceil(n/nr)',
    'nr * stride': 'ceil(n/nr)',
    'PAGE_SIZE << order': 'ceil(n/2^order)',
  };
  for (const [step, count] of Object.entries(steps))
    it(`are ${count} in steps of ${step}`, async () => {
      assert.equal(await turns(`for (addr = start; addr < end; addr += ${step})`), count);
    });

  // `end` lies behind the last page: up to it and with it there is one more.
  const bounds: readonly (readonly [test: string, count: string, before?: string])[] = [
    ['addr < end', 'n'],
    ['addr <= end', 'n+1'],
    ['addr <= end - 1', 'n'],
    ['addr <= end - PAGE_SIZE', 'n'],
    ['addr < end - PAGE_SIZE', 'n-1'],
    ['addr <= last', 'n'],
    ['addr <= bound', 'n', 'unsigned long bound = end - 1;'],
    ['addr <= bound', 'n', 'unsigned long bound = (end - 1) & PAGE_MASK;'],
    ['addr <= bound', 'n+1', 'unsigned long bound = end & PAGE_MASK;'],
    ['addr <= last', 'n+1', 'last = end;'],
  ];
  for (const [test, count, before = ''] of bounds)
    it(`are ${count} while ${test}${before && ` with ${before}`}`, async () => {
      assert.equal(await turns(`for (addr = start; ${test}; addr += PAGE_SIZE)`, before), count);
    });

  it('are n from the last page down, and over page numbers', async () => {
    assert.equal(await turns('for (addr = end - PAGE_SIZE; addr >= start; addr -= PAGE_SIZE)'), 'n');
    assert.equal(
      await turns('for (addr = start >> PAGE_SHIFT; addr <= (end - 1) >> PAGE_SHIFT; addr++)'),
      'n',
    );
  });

  it('are half the pages of a counter that goes up by two', async () => {
    assert.equal(
      await turns(
        'for (addr = start; nr < (end - start) >> PAGE_SHIFT; nr += 2, addr += 2 * PAGE_SIZE)',
        'nr = 0;',
      ),
      'ceil(n/2)',
    );
  });
});
