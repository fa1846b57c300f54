import { strict as assert } from 'node:assert';
import type { Instruction } from '../../../../src/code/ir';
import { lowerC } from '../../../../src/code/lowerC';
import { Interpreter } from './interpreter';
import { defaults, fileUnit, functionNamed, loadParser, lowerText } from './support';

const inFunction = (body: string, before = ''): string =>
  `${before}\nlong tq(struct tq_mm *mm, unsigned long a, int n)\n{\n${body}\n}\n`;
const code = (body: string, before = '', architecture: 'x86' | 'arm64' = 'x86'): readonly Instruction[] => {
  const found = functionNamed(lowerText(inFunction(body, before), { architecture }), 'tq');
  assert.equal(found.unreadable, null);
  return found.code;
};
/** What matters of each instruction, shortly. */
const brief = (list: readonly Instruction[]): string[] =>
  list.flatMap(one => {
    switch (one.op) {
      case 'operation':
      case 'primitive':
        return [`${one.name}/${one.args.length}${one.dst === null ? '' : ' ='}`];
      case 'feature':
        return [`${one.kind} ${one.feature}`];
      case 'address':
        return [`&${one.kind} ${one.name}`];
      case 'call':
        return [`call ${one.callee ?? '*'}`];
      case 'unknown':
        return [`unknown ${one.name}`];
      case 'field':
        return [`.${one.member}`];
      case 'load':
      case 'store':
        return [one.op];
      default:
        return [];
    }
  });

