import { strict as assert } from 'node:assert';
import { dumpModule } from '../../../../src/code/dump';
import { loadParser, lowerText } from './support';

describe('IR as text', () => {
  before(loadParser);

  it('one instruction a line, with the lines of the source', () => {
    const module = lowerText(`static int tq_limit = 33;
int tq(struct tq_mm *mm, unsigned long addr)
{
	if (!static_cpu_has(X86_FEATURE_PTI))
		return -1;
	asm volatile("invlpg (%0)" ::"r" (addr));
	tq_note(mm->id);
	return tq_limit;
}
`);
    assert.equal(
      dumpModule(module),
      `tq(struct tq_mm * mm%0, unsigned long addr%1) arch/x86/mm/tq.c
   0  %2 = feature cpu PTI  ; 4
   1  branch %2 -> 4 "static_cpu_has(X86_FEATURE_PTI)"  ; 4
   2  %3 = 0xffffffffffffffff  ; 5
   3  return %3  ; 5
   4  OPERATION INVLPG addr%1  ; 6
   5  %4 = field mm%0 tq_mm.id  ; 7
   6  %5 = load.u64 %4  ; 7
   7  call tq_note(%5) "tq_note(mm->id)"  ; 7
   8  %6 = &global tq_limit  ; 8
   9  %7 = load.s32 %6  ; 8
  10  return %7  ; 8
$ tq_limit: =33
`,
    );
  });
});
