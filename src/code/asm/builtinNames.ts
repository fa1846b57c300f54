/** Macros whose meaning the reader knows, so that it neither needs nor follows their definitions. */

/** Begin a routine: `SYM_CODE_START(name)`, `ENTRY(name)`, `FUNC(name)`. */
const starts = /^(?:SYM_(?:CODE|FUNC|TYPED_FUNC)_START\w*|SYM_START|ENTRY|WEAK|FUNC|FUNC_LOCAL)$/;
/** End it. */
const ends = /^(?:SYM_(?:CODE|FUNC)_END\w*|SYM_END|END|ENDPROC)$/;
/** A label inside a routine that others may jump to. */
const inner = /^(?:SYM_INNER_LABEL\w*|SYM_ENTRY|GLOBAL|LABEL|LABEL_LOCAL)$/;
/** Nothing that runs, or nothing that matters to translations: hints for the unwinder, checks, alignment. */
const silent =
  /^(?:UNWIND_HINT\w*|ANNOTATE_\w*|VALIDATE_\w*|ENDBR\w*|FRAME_BEGIN|FRAME_END|ENCODE_FRAME_POINTER|REACHABLE|ASM_CLAC|ASM_STAC|_ASM_NOKPROBE|_ASM_EXTABLE\w*|NOKPROBE|EXPORT_SYMBOL\w*|STACK_FRAME_NON_STANDARD\w*|TRACE_IRQS_\w+|LOCKDEP_SYS_EXIT\w*|CFI_\w+|BUILD_BUG_ON|ASSERT_INTERRUPTS_\w+|ASSERT_CONTEXT_IS_XEN|ASSERT_NOT_IN_ATOMIC|DEBUG_ENTRY_ASSERT_IRQS_OFF|SYM_FUNC_ALIAS\w*|SYM_L_\w+|__ALIGN|ALIGN|SYM_DATA\w*|ELFNOTE\w*|ASM_NOP\d+|__INIT|__FINIT|__HEAD|__REF|__INITDATA|_ASM_PTR|_ASM_ALIGN|BTI_C)$/;

const others = new Set([
  ...['ALTERNATIVE', 'ALTERNATIVE_2', 'ALTERNATIVE_3', 'ALTERNATIVE_TERNARY', 'ALT_NOT'],
  ...[
    'PER_CPU_VAR',
    'STACK_CPUINFO_FIELD',
    'GET_STACK_END',
    'GET_CURRENT',
    '__GET_CURRENT',
    'GET_CPUINFO_FIELD',
  ],
  ...['UNLIKELY_START', 'UNLIKELY_END', '__UNLIKELY_END', 'UNLIKELY_DONE', 'UNLIKELY_DISPATCH_LABEL'],
  ...['ASSERT_FAILED', 'RET', 'SWAPGS', '__stringify', 'CALL_NOSPEC', 'JMP_NOSPEC'],
  ...['INDIRECT_CALL', 'INTERRUPT_RETURN', 'DISABLE_INTERRUPTS', 'ENABLE_INTERRUPTS', 'LOCK_PREFIX'],
  ...['alternative_insn', 'alternative_if', 'alternative_if_not', 'alternative_else', 'alternative_endif'],
  ...['alternative_else_nop_endif', 'alternative_cb', 'alternative_cb_end', 'IS_ENABLED'],
]);

export type BuiltinClass = 'start' | 'end' | 'inner' | 'silent' | 'other';

/** What kind of built-in a name is, or null. */
export function builtinClass(name: string): BuiltinClass | null {
  if (starts.test(name)) return 'start';
  if (ends.test(name)) return 'end';
  if (inner.test(name)) return 'inner';
  if (silent.test(name)) return 'silent';
  return others.has(name) ? 'other' : null;
}

/** Whether the preprocessor and the macro expander leave this name alone. */
export function isBuiltin(name: string): boolean {
  return builtinClass(name) !== null;
}
