/**
 * Calls on changed lines of files that name nothing of the catalogue and are therefore not read: what is not known to be
 * free is listed as unknown, so that such a hunk is no silent zero. One cheap pass over the changed lines.
 */
import { isAssembly } from '../code/asm/detect';
import { lookup } from '../code/catalogue/lookup';
import { LineKind, type PatchFile, type PatchHunk } from '../patch/model';
import type { UnknownItem } from './priced';
import { isCode } from './units';

const call = /((?:\b[A-Za-z_]\w*(?:->|\.))?)\b([A-Za-z_]\w*)\s?\(/g;
/** Spelled like calls, and known to perform nothing on the TLB. */
const free = new Set(
  (
    'if for while switch return sizeof do else case defined typeof __typeof__ __attribute__ alignof _Alignof offsetof ' +
    'asm __asm__ volatile likely unlikely container_of ARRAY_SIZE WARN WARN_ON WARN_ON_ONCE WARN_ONCE BUG BUG_ON ' +
    'BUILD_BUG_ON IS_ERR PTR_ERR ERR_PTR min max min_t max_t clamp swap __aligned __printf __releases __acquires ' +
    'EXPORT_SYMBOL EXPORT_SYMBOL_GPL MODULE_LICENSE MODULE_AUTHOR MODULE_DESCRIPTION IS_ENABLED module_init ' +
    'module_exit lockdep_assert_held might_sleep BIT GENMASK READ_ONCE WRITE_ONCE _AC ' +
    'TRACE_EVENT DEFINE_EVENT DECLARE_EVENT_CLASS TP_PROTO TP_ARGS TP_STRUCT__entry TP_fast_assign TP_printk ' +
    '__field __array __string __assign_str __get_str __print_symbolic __print_flags printk pr_err pr_warn ' +
    'pr_info pr_debug pr_warn_once pr_info_once pr_err_once'
  ).split(' '),
);
const asmCall = /^(?:\w+:)?\s*(?:callq?|bl)\s+([A-Za-z_]\w*)/;
const asmMacro = /^(?:\w+:)?\s*([A-Z][A-Z0-9_]{2,})\b/;
const asmFree =
  /^(?:SYM_|ENTRY|END|ENDPROC|GLOBAL|ALTERNATIVE|UNWIND_|ANNOTATE_|FRAME_|ASM_|_ASM|CFI_|EXPORT_|STACK_FRAME|PUSH|POP|SAVE_|RESTORE_|RET$|KABI_)/;

const longestLine = 400;
const mostNames = 20;

const noNames: readonly string[] = [];

const noted = 'neither the patch nor the catalogue says what it does';

/** Names that a line of a C file calls; the name that it defines or declares does not count. */
function callsOf(text: string): readonly string[] {
  if (!text.includes('(')) return noNames;
  const line = text.slice(0, longestLine);
  if (!line.includes('(') || /^\s*(?:\*|\/\*|\/\/|#\s*(?!define))/.test(line)) return noNames;
  const plain = line.replace(/"[^"]*"/g, '""').replace(/\/\*.*$|\/\/.*$/, '');
  const found: string[] = [];
  // At the beginning of a line stands what is defined or declared there.
  let defines = /^(?:#\s*define\s+\w+\(|[A-Za-z_])/.test(plain) && !/^\w+:/.test(plain);
  for (const [, through = '', name = ''] of plain.matchAll(call)) {
    if (defines) {
      defines = false;
      continue;
    }
    if (!free.has(name)) found.push(through + name);
  }
  return found;
}

function asmCallsOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const part of text.slice(0, longestLine).split(/[#;]/)) {
    const name = asmCall.exec(part.trim())?.[1] ?? asmMacro.exec(part.trim())?.[1];
    if (name !== undefined && !asmFree.test(name)) found.push(name);
  }
  return found;
}

const headOfC = /^[ +-]?(?:#\s*define\s+(\w+)|[A-Za-z_][\w \t*]{0,200}?\b(\w+)\s*\()/;
const headOfAsm = /^[ +-]?\s*(?:\.macro\s+(\w+)|SYM_\w+\((\w+))/;

/** A cheap look before the expressions: a head has a bracket, or begins with `#` or `.macro`. */
const mayDefine = (text: string): boolean =>
  text.includes('(') || text.includes('#') || text.includes('.macro');

/** Functions and macros whose bodies the hunks of a file show. */
function definitionsIn(file: PatchFile, into: Set<string>): void {
  for (const { source, firstLine, endLine } of file.hunks)
    for (let line = firstLine; line < endLine; line++) {
      const whole = source.lineText(line);
      if (!mayDefine(whole)) continue;
      const text = whole.slice(0, longestLine);
      if (text.trimEnd().endsWith(';')) continue;
      const match = headOfC.exec(text) ?? headOfAsm.exec(text);
      const name = match?.[1] ?? match?.[2];
      if (name !== undefined) into.add(name);
    }
}

/** Lines by which a header of entry code is told from C. */
const mostTelling = 200;

function firstLines({ hunks }: PatchFile): string[] {
  const lines: string[] = [];
  for (const { source, firstLine, endLine, parents } of hunks)
    for (let line = firstLine; line < endLine && lines.length < mostTelling; line++)
      lines.push(source.lineText(line).slice(parents));
  return lines;
}

/** Unknown callees by hunk, of files of one patch that are not read. */
export function skippedCalls(
  files: readonly PatchFile[],
): Map<PatchFile, readonly (readonly UnknownItem[])[]> {
  const result = new Map<PatchFile, readonly (readonly UnknownItem[])[]>();
  const shown = new Set<string>();
  const code = files.filter(file => file.hunks.length > 0 && isCode(file.newPath ?? file.oldPath ?? ''));
  for (const file of code) definitionsIn(file, shown);
  for (const file of code) {
    const path = file.newPath ?? file.oldPath ?? '';
    const read = isAssembly(path, path.includes('/entry/') ? firstLines(file) : []) ? asmCallsOf : callsOf;
    const isFree = (name: string): boolean => shown.has(name) || lookup(name, { path }) !== null;
    result.set(file, file.hunks.map((_, index) => unknownIn(file, index, read, isFree))); // prettier-ignore
  }
  return result;
}

const assignment = /^\s+(?:[A-Za-z_][\w \t*]{0,160}[ \t*])?([A-Za-z_]\w*)\s*=([^=].*);\s*$/;

/** Variables to which a hunk gives another value. */
function otherValues({ source, firstLine, endLine, parents }: PatchHunk): ReadonlySet<string> {
  const values = new Map<string, Map<string, number>>();
  for (let line = firstLine; line < endLine; line++) {
    const kind = source.lineKind(line);
    if (kind !== LineKind.Added && kind !== LineKind.Removed) continue;
    const text = source.lineText(line);
    const match = text.includes('=') ? assignment.exec(text.slice(parents, parents + longestLine)) : null;
    if (!match) continue;
    const of = values.get(match[1]!) ?? new Map<string, number>();
    values.set(match[1]!, of);
    const value = match[2]!.replace(/\s+/g, '');
    of.set(value, (of.get(value) ?? 0) + (kind === LineKind.Added ? 1 : -1));
  }
  const changed = [...values].filter(([, of]) => {
    const counts = [...of.values()];
    return counts.some(count => count > 0) && counts.some(count => count < 0);
  });
  return new Set(changed.map(([name]) => name));
}

/** A name on changed lines of a hunk: calls added less calls removed, and those lines. */
interface Named {
  count: number;
  readonly documentLine: number | null;
  readonly lines: number[];
}

/** Whether what is removed and what is added give a callee different things: then it may do something else. */
function givenOther(hunk: PatchHunk, name: string, lines: readonly number[]): boolean {
  const on = (wanted: LineKind): string =>
    lines
      .filter(line => hunk.source.lineKind(line) === wanted)
      .map(line => givenOn(hunk, name, line))
      .sort()
      .join('\n');
  return on(LineKind.Removed) !== on(LineKind.Added);
}

/** Lines over which the arguments of one call are followed. */
const longestCall = 8;

/** From a callee's name to the end of its arguments, on one side of the hunk, without blanks and strings. */
function givenOn({ source, endLine, parents }: PatchHunk, name: string, first: number): string {
  const kind = source.lineKind(first);
  let text = '';
  let depth = 0;
  for (let line = first; line < Math.min(endLine, first + longestCall); line++) {
    const other = source.lineKind(line);
    if (other !== kind && other !== LineKind.Context) continue;
    const raw = source.lineText(line).slice(parents, parents + longestLine);
    const from = line === first ? Math.max(0, raw.indexOf(name.split(/->|\./).at(-1)!)) : 0;
    for (const character of raw
      .slice(from)
      .replace(/"[^"]*"/g, '""')
      .replace(/\/\*.*$|\/\/.*$/, '')) {
      if (character === '(') depth++;
      if (character !== ' ' && character !== '\t') text += character;
      if (character === ')' && --depth <= 0) return text;
    }
    if (depth === 0) return text;
  }
  return text;
}

function unknownIn(
  file: PatchFile,
  index: number,
  read: (text: string) => readonly string[],
  isFree: (name: string) => boolean,
): UnknownItem[] {
  const hunk = file.hunks[index]!;
  const { source, firstLine, endLine, parents } = hunk;
  const net = new Map<string, Named>();
  for (let line = firstLine; line < endLine; line++) {
    const kind = source.lineKind(line);
    if (kind !== LineKind.Added && kind !== LineKind.Removed) continue;
    const sign = kind === LineKind.Added ? 1 : -1;
    for (const name of read(source.lineText(line).slice(parents))) {
      const known = net.get(name);
      if (known) {
        known.count += sign;
        known.lines.push(line);
      } else net.set(name, { count: sign, documentLine: source.documentLine(line), lines: [line] });
    }
  }
  const others = read === callsOf ? otherValues(hunk) : null;
  for (let line = firstLine; others?.size && line < endLine; line++) {
    const kind = source.lineKind(line);
    if (kind !== LineKind.Context) continue;
    for (const name of read(source.lineText(line).slice(parents))) {
      const given = givenOn(hunk, name, line).match(/[A-Za-z_]\w*/g) ?? [];
      if (net.has(name) || !given.some(word => others.has(word))) continue;
      net.set(name, { count: 1, documentLine: source.documentLine(line), lines: [line] });
    }
  }
  const items = [...net].filter(
    ([name, { count, lines }]) => (count !== 0 || givenOther(hunk, name, lines)) && !isFree(name),
  );
  const listed = items
    .slice(0, mostNames)
    .map(([name, { documentLine }]): UnknownItem => ({ name, documentLine, why: noted }));
  if (items.length > mostNames)
    listed.push({ name: `${items.length - mostNames} more callees`, documentLine: null, why: noted });
  return listed;
}
