/**
 * How names of the kernel are lowered that are not ordinary functions: they take lvalues or names, must be one
 * indivisible step, or mean something that is not C. One entry here is one name, or one family by pattern.
 */
import type { CType } from './types';
import { bool, int, long, unsignedInt, unsignedLong, voidType } from './types';

/** What an argument is lowered to. */
export type ArgumentMode =
  /** Its value. */
  | 'value'
  /** The address of the lvalue. */
  | 'lvalue'
  /** The address of a per-CPU lvalue on the executing CPU. */
  | 'per-cpu'
  /** Nothing; it receives the primitive's result. */
  | 'out'
  /** It is not evaluated. */
  | 'skip';

export type Rule =
  /** An indivisible step. `returns` null: the type of what the first argument designates or points to. */
  | {
      readonly rule: 'primitive';
      readonly name: string;
      readonly modes: readonly ArgumentMode[];
      readonly returns: CType | null;
    }
  /** The value of argument 0. `likely`: the hint it gives. */
  | { readonly rule: 'identity'; readonly likely?: boolean }
  /** A load of argument 0: the lvalue itself, what it points to, or a per-CPU lvalue. */
  | { readonly rule: 'load'; readonly from: 'lvalue' | 'pointer' | 'per-cpu' }
  /** A store of argument 1 to argument 0. `then`: a primitive that follows. */
  | { readonly rule: 'store'; readonly to: 'lvalue' | 'pointer' | 'per-cpu'; readonly then?: string }
  /** `this_cpu_ptr(&x)`, `per_cpu_ptr(p, cpu)`: a pointer. */
  | { readonly rule: 'per-cpu-pointer'; readonly cpu: number | null }
  /** `per_cpu(x, cpu)`, `this_cpu(x)`: an lvalue. */
  | { readonly rule: 'per-cpu-lvalue'; readonly cpu: number | null; readonly also?: string }
  /** A test of the CPU feature that argument `argument` names. */
  | { readonly rule: 'feature'; readonly kind: 'cpu' | 'this-cpu'; readonly argument: number }
  /** A test of this feature. */
  | { readonly rule: 'fixed-feature'; readonly feature: string }
  /** `IS_ENABLED(CONFIG_X)`. */
  | { readonly rule: 'config' }
  /** A test of the static key `&argument`. */
  | { readonly rule: 'key'; readonly argument: number }
  /** `smp_cond_load_acquire(p, condition on VAL)`: loads until the condition holds. */
  | { readonly rule: 'wait'; readonly name: string }
  /** A warning: argument 0 is evaluated and, as 0 or 1, the result. */
  | { readonly rule: 'warn'; readonly name: string }
  /** Checks of debug kernels, statistics, tracing: nothing is evaluated; the value is 0. */
  | { readonly rule: 'nothing' }
  /** `min`, `max`: each argument is evaluated once. */
  | { readonly rule: 'choose'; readonly larger: boolean }
  | { readonly rule: 'swap' }
  /** arm64's `__tlbi(op, arg)`; `user`: for the user ASID, where the kernel is unmapped at EL0. */
  | { readonly rule: 'tlbi'; readonly user: boolean }
  | { readonly rule: 'operation'; readonly name: string; readonly arguments: number }
  /** `PVOP_VCALLn(table.member, args…)`: a call through `pv_ops` with `count` arguments. */
  | { readonly rule: 'paravirt'; readonly count: number };

const primitive = (
  name: string,
  modes: readonly ArgumentMode[] = [],
  returns: CType | null = voidType,
): Rule => ({
  rule: 'primitive',
  name,
  modes,
  returns,
});

const all = (names: readonly string[], rule: (name: string) => Rule): (readonly [string, Rule])[] =>
  names.map(name => [name, rule(name)]);

