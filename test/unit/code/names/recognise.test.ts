/** Names in lines of C and assembly: where they count and where they do not. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { countByName } from '../../../../src/code/byName';
import { mentionsCatalogue } from '../../../../src/code/nameFilter';
import { recogniseLines } from '../../../../src/code/recognise';

const x86 = { path: 'arch/x86/mm/tlbq.c' };
const entry = { path: 'arch/x86/entry/tq.S' };
const arm = { path: 'arch/arm64/mm/tq.c' };

/** `line:name` for every name that is called or issued. */
function found(text: string, hints = x86): string[] {
  return recogniseLines(text.split('\n'), hints).flatMap((line, index) =>
    line.filter(({ entry: row }) => row.kind !== 'value').map(({ name }) => `${index + 1}:${name}`),
  );
}

/** Operations of the names on the first line that has any. */
function counts(text: string, features: readonly string[] = [], hints = x86) {
  const first = recogniseLines(text.split('\n'), hints).find(line => line.length > 0)!;
  return countByName(
    first.find(({ entry: row }) => row.kind !== 'value')!,
    name => features.includes(name),
  );
}

describe('recognising by name', () => {
  it('finds calls with their columns and arguments', () => {
    const [line] = recogniseLines(['\tflush_tlb_mm_range(mm, start, end, PAGE_SHIFT, false);'], x86);
    assert.equal(line!.length, 1);
    assert.equal(line![0]!.column, 1);
    assert.deepEqual(line![0]!.args, ['mm', 'start', 'end', 'PAGE_SHIFT', 'false']);
    assert.deepEqual(
      found('\tif (tq(x)) __flush_tlb_all();\n\telse flush_tlb_all ();\n\treturn flush_tlb_all();'),
      [...['1:__flush_tlb_all', '2:flush_tlb_all', '3:flush_tlb_all']],
    );
  });

  it('reads arguments that go on over lines', () => {
    const lines = ['\ton_each_cpu(tq_do,', '\t\t    (void *)f(a, b), 1);'];
    assert.deepEqual(recogniseLines(lines, x86)[0]![0]!.args, ['tq_do', '(void *)f(a, b)', '1']);
  });

  it('leaves out comments, of one line and of several', () => {
    assert.deepEqual(found('\t/* flush_tlb_all() */ x(); // flush_tlb_all()'), []);
    assert.deepEqual(found('\t/* a\n\t * flush_tlb_all();\n\t */ flush_tlb_mm(mm);'), ['3:flush_tlb_mm']);
    assert.deepEqual(found(' * flush_tlb_all() does it.\n */\n\tflush_tlb_mm(mm);'), ['3:flush_tlb_mm']);
    assert.deepEqual(found('flush_tlb_all();\n\tor so */\n\tflush_tlb_mm(mm);'), ['3:flush_tlb_mm']);
    assert.deepEqual(found('\t * flush_tlb_all() in the middle of a comment'), []);
    assert.deepEqual(found('\t*ptr = 1; flush_tlb_all();'), ['1:flush_tlb_all']);
  });

  it('leaves out strings and characters', () => {
    assert.deepEqual(found('\tpr_info("flush_tlb_all() \\" invlpg\\n"); flush_tlb_mm(mm);'), [
      '1:flush_tlb_mm',
    ]);
    assert.deepEqual(found("\tx = '\"'; flush_tlb_mm(mm);"), ['1:flush_tlb_mm']);
    assert.deepEqual(found('\tpr_warn("invlpg failed");'), []);
  });

  it('leaves out prototypes, declarations and the name of a definition', () => {
    assert.deepEqual(found('void flush_tlb_all(void);'), []);
    assert.deepEqual(
      found('extern void flush_tlb_all(void);\nstatic inline int flush_tlb_page(int a) { return 0; }'),
      [],
    );
    assert.deepEqual(found('static void\nflush_tlb_all(void)\n{\n\tflush_tlb_mm(mm);\n}'), [
      '4:flush_tlb_mm',
    ]);
    assert.deepEqual(found('pgd_t *read_cr3_pa(void);'), []);
    assert.deepEqual(found('flush_tlb_all(void)\n{'), []);
    assert.deepEqual(found('\tif (a * read_cr3_pa() > b)'), ['1:read_cr3_pa']);
  });

  it('takes a statement that lost its indentation for one', () => {
    assert.deepEqual(found('x = 1;\nflush_tlb_all();'), ['2:flush_tlb_all']);
  });

  it('leaves out plain macro definitions, and reads the body of longer ones', () => {
    assert.deepEqual(found('#define flush_tlb_mm(mm) flush_tlb_all()'), []);
    assert.deepEqual(found('#define local_flush_tlb() __flush_tlb()'), []);
    assert.deepEqual(found('#define tq(a) do { \\\n\tflush_tlb_mm(a); \\\n} while (0)\n\tflush_tlb_all();'), [
      ...['2:flush_tlb_mm', '4:flush_tlb_all'],
    ]);
    assert.deepEqual(found('#if flush_tlb_all() && \\\n flush_tlb_mm(a)\n\tflush_tlb_all();'), [
      '3:flush_tlb_all',
    ]);
  });

  it('leaves out references and members of other tables', () => {
    assert.deepEqual(found('\t.flush_tlb_user = native_flush_tlb_local,'), []);
    assert.deepEqual(found('\tops->flush_tlb_all(vcpu);\n\tkvm_x86_ops.flush_tlb_all(vcpu);'), []);
    assert.deepEqual(found('\tpv_ops.mmu.flush_tlb_one_user(addr);\n\tapic->send_IPI_mask(m, v);'), [
      ...['1:flush_tlb_one_user', '2:send_IPI_mask'],
    ]);
    assert.deepEqual(found('EXPORT_SYMBOL_GPL(flush_tlb_all);'), []);
  });

  it('leaves out what only debugging kernels check', () => {
    assert.deepEqual(found('\tVM_WARN_ON_ONCE(a != __va(read_cr3_pa())); flush_tlb_mm(mm);'), [
      '1:flush_tlb_mm',
    ]);
    assert.deepEqual(found('\tWARN_ON(read_cr3_pa() != a);'), ['1:read_cr3_pa']);
  });

  it('sees through paravirt calls', () => {
    const [line] = recogniseLines(['\tPVOP_VCALL1(mmu.flush_tlb_one_user, addr);'], x86);
    assert.deepEqual(
      [line![0]!.name, line![0]!.column, line![0]!.args],
      ['flush_tlb_one_user', 17, ['addr']],
    );
    // The hook of that name is the range flush of one CPU, not the function that reaches others.
    assert.deepEqual(counts('\tPVOP_VCALL3(mmu.flush_tlb_range, start, end, shift);').ops, { INVLPG: 'n' });
  });

  it('reads inline assembly', () => {
    assert.deepEqual(found('\tasm volatile("invlpg (%0)" ::"r" (addr) : "memory");'), ['1:invlpg']);
    assert.deepEqual(
      found('\tasm volatile("mov %0, %%cr3\\n\\tlfence\\ninvlpg (%1)"\n\t\t: : "r" (v));\n\tpr("invlpg x");'),
      [...['1:mov to %cr3', '1:lfence', '1:invlpg']],
    );
    assert.deepEqual(found('\tasm volatile("mov %%cr3, %0" : "=r" (v));'), ['1:mov from %cr3']);
    assert.deepEqual(found('\tasm("movl %eax, %ebx");'), []);
    assert.deepEqual(found('\tasm volatile(ALTERNATIVE("", "lfence", X86_FEATURE_TQ));'), ['1:lfence']);
  });

  it('reads assembler lines in headers and in .S files', () => {
    const header = { path: 'arch/x86/entry/tq.h' };
    assert.deepEqual(
      found(
        '.macro TQ reg:req\n\tmovq\t%cr3, \\reg\n.Ltq_\\@:\n\tinvlpg\t(\\reg)\n\tlfence\n\tmov \\reg, %cr3\n.endm',
        header,
      ),
      ['2:mov from %cr3', '4:invlpg', '5:lfence', '6:mov to %cr3'],
    );
    assert.deepEqual(found('.macro SWITCH_TO_KERNEL_CR3 scratch_reg:req', header), []);
    assert.deepEqual(found('\tSWITCH_TO_KERNEL_CR3 scratch_reg=%rax', entry), ['1:SWITCH_TO_KERNEL_CR3']);
    assert.deepEqual(found('\tcall flush_tlb_all  # not invlpg', entry), ['1:flush_tlb_all']);
    assert.deepEqual(found('1:\tmov %rax, %cr4; mov %rdi, %cr3', entry), ['1:mov to %cr4', '1:mov to %cr3']);
    assert.deepEqual(found('\tALTERNATIVE "", "invlpg (%rdi)", X86_FEATURE_TQ', entry), ['1:invlpg']);
    assert.deepEqual(found('#include <asm/invlpg.h>\n# invlpg (%rax)', entry), []);
  });

  it('does not take a variable for an instruction', () => {
    assert.deepEqual(found('\tinvlpg = 1;\n\tint lfence;\n\tx = isb + 1;'), []);
  });

  it('knows arm64', () => {
    const text =
      '\tdsb(ishst);\n\t__tlbi(vae1is, addr);\n\t__tlbi_user(vae1is, addr);\n\tdsb(ish);\n\tisb();';
    assert.deepEqual(found(text, arm), ['1:dsb', '2:__tlbi', '3:__tlbi_user', '4:dsb', '5:isb']);
    assert.deepEqual(found('\ttlbi vmalle1is\n\tdsb ish\n\tisb', { path: 'arch/arm64/kernel/tq.S' }), [
      ...['1:tlbi', '2:dsb', '3:isb'],
    ]);
    assert.deepEqual(found('\tasm volatile("tlbi vae1is, %0" : : "r" (a));', arm), ['1:tlbi']);
    assert.deepEqual(found('\tdsb(ish);'), [], 'not on x86');
  });

  it('starts afresh where unseen lines lie in between', () => {
    const lines = ['\t/* cut off here', '\tflush_tlb_all();'];
    assert.deepEqual(
      recogniseLines(lines, x86, [1])[1]!.map(({ name }) => name),
      ['flush_tlb_all'],
    );
    assert.deepEqual(recogniseLines(lines, x86)[1], []);
  });

  it('says whether lines are about the TLB', () => {
    const relevant = (line: string): boolean =>
      recogniseLines([line], x86)[0]!.some(({ entry }) => entry.tlb);
    assert.ok(relevant('\tflush_tlb_all();'));
    assert.ok(relevant('\tset_pte_at(mm, addr, ptep, pte);'));
    assert.ok(relevant('\tcr3 |= X86_CR3_PCID_NOFLUSH;'));
    assert.ok(!relevant('\tsmp_mb();'));
    assert.ok(!relevant('\t/* flush_tlb_all() */'));
    assert.ok(!relevant('\tcpumask_set_cpu(cpu, mask);'));
  });
});

