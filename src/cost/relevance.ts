/**
 * Which files of a patch are worth reading: those that name something of the catalogue, and those that use what such
 * files define. Everything else prices nothing, and is not parsed.
 */
import { mentionsCatalogue } from '../code/nameFilter';
import type { PatchFile } from '../patch/model';
import { isCode } from './units';

/** Text of a hunk's body as it stands in its source. */
function hunkText(file: PatchFile, index: number): string {
  const { source, firstLine, endLine } = file.hunks[index]!;
  return endLine > firstLine
    ? source.text.slice(source.lineStart(firstLine), source.lineEnd(endLine - 1))
    : '';
}

const names = /[A-Za-z_]\w*/g;
const definition =
  /^[ +-]?(?:#\s*define\s+(\w+)|\s*\.macro\s+(\w+)|SYM_\w+\((\w+)|DEFINE_\w+\((\w+)|(?!\s)[\w \t*]{0,200}?\b(\w+)\s*\()/;

/** Names that the lines of a hunk define: functions, macros, routines, keys. */
function definedNames(text: string, into: Set<string>): void {
  for (const line of text.split('\n')) {
    const match = definition.exec(line.length > 300 ? line.slice(0, 300) : line);
    const name = match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4] ?? match?.[5];
    if (name !== undefined && !keywords.has(name)) into.add(name);
  }
}

const keywords = new Set(['if', 'for', 'while', 'switch', 'return', 'sizeof', 'do', 'else', 'defined']);

function usesAny(text: string, wanted: ReadonlySet<string>): boolean {
  for (const match of text.matchAll(names)) if (wanted.has(match[0])) return true;
  return false;
}

/**
 * Inline assembly, whose instructions need no name of the catalogue, names that are pasted together, and the bit that
 * keeps a CR3 write from flushing.
 */
const hidden =
  /\b(?:__asm__|__asm|asm|asm_inline|asm_volatile_goto)\s*(?:\(|volatile|__volatile__|inline|goto)|##|\bbt[src][lq]?\s+\$(?:63|0x3f)\b/;

const wholeText = (file: PatchFile): string =>
  [...file.hunks.map(hunk => hunk.heading), ...file.hunks.map((_, index) => hunkText(file, index))].join(
    '\n',
  );

/** Whether a name of the catalogue stands in a heading or a body. */
const mentionsSome = (file: PatchFile, fences: boolean): boolean =>
  file.hunks.some(
    ({ heading, source, firstLine, endLine }) =>
      mentionsCatalogue(heading, 0, heading.length, fences) ||
      (endLine > firstLine &&
        mentionsCatalogue(source.text, source.lineStart(firstLine), source.lineEnd(endLine - 1), fences)),
  );

const roundLimit = 3;

/**
 * The files among `files` that have to be read. `known` holds names that earlier patches of the series made relevant;
 * it grows by those of these files. Without `fences` a file that only has atomics and fences is not read.
 */
export function relevantFiles(
  files: readonly PatchFile[],
  known: Set<string>,
  fences = true,
): Set<PatchFile> {
  const found = new Set<PatchFile>();
  const code = files.filter(file => file.hunks.length > 0 && isCode(file.newPath ?? file.oldPath ?? ''));
  // Archives are long: nothing is copied unless something is found.
  const texts = new Map<PatchFile, string>();
  const textOf = (file: PatchFile): string => {
    let text = texts.get(file);
    if (text === undefined) texts.set(file, (text = wholeText(file)));
    return text;
  };
  for (const file of code)
    if (mentionsSome(file, fences) || (fences && hidden.test(textOf(file)))) {
      found.add(file);
      definedNames(textOf(file), known);
    }
  for (let round = 0; round < roundLimit && known.size; round++) {
    let grown = false;
    for (const file of code)
      if (!found.has(file) && usesAny(textOf(file), known)) {
        found.add(file);
        definedNames(textOf(file), known);
        grown = true;
      }
    if (!grown) break;
  }
  return found;
}
