/**
 * Macros of the kernel (and of Xen) that act as syntax, as data: what is dropped, what declares something, what is a
 * loop, and what is left as a call for the lowering. Definitions are our own; they keep the meaning, not the text.
 */

/** Annotations that mean nothing here, without arguments. */
export const annotations: ReadonlySet<string> = new Set([
  ...['__user', '__kernel', '__iomem', '__percpu', '__rcu', '__force', '__nocast', '__safe', '__bitwise'],
  ...['__init', '__exit', '__initdata', '__initconst', '__meminit', '__cpuinit', '__ref', '__refdata'],
  ...['__always_inline', '__inline_memcpy', 'noinline', '__noinline', 'noinline_for_stack', 'always_inline'],
  ...['__attribute_const__', '__attribute_used__', '__pure', '__cold', '__hot', '__noreturn', 'noreturn'],
  ...['__read_mostly', '__ro_after_init', '__cacheline_aligned', '__cacheline_aligned_in_smp', '__packed'],
  ...['____cacheline_aligned', '____cacheline_aligned_in_smp', '____cacheline_internodealigned_in_smp'],
  ...['__randomize_layout', '__no_randomize_layout', '__designated_init', '__page_aligned_bss', '__weak'],
  ...[
    '__page_aligned_data',
    '__maybe_unused',
    '__used',
    '__unused',
    '__visible',
    '__must_check',
    'asmlinkage',
  ],
  ...['__always_unused', 'notrace', 'nokprobe_inline', '__kprobes', '__sched', '__lockfunc', 'fastcall'],
  ...['__no_sanitize_address', '__no_kasan_or_inline', '__no_kcsan', '__no_sanitize_or_inline', '__cpuidle'],
  ...[
    'noinstr',
    '__noendbr',
    '__nocfi',
    '__latent_entropy',
    '__private',
    '__malloc',
    '__deprecated',
    '__net_init',
  ],
  ...[
    '__flatten',
    '__no_profile',
    '__nostackprotector',
    '__fortify_inline',
    '__syscall_clobber',
    '__extension__',
  ],
  ...[
    '__restrict',
    '__restrict__',
    'dotraplinkage',
    '__irq_entry',
    '__softirq_entry',
    '__entry_text',
    '__head',
  ],
  ...[
    'cf_check',
    '__mayuse',
    '__hwdom_init',
    '__initconst_cf_clobber',
    '__section_init',
    '__initdata_cf_clobber',
  ],
  ...[
    '__noclone',
    '__assume',
    '__bootdata',
    '__ptr_mangle',
    '__gnu_inline',
    '__naked',
    '__signed',
    '__transparent',
  ],
  ...[
    '__no_stack_protector',
    '__uninitialized',
    '__ro_after_init_cf_clobber',
    '__trace_hardirqs',
    'STATIC_NOPV',
    '__vvar_page',
  ],
]);

/** Families of them: sections, sanitisers, inlining. */
export const annotationFamily = /^__(?:init|exit|meminit|no_sanitize|no_kasan|no_kcsan|always|ref)[a-z_]*$/;

/** Annotations with arguments in parentheses. */
export const annotationCalls: ReadonlySet<string> = new Set([
  ...[
    '__attribute__',
    '__attribute',
    '__aligned',
    '__section',
    '__alias',
    '__printf',
    '__scanf',
    '__nonnull',
  ],
  ...[
    '__must_hold',
    '__acquires',
    '__free',
    '__releases',
    '__cond_lock',
    '__guarded_by',
    '__alloc_size',
    '__counted_by',
  ],
  ...[
    '__assume_aligned',
    '__declspec',
    '__realloc_size',
    '__no_sanitize',
    '_Alignas',
    '__copy',
    '__vmalloc_attr',
  ],
  ...[
    '__acquire',
    '__release',
    '__diag',
    '__error',
    '__compiletime_error',
    '__compiletime_warning',
    '__cleanup',
  ],
]);

/** Spellings of one keyword, and integer types that the grammar knows under another name. */
export const spellings: ReadonlyMap<string, string> = new Map([
  ['__inline', 'inline'],
  ['__inline__', 'inline'],
  ['__asm__', 'asm'],
  ['__asm', 'asm'],
  ['asm_inline', 'asm'],
  ['__volatile__', 'volatile'],
  ['__volatile', 'volatile'],
  ['__const', 'const'],
  ['__const__', 'const'],
  ['__typeof__', 'typeof'],
  ['__typeof', 'typeof'],
  ['typeof_unqual', 'typeof'],
  ['__signed__', 'signed'],
  ['__builtin_offsetof', 'offsetof'],
  ['_Bool', 'bool'],
  ['bool_t', 'bool'],
  ['u8', 'uint8_t'],
  ['u16', 'uint16_t'],
  ['u32', 'uint32_t'],
  ['u64', 'uint64_t'],
  ['s8', 'int8_t'],
  ['s16', 'int16_t'],
  ['s32', 'int32_t'],
  ['s64', 'int64_t'],
  ['__u8', 'uint8_t'],
  ['__u16', 'uint16_t'],
  ['__u32', 'uint32_t'],
  ['__u64', 'uint64_t'],
  ['__s8', 'int8_t'],
  ['__s16', 'int16_t'],
  ['__s32', 'int32_t'],
  ['__s64', 'int64_t'],
]);