const named: readonly (readonly [string, Rule])[] = [
  ['likely', { rule: 'identity', likely: true }],
  ['unlikely', { rule: 'identity', likely: false }],
  ...all(
    [
      '__builtin_expect',
      'data_race',
      'static_call',
      'static_call_cond',
      'rcu_dereference',
      'rcu_dereference_raw',
    ],
    () => ({
      rule: 'identity',
    }),
  ),
  ...all(
    [
      'rcu_dereference_check',
      'rcu_dereference_protected',
      'rcu_access_pointer',
      'array_index_nospec',
      '__force_cast',
    ],
    () => ({ rule: 'identity' }),
  ),
  ...all(['READ_ONCE', 'ACCESS_ONCE', '__READ_ONCE', 'READ_ONCE_NOCHECK'], () => ({
    rule: 'load',
    from: 'lvalue',
  })),
  ['smp_load_acquire', { rule: 'load', from: 'pointer' }],
  ...all(['WRITE_ONCE', '__WRITE_ONCE', 'rcu_assign_pointer', 'RCU_INIT_POINTER'], () => ({
    rule: 'store',
    to: 'lvalue',
  })),
  ['smp_store_release', { rule: 'store', to: 'pointer' }],
  ['smp_store_mb', { rule: 'store', to: 'lvalue', then: 'smp_mb' }],
  ['set_mb', { rule: 'store', to: 'lvalue', then: 'smp_mb' }],
  ...all(['this_cpu_read', '__this_cpu_read', 'raw_cpu_read', 'this_cpu_read_stable', 'percpu_read'], () => ({
    rule: 'load',
    from: 'per-cpu',
  })),
  ...all(['this_cpu_write', '__this_cpu_write', 'raw_cpu_write', 'percpu_write'], () => ({
    rule: 'store',
    to: 'per-cpu',
  })),
  ...all(['this_cpu_ptr', 'raw_cpu_ptr', '__this_cpu_ptr', 'get_cpu_ptr'], () => ({
    rule: 'per-cpu-pointer',
    cpu: null,
  })),
  ['per_cpu_ptr', { rule: 'per-cpu-pointer', cpu: 1 }],
  ['per_cpu', { rule: 'per-cpu-lvalue', cpu: 1 }],
  ...all(['this_cpu', '__get_cpu_var', '__raw_get_cpu_var'], () => ({ rule: 'per-cpu-lvalue', cpu: null })),
  ['get_cpu_var', { rule: 'per-cpu-lvalue', cpu: null, also: 'preempt_disable' }],
  ['put_cpu_var', primitive('preempt_enable', ['skip'])],
  ['put_cpu_ptr', primitive('preempt_enable', ['skip'])],
  ...all(
    ['static_cpu_has', 'boot_cpu_has', 'cpu_feature_enabled', 'static_cpu_has_bug', 'boot_cpu_has_bug'],
    () => ({ rule: 'feature', kind: 'cpu', argument: 0 }),
  ),
  ...all(
    ['static_cpu_has_safe', '_static_cpu_has', 'cpus_have_const_cap', 'cpus_have_final_cap', 'cpus_have_cap'],
    () => ({ rule: 'feature', kind: 'cpu', argument: 0 }),
  ),
  ...all(
    ['alternative_has_feature_likely', 'alternative_has_feature_unlikely', 'alternative_has_cap_likely'],
    () => ({ rule: 'feature', kind: 'cpu', argument: 0 }),
  ),
  ...all(['alternative_has_cap_unlikely', 'cpus_have_final_boot_cap'], () => ({
    rule: 'feature',
    kind: 'cpu',
    argument: 0,
  })),
  ['cpu_has', { rule: 'feature', kind: 'cpu', argument: 1 }],
  ['this_cpu_has', { rule: 'feature', kind: 'this-cpu', argument: 0 }],
  ['this_cpu_has_cap', { rule: 'feature', kind: 'this-cpu', argument: 0 }],
  ['arm64_kernel_unmapped_at_el0', { rule: 'fixed-feature', feature: 'KPTI' }],
  ['system_supports_tlb_range', { rule: 'fixed-feature', feature: 'TLBIRANGE' }],
  ['system_supports_cnp', { rule: 'fixed-feature', feature: 'CNP' }],
  ['xen_pv_domain', { rule: 'fixed-feature', feature: 'XEN_PV' }],
  ...all(['IS_ENABLED', 'IS_BUILTIN', 'IS_REACHABLE'], () => ({ rule: 'config' })),
  ...all(
    [
      'static_branch_likely',
      'static_branch_unlikely',
      'static_key_false',
      'static_key_true',
      'static_key_enabled',
    ],
    () => ({ rule: 'key', argument: 0 }),
  ),
  ['static_branch_maybe', { rule: 'key', argument: 1 }],
  ...all(
    ['WARN_ON', 'WARN_ON_ONCE', 'WARN', 'WARN_ONCE', 'WARN_TAINT', 'WARN_TAINT_ONCE', 'WARN_RATELIMIT'],
    () => ({ rule: 'warn', name: 'WARN' }),
  ),
  ['BUG_ON', { rule: 'warn', name: 'BUG' }],
  ['BUG', primitive('BUG')],
  ['min', { rule: 'choose', larger: false }],
  ['max', { rule: 'choose', larger: true }],
  ['swap', { rule: 'swap' }],
  ['__tlbi', { rule: 'tlbi', user: false }],
  ['__tlbi_user', { rule: 'tlbi', user: true }],
  ['__tlbi_level', { rule: 'tlbi', user: false }],
  ['__tlbi_user_level', { rule: 'tlbi', user: true }],
  ['dsb', { rule: 'operation', name: 'DSB', arguments: 0 }],
  ['isb', { rule: 'operation', name: 'ISB', arguments: 0 }],
  ['dmb', primitive('dmb', ['skip'])],
  ['get_cpu', primitive('get_cpu', [], int)],
  ['put_cpu', primitive('put_cpu')],
  ...all(['smp_processor_id', 'raw_smp_processor_id', '__smp_processor_id'], () =>
    primitive('smp_processor_id', [], unsignedInt),
  ),
  ['guard_acquire', primitive('guard', ['value'])],
  ['get_current', primitive('current', [], unsignedLong)],
  ...all(['local_irq_save', 'raw_local_irq_save', 'local_save_flags', 'raw_local_save_flags'], name =>
    primitive(name.replace('raw_', ''), ['out'], unsignedLong),
  ),
  ...all(['local_irq_restore', 'raw_local_irq_restore'], () => primitive('local_irq_restore', ['value'])),
  ...all(['local_irq_disable', 'local_irq_enable', 'raw_local_irq_disable', 'raw_local_irq_enable'], name =>
    primitive(name.replace('raw_', '')),
  ),
  ...all(
    [
      'irqs_disabled',
      'irqs_disabled_flags',
      'in_interrupt',
      'in_nmi',
      'in_irq',
      'in_atomic',
      'preemptible',
      'in_task',
    ],
    name => primitive(name, ['value'], bool),
  ),
  ['local_irq_is_enabled', primitive('local_irq_is_enabled', [], bool)],
  ...all(
    [
      '__pa',
      '__pa_nodebug',
      '__pa_symbol',
      '__phys_addr',
      '__sme_pa',
      '__sme_pa_nodebug',
      '__va',
      '__sme_set',
    ],
    name => primitive(name, ['value'], unsignedLong),
  ),
  ...all(['time_after', 'time_before', 'time_after_eq', 'time_before_eq'], name =>
    primitive(name, ['value', 'value'], bool),
  ),
];

