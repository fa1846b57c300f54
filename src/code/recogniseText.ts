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

/** Behind the literal that begins at `from`; `to` where it is not closed before. */
export function literalEnd(text: string, from: number, to = text.length): number {
  const quote = text[from];
  for (let at = from + 1; at < to; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at + 1;
  }
  return to;
}

/**
 * The arguments of the call whose `(` stands at `open` of line `line`, as written, without outer blanks.
 * What does not fit within a few lines is left out.
 */
export function callArguments(lines: readonly string[], line: number, open: number): string[] {
  const shown = [lines[line]!.slice(open + 1, open + 1 + argumentCharacters)];
  for (const next of lines.slice(line + 1, line + argumentLines))
    shown.push(next.slice(0, argumentCharacters));
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

/** Behind the `)` that closes the `(` at `open`, or the line's end. */
export function parenthesisEnd(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '"' || text[at] === "'") at = literalEnd(text, at) - 1;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
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

/** An assembler statement is read no further than this. */
const statementCharacters = 400;

/**
 * Where the assembler statement that begins at `from` ends: at `;`, a quote, a comment, or `to`; in a string also at
 * an escaped line end (elsewhere `\\n` may name an argument of a macro).
 */
export function statementEnd(text: string, from: number, to: number, inString: boolean): number {
  const last = Math.min(to, from + statementCharacters);
  for (let at = from; at < last; at++) {
    const character = text[at];
    if (character === ';' || character === '"') return at;
    if (inString && character === '\\' && text[at + 1] === 'n') return at;
    if (character === '/' && (text[at + 1] === '*' || text[at + 1] === '/')) return at;
  }
  return last;
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
