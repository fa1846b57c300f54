import type { SourceUnit } from '../../../../src/code/source';

/** Assembly, also in a header: directives of the assembler at the start of lines. */
export function isAssembly(unit: SourceUnit): boolean {
  if (!/\.[ch]$/.test(unit.path)) return true;
  return unit.lines.some(line => /^\s*\.(?:macro|endm|if|endif)\b/.test(line.text));
}