/** Words of the language: a profiling kernel defines some as macros, which must not be expanded. */
export const keywords: ReadonlySet<string> = new Set([
  ...['if', 'else', 'for', 'while', 'do', 'switch', 'case', 'default', 'return', 'goto', 'break', 'continue'],
  ...[
    'int',
    'long',
    'short',
    'char',
    'unsigned',
    'void',
    'struct',
    'union',
    'enum',
    'static',
    'extern',
    'const',
  ],
  ...[
    'sizeof',
    'typeof',
    'asm',
    'volatile',
    'typedef',
    'bool',
    'true',
    'false',
    'inline',
    'register',
    'auto',
  ],
]);

/** Templates of assembly that choose by a CPU feature; the feature's name must stay. */
export const templateMacros: ReadonlySet<string> = new Set([
  ...['ALTERNATIVE', 'ALTERNATIVE_2', 'ALTERNATIVE_3', 'ALTERNATIVE_TERNARY'],
]);

/** Names that are no calls and whose definition is not looked into. */
export const opaqueNames: ReadonlySet<string> = new Set(['current', ...templateMacros]);

/** Macros that declare a per-CPU variable: arguments are a type and a name. */
export const perCpuDeclaration = /^(?:DEFINE|DECLARE)_(?:EARLY_|INIT_)?PER_CPU(?:_[A-Z0-9_]*)?$/;

/** Static keys whose value at boot the declaration says. */
export const keyDefault: ReadonlyMap<string, boolean> = new Map([
  ['struct static_key_true', true],
  ['struct static_key_false', false],
]);

/** Macros at file level that say nothing about what code does; a body in braces goes with them. */
export const fileLevelNoise =
  /^(?:EXPORT_[A-Z_]*SYMBOL\w*|EXPORT_[A-Z_]+|MODULE_\w+|TRACE_EVENT\w*|DECLARE_EVENT_CLASS|DEFINE_EVENT\w*|TRACE_DEFINE_ENUM|NOKPROBE_SYMBOL|ALLOW_ERROR_INJECTION|BUILD_BUG_ON\w*|static_assert|_Static_assert|module_(?:init|exit|param\w*)|core_param\w*|(?:early|pure|core|subsys|arch|fs|device|late|rootfs|postcore|pre_smp)_?initcall(?:_sync)?|__initcall|presmp_initcall|early_param|__setup|(?:boolean|integer|string|size|custom)_(?:runtime_)?param|DEFINE_STATIC_CALL\w*|DECLARE_STATIC_CALL\w*|STACK_FRAME_NON_STANDARD\w*|PV_CALLEE_SAVE_REGS_THUNK|ACPI_\w+|asm|__asm__|SPDX|OFFSET|BLANK|COMMENT|DEFINE)$/;

/** Macros that head a function: `SYSCALL_DEFINE3(name, type, arg, …)`, `DEFINE_IDTENTRY(name)`. */
export const functionHeadMacro =
  /^(?:(?:COMPAT_)?SYSCALL_DEFINE(\d)|DEFINE_(?:RAW_|FREDENTRY_|)?IDTENTRY\w*|DEFINE_(?:KERNEL|INTERRUPT)\w*_HANDLER\w*|DO_ERROR)$/;

/** Names that look like a loop over something. */
export const loopName = /(?:^|_)for_?each(?:_|$)/;