const table: ReadonlyMap<string, Rule> = new Map(named);

interface Family {
  readonly pattern: RegExp;
  rule(name: string): Rule;
}

const values: readonly ArgumentMode[] = ['value', 'value', 'value', 'value', 'value', 'value'];
const perCpuValues: readonly ArgumentMode[] = ['per-cpu', 'value', 'value', 'value'];

/** Tried in order, after the table. */
const families: readonly Family[] = [
  {
    pattern: /^(?:__|raw_)?this_cpu_(?:add|sub|inc|dec|and|or|xor)$|^raw_cpu_(?:add|sub|inc|dec|and|or)$/,
    rule: name => primitive(name, perCpuValues),
  },
  {
    pattern:
      /^(?:__)?(?:this|raw)_cpu_(?:add_return|sub_return|inc_return|dec_return|xchg|cmpxchg|try_cmpxchg)$/,
    rule: name => primitive(name, perCpuValues, name.endsWith('try_cmpxchg') ? bool : null),
  },
  {
    pattern:
      /^(?:raw_|arch_)?atomic(?:64|_long)?_(?:fetch_)?(?:read|set|init|add|sub|inc|dec|and|or|xor|andnot|xchg|cmpxchg|try_cmpxchg|cond_read)(?:_return|_and_test|_negative|_unless|_not_zero|_if_positive|_unless_negative|_unless_positive|_and_lock|_mask)?(?:_relaxed|_acquire|_release)?$/,
    rule: name => primitive(name.replace(/^(?:raw_|arch_)/, ''), values, atomicResult(name)),
  },
  {
    pattern: /^srcu_read_(?:un)?lock$/,
    rule: name => primitive(name, values, name.includes('un') ? voidType : int),
  },
  {
    pattern: /^refcount_[a-z_]+$/,
    rule: name => primitive(name, values, /test|not_one|not_zero|read|unless/.test(name) ? int : voidType),
  },
  {
    pattern:
      /^(?:__|arch_|arch___)?test_and_(?:set|clear|change)_bit(?:_lock)?$|^(?:arch_)?test_bit(?:_acquire)?$/,
    rule: name => primitive(name, values, bool),
  },
  {
    pattern: /^(?:__|arch_|arch___)?(?:set|clear|change|assign)_bit(?:_unlock)?$|^clear_bit_unlock$/,
    rule: name => primitive(name, values),
  },
  {
    pattern: /^_?find_(?:first|next|last)_(?:zero_)?(?:and_|andnot_)?bit$/,
    rule: name => primitive(name.replace(/^_/, ''), values, unsignedLong),
  },
  { pattern: /^bitmap_(?:zero|fill|copy|or|and|set|clear)$/, rule: name => primitive(name, values) },
  {
    pattern: /^(?:arch_|sync_|raw_)?(?:xchg|cmpxchg|cmpxchg64)(?:_relaxed|_acquire|_release|_local)?$/,
    rule: name => primitive(name.replace(/^(?:arch_|raw_)/, ''), values, null),
  },
  {
    pattern: /^(?:arch_|sync_|raw_)?try_cmpxchg(?:64)?(?:_relaxed|_acquire|_release|_local)?$/,
    rule: name => primitive(name.replace(/^(?:arch_|raw_)/, ''), values, bool),
  },
  {
    pattern:
      /^(?:smp_|dma_|virt_)?(?:mb|rmb|wmb)$|^smp_mb__(?:before|after)_\w+$|^barrier(?:_nospec)?$|^smp_acquire__after_ctrl_dep$/,
    rule: name => primitive(name),
  },
  {
    pattern: /^(?:raw_)?(?:spin|read|write)_(?:lock|unlock|trylock)(?:_bh|_irq|_recursive)?$/,
    rule: name => primitive(name, values, name.includes('trylock') ? bool : voidType),
  },
  {
    pattern: /^(?:raw_)?(?:spin|read|write)_lock_irqsave$/,
    rule: name => primitive(name, ['value', 'out'], unsignedLong),
  },
  { pattern: /^(?:raw_)?(?:spin|read|write)_unlock_irqrestore$/, rule: name => primitive(name, values) },
  {
    pattern:
      /^(?:mutex|rcu_read|percpu_read|pagefault|preempt|migrate)_(?:lock|unlock|enable|disable)(?:_sched|_bh|_notrace|_no_resched)?$/,
    rule: name => primitive(name, values),
  },
  { pattern: /^(?:preempt|sched_preempt)_enable_no_resched(?:_notrace)?$/, rule: name => primitive(name) },
  {
    pattern: /^(?:cpu_relax|cpu_relax_yield|barrier_data|prefetchw?)$/,
    rule: name => primitive(name, values),
  },
  { pattern: /^smp_cond_load_(?:acquire|relaxed)$/, rule: name => ({ rule: 'wait', name }) },
  {
    pattern:
      /^(?:lockdep_\w+|trace_\w+|might_\w+|VM_WARN\w*|VM_BUG\w*|DEBUG_LOCKS_\w+|ASSERT|ASSERT_UNREACHABLE|count_vm_\w+|__count_vm_\w+|inc_irq_stat|perfc_\w+|printk\w*|pr_(?:debug|info|notice|warn|warning|err|alert|emerg|crit|cont)\w*|dev_(?:dbg|info|warn|err)|netdev_\w+|gprintk|gdprintk|dprintk|debugtrace_printk|TRACE_\w+|kmsan_\w+|kasan_\w+|instrument_\w+|mmiowb|__diag_\w+|unreachable|__builtin_unreachable|prevent_tail_call_optimization)$/,
    rule: () => ({ rule: 'nothing' }),
  },
  { pattern: /^PVOP_V(?:CALL|CALLEE)\d$/, rule: name => ({ rule: 'paravirt', count: Number(name.at(-1)) }) },
];

