/** Statements of the assembler: splitting lines at `;`, labels, mnemonics, operands and macro arguments. */

/** One statement as it stands in the text. */
export interface Statement {
  /** Without comments; may begin with labels. */
  readonly text: string;
  /** Index of its line in the unit. */
  readonly line: number;
  /** Index of the last line of the statement (continuation lines). */
  readonly lastLine: number;
  /** Hunk that begins here, behind lines that are not shown; else -1. */
  readonly gap: number;
  readonly parsed: Parsed;
}

export function makeStatement(text: string, line: number, lastLine: number, gap: number): Statement {
  return { text, line, lastLine, gap, parsed: parseStatement(text) };
}

/** A statement, taken apart. */
export interface Parsed {
  readonly labels: readonly string[];
  /** Instruction, directive (with its dot) or macro; '' for labels alone. */
  readonly mnemonic: string;
  /** What stands behind the mnemonic. */
  readonly rest: string;
}

/** Splits at `;` outside quotes and parentheses. */
export function splitStatements(text: string): string[] {
  if (!text.includes(';')) return text.trim() === '' ? [] : [text.trim()];
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = skipString(text, at);
    else if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (char === ';' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== '');
}

/** Index of the closing quote of the string that begins at `at` (the end of the text where there is none). */
function skipString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

const label = /^\s*("?[\w.$\\@()]+"?)\s*:(?!:)\s*/;

/** Takes a statement apart. */
export function parseStatement(text: string): Parsed {
  const labels: string[] = [];
  let rest = text;
  for (;;) {
    const match = label.exec(rest);
    if (!match) break;
    labels.push(match[1]!.replace(/"/g, ''));
    rest = rest.slice(match[0].length);
  }
  const trimmed = rest.trim();
  const word = /^[^\s("]+/.exec(trimmed)?.[0] ?? '';
  // `%gs:…`, `(…`: no mnemonic. An assignment `name = value` is a directive of its own.
  const after = trimmed.slice(word.length);
  const assignment = /^\s*=(?!=)/.exec(after);
  if (assignment && word !== '')
    return { labels, mnemonic: '.set', rest: `${word}, ${after.slice(assignment[0].length)}` };
  return { labels, mnemonic: word, rest: after.trim() };
}

/** Splits operands at commas outside quotes, parentheses and brackets. */
export function splitOperands(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = skipString(text, at);
    else if (char === '(' || char === '[' || char === '{') depth++;
    else if (char === ')' || char === ']' || char === '}') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = text.slice(start).trim();
  if (last !== '' || parts.length > 0) parts.push(last);
  return parts;
}

/** The assembler keeps blanks around `-` and `*`, which may stand before an operand. */
const operator = /[+/|&^<>=~!]/;

/**
 * Splits macro arguments at commas or blanks. Quotes and parentheses hold together, and so do blanks around an
 * operator (`8 | 2`), as the assembler removes those first.
 */
export function splitArguments(text: string): string[] {
  const args: string[] = [];
  let current = '';
  let pending = false;
  let depth = 0;
  let sawComma = true;
  const push = (): void => {
    args.push(current.trim());
    current = '';
    pending = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      if (pending) push();
      const end = skipString(text, at);
      current += text.slice(at, end + 1);
      at = end;
      sawComma = false;
    } else if (depth === 0 && char === ',') {
      if (current !== '' || sawComma) push();
      sawComma = true;
      pending = false;
    } else if (depth === 0 && /\s/.test(char)) {
      pending = current !== '';
    } else {
      if (pending && !joins(current, text, at)) {
        push();
      }
      pending = false;
      sawComma = false;
      if (char === '(') depth++;
      if (char === ')') depth--;
      current += char;
    }
  }
  if (current !== '') push();
  return args;
}

/** Whether a blank before position `at` is one around an operator. */
function joins(before: string, text: string, at: number): boolean {
  const last = before.at(-1) ?? '';
  if (operator.test(last)) return true;
  const char = text[at]!;
  return operator.test(char);
}

/** Content of a quoted argument with its escapes undone; other text as it is. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"')) return trimmed;
  const end = skipString(trimmed, 0);
  const inner = trimmed.slice(1, end);
  return inner.includes('\\')
    ? inner.replace(/\\([nt"\\])/g, (_all, char: string) =>
        char === 'n' ? ';' : char === 't' ? ' ' : char === '"' ? '"' : '\\',
      )
    : inner;
}
