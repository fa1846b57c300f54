/** Branches that a patch adds for errors: no error occurs, so they change nothing. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const flushBehind = (added: string, head = 'int tq_drop(struct tq_mm *mm, unsigned long addr)'): string =>
  patchOf(
    'arch/x86/mm/tq.c',
    [
      ` ${head}`,
      ' {',
      ...added.split('\n').map(line => `+${line}`),
      ' \tinvpcid_flush_all();',
      ' out_err:',
      ' \treturn 0;',
      ' }',
    ].join('\n'),
  );

const exits: Readonly<Record<string, string>> = {
  'a result that is handed on': '\tret = tq_prepare(mm);\n\tif (ret)\n\t\treturn ret;',
  'a negative result': '\tif (tq_prepare(mm) < 0)\n\t\treturn -1;',
  'a jump to an error label': '\tret = tq_prepare(mm);\n\tif (ret)\n\t\tgoto out_err;',
  'an error number': '\tif (addr > 10)\n\t\treturn -EINVAL;',
  'an error pointer': '\tif (addr > 10)\n\t\treturn ERR_PTR(-EINVAL);',
  'a warning': '\tif (WARN_ON(!irqs_disabled()))\n\t\treturn 0;',
  'what is said to be unlikely': '\tif (unlikely(!mm))\n\t\treturn 0;',
  'a null pointer': '\tif (!mm)\n\t\treturn 0;',
  'a null pointer behind a fence': '\tmm->x = 0;\n\tif (mm == NULL) {\n\t\treturn 0;\n\t}',
};

describe('added branches for errors', function () {
  this.timeout(20_000);
  for (const [name, added] of Object.entries(exits)) {
    for (const head of [undefined, 'void tq_drop(struct tq_mm *mm, unsigned long addr)'])
      it(`${name}${head ? ', in a function without a result' : ''}`, async () => {
        const [hunk] = (await priced(flushBehind(added, head))).hunks;
        assert.deepEqual(shown(hunk!.delta), {});
        assert.equal(hunk!.other, null);
      });
  }

  it('an open condition is no error', async () => {
    const [hunk] = (await priced(flushBehind('\tif (addr == tq_last)\n\t\treturn 0;'))).hunks;
    assert.deepEqual(shown(hunk!.delta), {});
    assert.deepEqual(shown(hunk!.other!.delta), { INVPCID_ALL_GLOBAL: '-1' });
  });

  it('a count that is tested and also returned is no error', async () => {
    const patch = patchOf(
      'mm/tq.c',
      [
        ' static unsigned long tq_protect(struct vm_area_struct *vma, unsigned long start, unsigned long end)',
        ' {',
        ' \tunsigned long pages = tq_walk(vma, start, end);',
        ' ',
        '-\tflush_tlb_range(vma, start, end);',
        '+\tif (pages)',
        '+\t\tflush_tlb_range(vma, start, end);',
        ' \treturn pages;',
        ' }',
      ].join('\n'),
    );
    const [hunk] = (await priced(patch)).hunks;
    assert.deepEqual(shown(hunk!.delta), {});
  });
});
