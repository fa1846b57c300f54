/** SDM volume 3, 4.10.4.1: a MOV to CR3 flushes the PCID unless bit 63 of the source is set. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const writes = (lines: readonly string[], path = 'arch/x86/mm/tq.c'): string =>
  patchOf(
    path,
    [
      ' void tq_switch(struct tq_mm *next, u16 asid)',
      ' {',
      '-\twrite_cr3(build_cr3(next->pgd, asid));',
      ...lines.map(line => `+\t${line}`),
      ' }',
    ].join('\n'),
  );

const keeps = { CR3_FLUSH: '-1', CR3_NOFLUSH: '1' };

describe('bit 63 of a value written to CR3', function () {
  this.timeout(20_000);
  const cases: readonly {
    name: string;
    lines: readonly string[];
    delta: Readonly<Record<string, string>>;
    assumed: boolean;
  }[] = [
    {
      name: 'set by a bit operation',
      lines: ['unsigned long v = build_cr3(next->pgd, asid);', '__set_bit(63, &v);', 'write_cr3(v);'],
      delta: keeps,
      assumed: false,
    },
    {
      name: 'set by a variable that says so',
      lines: ['write_cr3(build_cr3(next->pgd, asid) | this_cpu_read(x86_cr3_pcid_noflush));'],
      delta: keeps,
      assumed: false,
    },
    {
      name: 'an address and a PCID, made in sight',
      lines: ['unsigned long cr3 = __pa(next->pgd) | asid;', 'write_cr3(cr3);'],
      delta: {},
      assumed: false,
    },
    { name: 'a member of unknown content', lines: ['write_cr3(next->saved);'], delta: {}, assumed: true },
    { name: 'bits of unknown content', lines: ['write_cr3(build_cr3(next->pgd, asid) | tq_bits);'], delta: {}, assumed: true }, // prettier-ignore
  ];
  for (const { name, lines, delta, assumed } of cases)
    it(name, async () => {
      const [hunk] = (await priced(writes(lines), { features: ['PCID'] })).hunks;
      assert.deepEqual(shown(hunk!.delta), delta);
      assert.equal(hunk!.assumed.some(text => text.startsWith('bit 63 of')), assumed); // prettier-ignore
    });

  it('in assembly', async () => {
    const patch = patchOf(
      'arch/x86/entry/tq.S',
      [
        ' SYM_CODE_START(tq_exit)',
        ' \tmovq\t%cr3, %rax',
        '+\torq\tPER_CPU_VAR(x86_cr3_pcid_noflush), %rax',
        ' \tmovq\t%rax, %cr3',
        ' \tret',
        ' SYM_CODE_END(tq_exit)',
      ].join('\n'),
    );
    const [hunk] = (await priced(patch, { features: ['PCID'] })).hunks;
    assert.deepEqual(shown(hunk!.delta), keeps);
  });
});