function atomicResult(name: string): CType {
  const type = name.includes('64') || name.includes('_long') ? long : int;
  if (/_and_test$|try_cmpxchg|_unless|_not_zero|_negative$|_if_/.test(name)) return bool;
  const silent =
    /_(?:set|set_release|init|add|sub|inc|dec|and|or|xor|andnot)$/.test(name) && !name.includes('fetch');
  return silent ? voidType : type;
}

const remembered = new Map<string, Rule | null>();
const rememberAtMost = 20_000;

/** The rule for a called name, or null for an ordinary function. */
export function ruleFor(name: string): Rule | null {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const found = table.get(name) ?? families.find(one => one.pattern.test(name))?.rule(name) ?? null;
  if (remembered.size >= rememberAtMost) remembered.clear();
  remembered.set(name, found);
  return found;
}

/** Rules whose arguments are names, not values: macros in them are not expanded. */
export function takesNames(name: string): boolean {
  const rule = ruleFor(name)?.rule;
  return (
    rule === 'feature' || rule === 'config' || rule === 'tlbi' || rule === 'paravirt' || rule === 'operation'
  );
}

/** Arguments that are functions, of callers that the text at hand may not declare. */
export const callbackArguments: ReadonlyMap<string, readonly number[]> = new Map([
  ['on_each_cpu', [0]],
  ['on_each_cpu_mask', [1]],
  ['on_each_cpu_cond', [0, 1]],
  ['on_each_cpu_cond_mask', [0, 1]],
  ['smp_call_function', [0]],
  ['smp_call_function_many', [1]],
  ['smp_call_function_many_cond', [1, 4]],
  ['smp_call_function_single', [1]],
  ['smp_call_function_any', [1]],
  ['smp_call_on_cpu', [1]],
  ['on_selected_cpus', [1]],
  ['call_rcu', [1]],
  ['stop_machine', [0]],
  ['stop_machine_cpuslocked', [0]],
  ['stop_machine_run', [0]],
  ['xen_mc_callback', [0]],
  ['apply_to_page_range', [3]],
  ['walk_page_range', [3]],
  ['INIT_WORK', [1]],
]);