describe('names of the kernel', () => {
  before(loadParser);

  it('feature tests of Linux x86, arm64 and Xen', () => {
    const features = (condition: string, architecture: 'x86' | 'arm64' = 'x86') =>
      brief(code(`\tif (${condition})\n\t\treturn 1;\n\treturn 0;`, '', architecture));
    assert.deepEqual(features('static_cpu_has(X86_FEATURE_PTI)'), ['cpu PTI']);
    assert.deepEqual(features('!boot_cpu_has(X86_FEATURE_PCID)'), ['cpu PCID']);
    assert.deepEqual(features('cpu_feature_enabled(X86_FEATURE_XENPV)'), ['cpu XEN_PV']);
    assert.deepEqual(features('this_cpu_has(X86_FEATURE_INVPCID_SINGLE)'), [
      'this-cpu INVPCID',
      'this-cpu PCID',
    ]);
    assert.deepEqual(features('cpu_has(c, X86_FEATURE_PGE)'), ['cpu PGE']);
    assert.deepEqual(features('cpu_has_pcid && mm->arch.pv.xpti'), ['cpu PCID', 'cpu XPTI']);
    assert.deepEqual(features('static_branch_likely(&tq_key)'), ['key tq_key']);
    assert.deepEqual(features('arm64_kernel_unmapped_at_el0()', 'arm64'), ['cpu KPTI']);
    assert.deepEqual(features('cpus_have_const_cap(ARM64_UNMAP_KERNEL_AT_EL0)', 'arm64'), ['cpu KPTI']);
    assert.deepEqual(features('cpus_have_final_cap(ARM64_HAS_PAN)', 'arm64'), ['cpu ARM64_HAS_PAN']);
  });

  it('the feature name is not expanded, whatever it is defined as', () => {
    const before = '#define X86_FEATURE_PTI ( 7*32+11)\n#define static_cpu_has(bit) __static_cpu_has(bit)';
    assert.deepEqual(brief(code('\treturn static_cpu_has(X86_FEATURE_PTI);', before)), ['cpu PTI']);
  });

  it('IS_ENABLED stays a test with the configured value; a key has its declared default', () => {
    const module = lowerText(
      inFunction(
        '\tif (IS_ENABLED(CONFIG_TQ) && static_branch_unlikely(&tq_on) && static_branch_unlikely(&tq_off))\n\t\treturn 1;\n\treturn 0;',
        'DEFINE_STATIC_KEY_TRUE(tq_on);\nstatic DEFINE_STATIC_KEY_FALSE(tq_off);',
      ),
      { config: new Map([['CONFIG_TQ', false]]) },
    );
    const found = functionNamed(module, 'tq').code.flatMap(one =>
      one.op === 'feature' ? [[one.kind, one.feature, one.default]] : [],
    );
    assert.deepEqual(found, [
      ['config', 'CONFIG_TQ', false],
      ['key', 'tq_on', true],
      ['key', 'tq_off', false],
    ]);
    assert.equal(module.assumedConfig.get('CONFIG_TQ'), false);
  });

  it('per-CPU variables: on this CPU, on another, by pointer', () => {
    const before =
      'DEFINE_PER_CPU_SHARED_ALIGNED(struct tq_state, tq_state);\nDECLARE_PER_CPU(int, tq_count);';
    assert.deepEqual(brief(code('\treturn this_cpu_read(tq_state.asid);', before)), [
      '&per-cpu tq_state',
      '.asid',
      'load',
    ]);
    assert.deepEqual(brief(code('\tthis_cpu_write(tq_state.ctx[n].gen, a);\n\treturn 0;', before)), [
      '&per-cpu tq_state',
      '.ctx',
      '.gen',
      'store',
    ]);
    assert.deepEqual(brief(code('\tper_cpu(tq_count, n)++;\n\treturn 0;', before)), [
      '&global tq_count',
      'per_cpu_ptr/2 =',
      'load',
      'store',
    ]);
    assert.deepEqual(brief(code('\treturn *this_cpu_ptr(&tq_count);', before)), [
      '&per-cpu tq_count',
      'load',
    ]);
    assert.deepEqual(brief(code('\treturn *this_cpu_ptr(mm->counter);', before)), [
      '.counter',
      'load',
      'this_cpu_ptr/1 =',
      'load',
    ]);
    assert.deepEqual(brief(code('\treturn *per_cpu_ptr(&tq_count, n);', before)), [
      '&global tq_count',
      'per_cpu_ptr/2 =',
      'load',
    ]);
    assert.deepEqual(brief(code('\treturn this_cpu_inc_return(tq_count);', before)), [
      '&per-cpu tq_count',
      'this_cpu_inc_return/1 =',
    ]);
    const variables = lowerText(before).variables?.map(one => [one.name, one.perCpu]);
    assert.deepEqual(variables, [
      ['tq_state', true],
      ['tq_count', true],
    ]);
  });

  it('accesses that only order are loads and stores', () => {
    assert.deepEqual(brief(code('\tWRITE_ONCE(mm->x, READ_ONCE(mm->y));\n\treturn 0;')), [
      '.y',
      'load',
      '.x',
      'store',
    ]);
    assert.deepEqual(brief(code('\tsmp_store_release(&mm->x, smp_load_acquire(&mm->y));\n\treturn 0;')), [
      '.y',
      'load',
      '.x',
      'store',
    ]);
  });

  it('indivisible steps are primitives by their names', () => {
    assert.deepEqual(brief(code('\treturn atomic64_inc_return(&mm->gen);')), [
      '.gen',
      'atomic64_inc_return/1 =',
    ]);
    assert.deepEqual(brief(code('\t__set_bit(n, &mm->mask);\n\treturn test_and_clear_bit(n, &mm->mask);')), [
      '.mask',
      '__set_bit/2',
      '.mask',
      'test_and_clear_bit/2 =',
    ]);
    assert.deepEqual(
      brief(
        code(
          '\tunsigned long flags;\n\n\tlocal_irq_save(flags);\n\tsmp_mb();\n\tlocal_irq_restore(flags);\n\treturn smp_processor_id();',
        ),
      ),
      ['local_irq_save/0 =', 'smp_mb/0', 'local_irq_restore/1', 'smp_processor_id/0 ='],
    );
    assert.deepEqual(brief(code('\treturn cmpxchg(&mm->x, a, n);')), ['.x', 'cmpxchg/3 =']);
  });

  it('WARN_ON yields its value; checks of debug kernels are not evaluated', () => {
    const text = inFunction(`
	long r = WARN_ON_ONCE(a > 5);

	VM_WARN_ON(tq_never());
	lockdep_assert_irqs_disabled();
	BUILD_BUG_ON(sizeof(long) != 8);
	trace_tlb_flush(TLB_LOCAL, tq_never());
	count_vm_tlb_event(NR_TLB_LOCAL_FLUSH_ALL);
	if (WARN_ON(n == 3))
		return 100;
	return r;`);
    const module = lowerText(text);
    assert.deepEqual(
      brief(functionNamed(module, 'tq').code).filter(one => !one.startsWith('WARN')),
      [],
    );
    assert.equal(new Interpreter(module).run('tq', 0, 6, 0), 1n);
    assert.equal(new Interpreter(module).run('tq', 0, 5, 3), 100n);
  });

  it('likely and unlikely are hints on the branch', () => {
    const hints = code('\tif (unlikely(a) || likely(!n))\n\t\treturn 1;\n\treturn 0;').flatMap(one =>
      one.op === 'branch' ? [[one.text, one.likely]] : [],
    );
    // `likely(!n)`: the branch is on n, which is then unlikely.
    assert.deepEqual(hints, [
      ['a', false],
      ['n', false],
    ]);
  });

  it('a loop over CPUs is a loop; an unknown loop macro is one by its name', () => {
    const text = inFunction(`
	int cpu;

	for_each_cpu(cpu, mm->mask)
		tq_visit(cpu);
	return cpu;`);
    const machine = new Interpreter(
      lowerText(
        `unsigned int nr_cpu_ids = 8;\nint cpumask_first(const struct cpumask *m);\nint cpumask_next(int n, const struct cpumask *m);\n${text}`,
      ),
    );
    machine.externals.set('cpumask_first', () => 2n);
    machine.externals.set('cpumask_next', ([cpu]) => (cpu === 2n ? 5n : 8n));
    assert.equal(machine.run('tq', 4096), 8n);
    assert.deepEqual(machine.trace, ['tq_visit(2)', 'tq_visit(5)']);
    const list = code('\tfor_each_tq_thing(n, mm) {\n\t\ttq_visit(n);\n\t}\n\treturn 0;');
    assert.deepEqual(brief(list), ['for_each_tq_thing/2 =', 'call tq_visit']);
    assert.deepEqual(
      list.flatMap(one => (one.op === 'branch' ? [one.text] : [])),
      ['for_each_tq_thing(n, mm)'],
    );
  });

  it('inline assembly of x86', () => {
    const asm = (text: string): string[] => brief(code(`\tunsigned long v = a;\n\n\t${text}\n\treturn v;`));
    assert.deepEqual(asm('asm volatile("invlpg (%0)" ::"r" (a) : "memory");'), ['INVLPG/1']);
    assert.deepEqual(asm('asm volatile("invlpg %0" : : "m" (*(char *)a));'), ['INVLPG/1']);
    assert.deepEqual(asm('asm volatile("mov %%cr3,%0\\n\\t" : "=r" (v));'), ['CR3_READ/0 =']);
    assert.deepEqual(asm('asm volatile("mov %0,%%cr3": : "r" (a) : "memory");'), ['CR3_WRITE/1']);
    assert.deepEqual(asm('asm volatile("mov %0,%%cr4": "+r" (v));'), ['CR4_WRITE/1']);
    assert.deepEqual(asm('asm volatile("invpcid %[d], %[t]" :: [d] "m" (*mm), [t] "r" (a) : "memory");'), [
      'INVPCID/2',
    ]);
    assert.deepEqual(
      asm('asm volatile (".byte 0x66, 0x0f, 0x38, 0x82, 0x01" : : "m" (*mm), "a" (a), "c" (&mm->d));'),
      ['.d', 'INVPCID/2'],
    );
    assert.deepEqual(asm('asm volatile(".byte 0x0f, 0x01, 0xfe" : : "a" (a), "c" (n), "d" (0));'), [
      'INVLPGB/3',
    ]);
    assert.deepEqual(asm('asm volatile(".byte 0x0f, 0x01, 0xff" ::: "memory");'), ['TLBSYNC/0']);
    assert.deepEqual(asm('asm volatile(".byte 0x66,0x0f,0x38,0x82,0x08" : : "c" (a), "a" (&mm->d));'), [
      '.d',
      'INVPCID/2',
    ]);
    assert.deepEqual(asm('asm volatile(".byte 0x0f, 0xae, 0xf0; .byte 0x0f, 0x01, 0x38");'), [
      'unknown .byte',
    ]);
    assert.deepEqual(asm('asm volatile(".byte 0x0f, 0xae, 0xf0");'), ['MFENCE/0']);
    assert.deepEqual(
      asm('asm volatile("lfence"); asm volatile("mfence" ::: "memory"); asm volatile("" ::: "memory");'),
      ['LFENCE/0', 'MFENCE/0'],
    );
    assert.deepEqual(asm('asm volatile("lock; addl $0,-4(%%rsp)" ::: "memory", "cc");'), ['ATOMIC/0']);
    assert.deepEqual(asm('asm volatile("mov %%cr3, %0" : "=" "r" (v));'), ['CR3_READ/0 =']);
    assert.deepEqual(asm('asm volatile("mov %%cr3, %0" TQ_MORE : TQ_OUT(v) : : "memory");'), ['unknown asm']);
    assert.deepEqual(asm('asm volatile("tqnop %0" : "=r" (v) : "0" (a));').slice(0, 1), ['unknown tqnop']);
    assert.deepEqual(asm('asm goto("1: jmp %l[out]" : : : : out); out:'), ['unknown asm goto']);
  });

  it('an ALTERNATIVE in a template branches on its feature', () => {
    const list = code(
      '\tasm volatile(ALTERNATIVE("invlpg (%0)", "mfence", X86_FEATURE_TQ) : : "r" (a));\n\treturn 0;',
    );
    assert.deepEqual(brief(list), ['cpu TQ', 'INVLPG/1', 'MFENCE/0']);
  });

  it('a loop in a template is taken in', () => {
    const module = lowerText(
      inFunction(
        '\tasm volatile("1: invlpg (%0)\\n\\tadd $4096, %0\\n\\tcmp %1, %0\\n\\tjb 1b" : "+r" (a) : "r" (a + 12288));\n\treturn a;',
      ),
    );
    const machine = new Interpreter(module);
    assert.equal(machine.run('tq', 0, 8192), 20480n);
    assert.deepEqual(machine.trace, ['INVLPG(8192)', 'INVLPG(12288)', 'INVLPG(16384)']);
  });

  it('arm64: TLBI by its operation, barriers, the user ASID under its gate', () => {
    const arm = (text: string): string[] => brief(code(`\t${text}\n\treturn 0;`, '', 'arm64'));
    assert.deepEqual(arm('dsb(ishst); __tlbi(vae1is, a); dsb(ish); isb();'), [
      'DSB/0',
      'TLBI_VA_IS/1',
      'DSB/0',
      'ISB/0',
    ]);
    assert.deepEqual(arm('__tlbi(vmalle1);'), ['TLBI_ALL/0']);
    assert.deepEqual(arm('__tlbi(aside1is, a); __tlbi(vale1, a); __tlbi_level(vaae1is, a, 3);'), [
      'TLBI_ASID_IS/1',
      'TLBI_VA/1',
      'TLBI_VA_IS/1',
    ]);
    assert.deepEqual(arm('__tlbi_user(vale1is, a);'), ['cpu KPTI', 'TLBI_VA_IS/1']);
    assert.deepEqual(arm('__tlbi(rvae1is, a); __tlbi(rvale1, a);'), ['TLBI_VA_IS/1', 'TLBI_VA/1']);
    assert.deepEqual(arm('__tlbi(ipas2e1is, a);'), ['unknown tlbi ipas2e1is']);
    assert.deepEqual(
      arm(
        'asm volatile("tlbi vmalle1is"); asm volatile("dsb ish" ::: "memory"); asm("tlbi vae1is, %0" :: "r" (a));',
      ),
      ['TLBI_ALL_IS/0', 'DSB/0', 'TLBI_VA_IS/1'],
    );
  });

  it('paravirt calls go through the table, whose initialiser is in the module', () => {
    const module = lowerText(`
struct tq_mmu { void (*flush_one)(unsigned long addr); };
struct tq_patch { struct tq_mmu mmu; };
static void tq_native(unsigned long addr)
{
	asm volatile("invlpg (%0)" ::"r" (addr) : "memory");
}
struct tq_patch pv_ops = { .mmu.flush_one = tq_native, };
void tq(unsigned long addr)
{
	PVOP_VCALL1(mmu.flush_one, addr);
}
`);
    const machine = new Interpreter(module);
    machine.run('tq', 4096);
    assert.deepEqual(machine.trace, ['INVLPG(4096)']);
  });

  it('callbacks are functions even where nothing declares them', () => {
    assert.deepEqual(brief(code('\ton_each_cpu(tq_elsewhere, mm, 1);\n\treturn 0;')), [
      '&function tq_elsewhere',
      'call on_each_cpu',
    ]);
  });

  it('macros at file level that say nothing about code', () => {
    const module = lowerText(`
TRACE_EVENT(tq_event,
	TP_PROTO(int a),
	TP_ARGS(a),
	TP_STRUCT__entry(__field(int, a)),
	TP_fast_assign(__entry->a = a;),
	TP_printk("%d", __entry->a)
);
EXPORT_SYMBOL_GPL(tq);
module_init(tq_init);
__setup("tq=", tq_setup);
SYSCALL_DEFINE2(tq_call, unsigned long, start, size_t, len)
{
	return start + len;
}
DEFINE_IDTENTRY(exc_tq)
{
	tq_handle(regs);
}
__visible noinstr asmlinkage void __sched __attribute__((noinline)) tq_marked(int a) __acquires(lock)
{
}
`);
    assert.deepEqual(
      module.functions.map(one => [
        one.name,
        one.unreadable,
        one.parameters.map(parameter => parameter.name).join(),
      ]),
      [
        ['sys_tq_call', null, 'start,len'],
        ['exc_tq', null, 'regs'],
        ['tq_marked', null, 'a'],
      ],
    );
    assert.deepEqual(module.unread, []);
  });

  it('arm64 paths take the arm64 table of constants and Xen style parses', () => {
    const unit = fileUnit(
      'xen/arch/x86/tq.c',
      `void tq(struct vcpu *v, unsigned long cr3)
{
    unsigned long cr4 = read_cr4();

    ASSERT(!tq_never());
    if ( cr4 & X86_CR4_PGE )
        write_cr4(cr4 & ~X86_CR4_PGE);
    asm volatile ( "mov %0, %%cr3" : : "r" (cr3) : "memory" );
    this_cpu(tq_value) = per_cpu(tq_value, v->processor) + 1;
}
`,
    );
    const { code: list } = functionNamed(lowerC([unit], defaults), 'tq');
    assert.deepEqual(brief(list), [
      'call read_cr4',
      'call write_cr4',
      'CR3_WRITE/1',
      '&global tq_value',
      '.processor',
      'load',
      'per_cpu_ptr/2 =',
      'load',
      '&per-cpu tq_value',
      'store',
    ]);
  });
});