describe('counting by name', () => {
  it('follows features', () => {
    assert.deepEqual(counts('\t__flush_tlb_one_user(a);').ops, { INVLPG: '1' });
    const user = counts('\t__flush_tlb_one_user(a);', ['PTI', 'PCID', 'INVPCID']);
    assert.deepEqual(user.ops, { INVLPG: '1', INVPCID_ADDR: '1' });
    assert.deepEqual(user.gates, ['XEN_PV', 'PTI', 'INVPCID', 'PCID']);
    assert.equal(user.other, null);
  });

  it('decides a write of CR3 by its text, or gives two answers', () => {
    assert.deepEqual(counts('\twrite_cr3(v);').ops, { CR3_FLUSH: '1' });
    assert.equal(counts('\twrite_cr3(v | X86_CR3_PCID_NOFLUSH);').other, null, 'without PCID it flushes');
    const pcid = counts('\twrite_cr3(v);', ['PCID']);
    assert.deepEqual([pcid.ops, pcid.other], [{ CR3_FLUSH: '1' }, { CR3_NOFLUSH: '1' }]);
    assert.match(pcid.condition, /bit 63/);
    assert.deepEqual(counts('\twrite_cr3(v | X86_CR3_PCID_NOFLUSH);', ['PCID']).ops, { CR3_NOFLUSH: '1' });
    assert.deepEqual(counts('\twrite_cr3(build_cr3(pgd, asid));', ['PCID']).ops, { CR3_FLUSH: '1' });
  });

  it('takes the operation from an argument, or says that it cannot', () => {
    assert.deepEqual(counts('\t__invpcid(p, a, INVPCID_TYPE_INDIV_ADDR);').ops, { INVPCID_ADDR: '1' });
    assert.match(counts('\t__invpcid(p, a, type);').unknown!, /does not stand at the call/);
    assert.deepEqual(counts('\t__tlbi(aside1is, asid);', [], arm).ops, { TLBI_ASID_IS: '1' });
    assert.deepEqual(counts('\t__tlbi_user(aside1is, asid);', [], arm).ops, {});
    assert.deepEqual(counts('\t__tlbi_user(aside1is, asid);', ['KPTI'], arm).ops, { TLBI_ASID_IS: '1' });
    assert.match(counts('\t__tlbi(ipas2e1is, a);', [], arm).unknown!, /does not stand/);
  });

  it('says which function runs elsewhere and how often', () => {
    const all = counts('\ton_each_cpu(tq_do, NULL, 1);');
    assert.deepEqual(
      [all.ops, all.runs],
      [
        { IPI: 'c', IPI_WAIT: '1' },
        { name: 'tq_do', times: 'c+1' },
      ],
    );
    assert.deepEqual(counts('\tsmp_call_function_many(mask, tq_do, NULL, 0);').ops, { IPI: 'c' });
    const open = counts('\tsmp_call_function(tq_do, NULL, wait);');
    assert.deepEqual([open.ops, open.other], [{ IPI: 'c', IPI_WAIT: '1' }, { IPI: 'c' }]);
  });

  it('never counts what is unknown as nothing', () => {
    assert.match(counts('\twbinvd();').unknown!, /no figure is known/);
    assert.match(counts('\tflush_tlb_range(v, a, b);', ['TLBIRANGE'], arm).unknown!, /range TLBI/);
  });
});

