/** A constant that changes is followed into the functions of its file that use it. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const body = (use: string): string => `\n \n void tq(struct mm_struct *mm, unsigned long addr)\n {\n \tint i;\n ${use}\n }`; // prettier-ignore
const loop = '\tfor (i = 0; i < TQ_N; i++)\n \t\tinvlpg(addr + i * PAGE_SIZE);';

describe('constants that a patch changes', function () {
  this.timeout(60_000);

  it('change the turns of a loop', async () => {
    for (const define of ['#define TQ_N 4', 'enum { TQ_N = 4 };']) {
      const patch = patchOf('arch/x86/mm/tq.c', `-${define}\n+${define.replace('4', '8')}${body(loop)}`);
      const { hunks, total } = await priced(patch);
      assert.deepEqual(shown(hunks[0]!.delta), { INVLPG: '4' });
      assert.deepEqual(hunks[0]!.unknown, []);
      assert.deepEqual(shown(total.delta), { INVLPG: '4' });
    }
  });

  it('change the bit that decides whether a write of CR3 flushes', async () => {
    const use = '\twrite_cr3(build_cr3(mm->pgd, 1) | TQ_BIT);';
    const define = '-#define TQ_BIT (1UL << 62)\n+#define TQ_BIT (1UL << 63)';
    const patch = patchOf('arch/x86/mm/tq.c', define + body(use));
    const { hunks } = await priced(patch, { features: ['PCID'] });
    assert.deepEqual(shown(hunks[0]!.delta), { CR3_FLUSH: '-1', CR3_NOFLUSH: '1' });
  });

  it('are listed where they stand in a header: other files may use them', async () => {
    const patch = patchOf('arch/x86/include/asm/tq.h', `-#define TQ_N 4\n+#define TQ_N 8${body(loop)}`);
    const { hunks } = await priced(patch);
    assert.ok(hunks[0]!.unknown.some(({ name }) => name === 'TQ_N'));
  });
});