/** Our own definitions of macros that act as statements or whose usual definition needs compiler extensions. */
export const prelude: readonly string[] = [
  // Loops over CPUs: the condition is written last so that pricing and simulation see an ordinary loop.
  'for_each_cpu(cpu, mask) for ((cpu) = cpumask_first(mask); (cpu) < nr_cpu_ids; (cpu) = cpumask_next((cpu), (mask)))',
  'for_each_cpu_and(cpu, a, b) for ((cpu) = cpumask_first_and((a), (b)); (cpu) < nr_cpu_ids; (cpu) = cpumask_next_and((cpu), (a), (b)))',
  'for_each_cpu_andnot(cpu, a, b) for ((cpu) = cpumask_first_andnot((a), (b)); (cpu) < nr_cpu_ids; (cpu) = cpumask_next_andnot((cpu), (a), (b)))',
  'for_each_cpu_wrap(cpu, mask, start) for ((cpu) = cpumask_first(mask); (cpu) < nr_cpu_ids; (cpu) = cpumask_next((cpu), (mask)))',
  'for_each_cpu_mask(cpu, mask) for_each_cpu(cpu, &(mask))',
  'for_each_online_cpu(cpu) for_each_cpu(cpu, cpu_online_mask)',
  'for_each_possible_cpu(cpu) for_each_cpu(cpu, cpu_possible_mask)',
  'for_each_present_cpu(cpu) for_each_cpu(cpu, cpu_present_mask)',
  'for_each_set_bit(bit, addr, size) for ((bit) = find_first_bit((addr), (size)); (bit) < (size); (bit) = find_next_bit((addr), (size), (bit) + 1))',
  'for_each_clear_bit(bit, addr, size) for ((bit) = find_first_zero_bit((addr), (size)); (bit) < (size); (bit) = find_next_zero_bit((addr), (size), (bit) + 1))',
  // Lists.
  'list_entry(ptr, type, member) container_of(ptr, type, member)',
  'list_for_each(pos, head) for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)',
  'list_for_each_prev(pos, head) for ((pos) = (head)->prev; (pos) != (head); (pos) = (pos)->prev)',
  'list_for_each_safe(pos, n, head) for ((pos) = (head)->next, (n) = (pos)->next; (pos) != (head); (pos) = (n), (n) = (pos)->next)',
  'list_for_each_entry(pos, head, member) for ((pos) = container_of((head)->next, typeof(*(pos)), member); &(pos)->member != (head); (pos) = container_of((pos)->member.next, typeof(*(pos)), member))',
  'list_for_each_entry_rcu(pos, head, member, more...) list_for_each_entry(pos, head, member)',
  'list_for_each_entry_reverse(pos, head, member) for ((pos) = container_of((head)->prev, typeof(*(pos)), member); &(pos)->member != (head); (pos) = container_of((pos)->member.prev, typeof(*(pos)), member))',
  'list_for_each_entry_safe(pos, n, head, member) for ((pos) = container_of((head)->next, typeof(*(pos)), member), (n) = container_of((pos)->member.next, typeof(*(pos)), member); &(pos)->member != (head); (pos) = (n), (n) = container_of((n)->member.next, typeof(*(n)), member))',
  'llist_for_each(pos, node) for ((pos) = (node); (pos); (pos) = (pos)->next)',
  'llist_for_each_safe(pos, n, node) for ((pos) = (node); (pos) && ((n) = (pos)->next, 1); (pos) = (n))',
  'llist_for_each_entry(pos, node, member) for ((pos) = container_of((node), typeof(*(pos)), member); &(pos)->member != 0; (pos) = container_of((pos)->member.next, typeof(*(pos)), member))',
  'llist_for_each_entry_safe(pos, n, node, member) for ((pos) = container_of((node), typeof(*(pos)), member); &(pos)->member != 0 && ((n) = container_of((pos)->member.next, typeof(*(n)), member), 1); (pos) = (n))',
  'container_of(ptr, type, member) ((type *)((unsigned long)(ptr) - offsetof(type, member)))',
  'container_of_const(ptr, type, member) container_of(ptr, type, member)',
  'rb_entry(ptr, type, member) container_of(ptr, type, member)',
  'hlist_entry(ptr, type, member) container_of(ptr, type, member)',
  'llist_entry(ptr, type, member) container_of(ptr, type, member)',
  'list_first_entry(head, type, member) container_of((head)->next, type, member)',
  'list_last_entry(head, type, member) container_of((head)->prev, type, member)',
  'list_next_entry(pos, member) container_of((pos)->member.next, typeof(*(pos)), member)',
  'list_prev_entry(pos, member) container_of((pos)->member.prev, typeof(*(pos)), member)',
  'list_first_entry_or_null(head, type, member) ((head)->next != (head) ? container_of((head)->next, type, member) : (type *)0)',
  // Declarations.
  'DECLARE_BITMAP(name, bits) unsigned long name[((bits) + 63) / 64]',
  'DECLARE_STATIC_KEY_TRUE(name) extern struct static_key_true name',
  'DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name',
  ...['', '_RO'].flatMap(suffix => [
    `DEFINE_STATIC_KEY_TRUE${suffix}(name) struct static_key_true name`,
    `DEFINE_STATIC_KEY_FALSE${suffix}(name) struct static_key_false name`,
  ]),
  'DEFINE_MUTEX(name) struct mutex name',
  'DEFINE_SPINLOCK(name) spinlock_t name',
  'DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name',
  'DEFINE_RWLOCK(name) rwlock_t name',
  'DECLARE_RWSEM(name) struct rw_semaphore name',
  'DEFINE_SEMAPHORE(name, count...) struct semaphore name',
  'DEFINE_WAIT(name) struct wait_queue_entry name',
  'DECLARE_WAIT_QUEUE_HEAD(name) struct wait_queue_head name',
  'DECLARE_COMPLETION_ONSTACK(name) struct completion name',
  'DEFINE_RATELIMIT_STATE(name, more...) struct ratelimit_state name',
  'LIST_HEAD(name) struct list_head name = { &(name), &(name) }',
  'LLIST_HEAD(name) struct llist_head name = { NULL }',
  'HLIST_HEAD(name) struct hlist_head name = { NULL }',
  // Scoped locks.
  'scoped_guard(more...) if (1)',
  'scoped_cond_guard(more...) if (1)',
  'guard(class) guard_acquire',
  // Constants and small helpers.
  '_AC(value, suffix) value##suffix',
  '_AT(type, value) ((type)(value))',
  '_UL(value) (_AC(value, UL))',
  '_ULL(value) (_AC(value, ULL))',
  'UL(value) (_AC(value, UL))',
  'ULL(value) (_AC(value, ULL))',
  'BIT(nr) (1UL << (nr))',
  '_BITUL(nr) (1UL << (nr))',
  '_BITULL(nr) (1ULL << (nr))',
  'BIT_ULL(nr) (1ULL << (nr))',
  'GENMASK(high, low) (((~0UL) << (low)) & (~0UL >> (63 - (high))))',
  'GENMASK_ULL(high, low) (((~0ULL) << (low)) & (~0ULL >> (63 - (high))))',
  'ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))',
  'DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))',
  '__stringify(text...) #text',
  // An operand that only keeps the compiler from moving reads of control registers.
  '__FORCE_ORDER "m" (*(unsigned int *)4096)',
  'fallthrough do { } while (0)',
  'min_t(type, a, b) min((type)(a), (type)(b))',
  'max_t(type, a, b) max((type)(a), (type)(b))',
  'min3(a, b, c) min(a, min(b, c))',
  'max3(a, b, c) max(a, max(b, c))',
  'clamp(value, low, high) min(max(value, low), high)',
  'clamp_t(type, value, low, high) min((type)max((type)(value), (type)(low)), (type)(high))',
  'min_not_zero(a, b) ((a) == 0 ? (b) : (b) == 0 ? (a) : min(a, b))',
  // Calls through pv_ops; the native alternative that some name is what the table holds on bare metal.
  ...[0, 1, 2, 3, 4].flatMap(count => {
    const list = ['a', 'b', 'c', 'd']
      .slice(0, count)
      .map(name => `, ${name}`)
      .join('');
    return [
      `PVOP_CALL${count}(type, op${list}) ((type)PVOP_VCALL${count}(op${list}))`,
      `PVOP_CALLEE${count}(type, op${list}) ((type)PVOP_VCALL${count}(op${list}))`,
      `PVOP_ALT_CALL${count}(type, op${list}, alt, when) ((type)PVOP_VCALL${count}(op${list}))`,
      `PVOP_ALT_CALLEE${count}(type, op${list}, alt, when) ((type)PVOP_VCALL${count}(op${list}))`,
      `PVOP_ALT_VCALL${count}(op${list}, alt, when) PVOP_VCALL${count}(op${list})`,
      `PVOP_ALT_VCALLEE${count}(op${list}, alt, when) PVOP_VCALL${count}(op${list})`,
    ];
  }),
  'alternative(old, new, feature) asm volatile(ALTERNATIVE(old, new, feature) : : : "memory")',
  'alternative_input(old, new, feature, input...) asm volatile(ALTERNATIVE(old, new, feature) : : "i" (0), ##input)',
  'alternative_io(old, new, feature, output, input...) asm volatile(ALTERNATIVE(old, new, feature) : output : "i" (0), ##input)',
  'asm_volatile_goto(text...) asm goto(text)',
  'wait_event(queue, condition) do { } while (!(condition))',
];

/** The prelude for the kernel's own annotations on labels and statements; empty here means the name is dropped. */
export const droppedStatements: ReadonlySet<string> = new Set([
  ...[
    'BUILD_BUG_ON',
    'BUILD_BUG_ON_MSG',
    'BUILD_BUG',
    'static_assert',
    '_Static_assert',
    'compiletime_assert',
  ],
  ...['instrumentation_begin', 'instrumentation_end', 'kcsan_nestable_atomic_begin', 'kasan_check_write'],
  ...[
    'ASSERT_EXCLUSIVE_WRITER',
    'ASSERT_EXCLUSIVE_ACCESS',
    'OPTIMIZER_HIDE_VAR',
    'typecheck',
    'typecheck_fn',
  ],
]);