describe('the cheap test', () => {
  it('finds whole names only', () => {
    assert.ok(mentionsCatalogue('+\tflush_tlb_all();'));
    assert.ok(mentionsCatalogue('\tmov %rax, %cr3'));
    assert.ok(!mentionsCatalogue('+\ttq_flush_tlb_all2();\n+\tsmp_mb();'));
    assert.ok(mentionsCatalogue('+\tsmp_mb();', 0, 11, true));
    assert.ok(!mentionsCatalogue('invlpg', 1) && !mentionsCatalogue('invlpg', 0, 5));
  });

  it('never misses what the recogniser finds, and nothing makes either of them throw', () => {
    const piece = fc.constantFrom(
      ...[
        'flush_tlb_all',
        '(',
        ')',
        ';',
        '\t',
        ' ',
        '/*',
        '*/',
        '"',
        "'",
        '\\',
        '\\n',
        '\n',
        '#define ',
        'asm',
        'mov ',
      ],
      ...[
        '%cr3',
        ',',
        'invlpg',
        'PVOP_VCALL1',
        'mmu.',
        'static ',
        '.',
        '->',
        'é',
        '{',
        '}',
        '*',
        '0',
        '\u2028',
        '\0',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, assembly) => {
        const text = pieces.join('');
        const lines = text.split('\n');
        const result = recogniseLines(lines, assembly ? entry : x86);
        assert.equal(result.length, lines.length);
        for (const [index, line] of result.entries())
          for (const { name, column } of line) {
            assert.ok(mentionsCatalogue(text, 0, text.length, true));
            if (!name.includes(' ')) assert.ok(lines[index]!.startsWith(name, column));
          }
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('reads hostile lines in linear work', () => {
    // Each of these would take minutes if it were read again from every name on.
    const size = 200_000;
    const hostile = [
      'flush_tlb_all(',
      '"',
      "'\\'",
      'asm("',
      'asm("mov \\n',
      'lfence {',
      'PVOP_X(',
      '/*',
      'mov;',
      '\\',
    ];
    for (const piece of hostile)
      for (const hints of [x86, entry]) recogniseLines([piece.repeat(size / piece.length)], hints);
  }).timeout(10_000);
});
