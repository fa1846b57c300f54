/** Which files a scenario applies to. */
import { strict as assert } from 'node:assert';
import { fitting, identifiersOf, matchesGlob } from '../../../src/scenario/appliesTo';

describe('appliesTo', () => {
  it('knows globs', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['arch/x86/mm/tlb.c', 'arch/x86/mm/tlb.c', true],
      ['arch/x86/mm/*.c', 'arch/x86/mm/tlb.c', true],
      ['arch/*/tlb.c', 'arch/x86/mm/tlb.c', false],
      ['arch/**/tlb.c', 'arch/x86/mm/tlb.c', true],
      ['**/*.h', 'a/b/c.h', true],
      ['*.c', 'mm/x.c', false],
      ['mm/?mu*.c', 'mm/mmu_gather.c', true],
      ['mm/x.c', 'mm/x.cc', false],
      ['', 'a', false],
    ];
    for (const [glob, path, expected] of cases)
      assert.equal(matchesGlob(glob, path), expected, `${glob} ${path}`);
  });

  it('takes linear time for many stars', () => {
    assert.equal(matchesGlob(`${'*'.repeat(199)}b`, 'a'.repeat(4000)), false);
    assert.equal(matchesGlob('*a'.repeat(100), 'a'.repeat(4000)), true);
  });

  it('finds paths below any folder, and functions by name', () => {
    const names = new Set<string>();
    identifiersOf('void flush_tlb_mm_range(struct mm_struct *mm)', names);
    const subject = { paths: ['linux-6.1/arch/x86/mm/tlb.c'], names };
    assert.deepEqual(fitting(['arch/x86/mm/tlb.c', 'flush_tlb_mm_range', 'flush_tlb', 'mm/*.c'], subject), [
      'arch/x86/mm/tlb.c',
      'flush_tlb_mm_range',
    ]);
  });
});
