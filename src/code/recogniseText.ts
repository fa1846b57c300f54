/** Small readers of source text that the recogniser needs: arguments of a call, control registers in assembly. */
import { beginsName, continuesName } from './nameFilter';

/** A call's arguments are looked for on at most this many lines, and in at most this many characters. */
const argumentLines = 6;
const argumentCharacters = 2000;

/** End of the identifier that begins at `from`. */
export function nameEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && continuesName(text.charCodeAt(at))) at++;
  return at;
}

/** Position of the first character from `at` on that is no blank. */
export function skipBlanks(text: string, at: number): number {
  while (at < text.length && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

/** Behind the string or character literal that begins at `from`; the line's end where it is not closed. */
export function literalEnd(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/**
 * The arguments of the call whose `(` stands at `open` of line `line`, as written, without outer blanks.
 * What does not fit within a few lines is left out.
 */
export function callArguments(lines: readonly string[], line: number, open: number): string[] {
  const shown = [lines[line]!.slice(open + 1), ...lines.slice(line + 1, line + argumentLines)];
  const text = shown.join(' ').slice(0, argumentCharacters);
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") at = literalEnd(text, at) - 1;
    else if (character === '(' || character === '[' || character === '{') depth++;
    else if (character === ')' && depth === 0) {
      const last = text.slice(from, at).trim();
      if (last !== '' || found.length) found.push(last);
      return found;
    } else if (character === ')' || character === ']' || character === '}') depth--;
    else if (character === ',' && depth === 0) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return found;
}

/** Operands of an assembler statement from `from` to `to`, split at commas outside parentheses. */
export function operands(text: string, from: number, to: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at <= to; at++) {
    const character = at < to ? text[at] : ',';
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === ',' && (depth <= 0 || at === to)) {
      const operand = text.slice(start, at).trim();
      if (operand !== '') found.push(operand);
      start = at + 1;
    }
  }
  return found;
}

/** Where the assembler statement that begins at `from` ends: `;`, an escaped line end, a comment, `to`. */
export function statementEnd(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const character = text[at];
    if (character === ';' || character === '"') return at;
    if (character === '\\' && text[at + 1] === 'n' && !continuesName(text.charCodeAt(at + 2))) return at;
    if (character === '\\' && text[at + 1] === 'n' && text[at + 2] === '\\') return at;
    if (character === '/' && (text[at + 1] === '*' || text[at + 1] === '/')) return at;
  }
  return to;
}

/**
 * The row name of a `mov` between a register and CR3 or CR4 (AT&T order, the target last), with the written operand;
 * null for any other statement.
 */
export function controlRegisterMove(
  text: string,
  from: number,
  to: number,
): { readonly name: string; readonly value: string } | null {
  const parts = operands(text, from, to);
  if (parts.length !== 2) return null;
  const [source, target] = parts as [string, string];
  const registerOf = (operand: string): string => {
    const name = operand.startsWith('%%')
      ? operand.slice(2)
      : operand.startsWith('%')
        ? operand.slice(1)
        : '';
    return name === 'cr3' || name === 'cr4' ? name : '';
  };
  const written = registerOf(target);
  if (written !== '') return { name: `mov to %${written}`, value: source };
  const read = registerOf(source);
  return read === '' ? null : { name: `mov from %${read}`, value: source };
}

/** Behind the last character before `at` that is no blank. */
export function trimmedEnd(text: string, at: number): number {
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at;
}

/** The identifier that ends right before `at`, or ''. */
export function nameBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && continuesName(text.charCodeAt(start - 1))) start--;
  return start < at && beginsName(text.charCodeAt(start)) ? text.slice(start, at) : '';
}
