/** Tells assembly from C. */

const directive =
  /^\s*\.(?:macro|endm|if|ifdef|ifndef|ifb|ifnb|ifc|else|elseif|endif|rept|endr|pushsection|popsection|section|globl|align|balign|byte|set)\b/;
const routine =
  /^\s*(?:SYM_(?:CODE|FUNC|INNER|TYPED)\w*|ENTRY|ENDPROC|END|FUNC|FUNC_LOCAL|UNWIND_HINT\w*)\b|^\s*ALTERNATIVE(?:_[23])?\s+["\w]/;
const label = /^\s*(?:\.L[\w.\\@]+|\d+):/;
const instruction =
  /^\s*(?:(?:lock|rep)\s+)?[a-z][a-z0-9]{1,9}\s+(?:[$%(\\]|-?\d+\(|[\w+-]+\(|PER_CPU_VAR\().*%|^\s*(?:swapgs|lfence|mfence|iretq|sysretq|sysretl|ret|nop|cld|invlpg\s+\S+|isb|tlbi\s+\w+.*|dsb\s+\w+)\s*$|^\s*(?:jmp|jn?[a-z]{1,3}|call)\s+[.\w\\@]+\s*$/;
const argumentUse = /\\(?:@|[A-Za-z_]\w*)/;
const cLine =
  /[;{}]\s*$|^\s*(?:static|struct|union|enum|typedef|extern|inline|return|if\s*\(|for\s*\(|while\s*\(|else\b|case\b)/;

const preprocessorOrText = /^\s*(?:"|\/?\*|#\s*(?:define|if|ifdef|ifndef|else|elif|endif|include|undef)\b)/;
const inlineAssembly = /\b(?:asm|__asm__|asm_inline)\b\s*(?:\(|volatile|goto|inline|__volatile__)/;

/**
 * Whether a file is to be read as assembly. `.S` and `.s` always are; a header is if more of its lines look like
 * assembly than like C. `lines` may be those of a few hunks.
 */
export function isAssembly(path: string, lines: readonly string[]): boolean {
  if (path.endsWith('.lds.S')) return false;
  if (/\.(?:S|s|asm|sx)$/.test(path)) return true;
  if (!/\.(?:h|inc|macros)$/.test(path)) return false;
  let assembly = 0;
  let c = 0;
  let defining = false;
  for (const line of lines) {
    const text = line.length > 400 ? line.slice(0, 400) : line;
    // The body of a macro of the preprocessor may be for either.
    const continued: boolean = defining;
    defining = (continued || /^\s*#\s*define\b/.test(text)) && /\\\s*$/.test(line);
    if (continued || preprocessorOrText.test(text)) continue;
    if (inlineAssembly.test(text)) c++;
    else if (directive.test(text) || routine.test(text) || label.test(text)) assembly += 2;
    else if (instruction.test(text)) assembly++;
    else if (argumentUse.test(text) && !text.includes('"')) assembly++;
    else if (cLine.test(text)) c++;
  }
  return assembly > c;
}
