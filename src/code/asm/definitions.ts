/** Macros of the C preprocessor in assembly: reading `#define` and expanding a line. */
import { AsmBoundReached, asmBounds } from './bounds';

export interface Definition {
  readonly name: string;
  /** null: object-like. */
  readonly parameters: readonly string[] | null;
  /** Name that stands for the remaining arguments, or null. */
  readonly variadic: string | null;
  readonly body: string;
}

/** Reads what stands behind `#define`; null where it cannot be read. */
export function readDefinition(text: string): Definition | null {
  const head = /^\s*([A-Za-z_]\w*)/.exec(text);
  if (!head) return null;
  const name = head[1]!;
  const rest = text.slice(head[0].length);
  if (!rest.startsWith('(')) return { name, parameters: null, variadic: null, body: rest.trim() };
  const close = rest.indexOf(')');
  if (close < 0) return null;
  const parameters: string[] = [];
  let variadic: string | null = null;
  for (const parameter of rest.slice(1, close).split(',')) {
    const word = parameter.trim();
    if (word === '...') variadic = '__VA_ARGS__';
    else if (word.endsWith('...')) variadic = word.slice(0, -3).trim();
    else if (word !== '') parameters.push(word);
  }
  return { name, parameters, variadic, body: rest.slice(close + 1).trim() };
}

/** Pieces of a line: names, numbers (`1f`), strings, and everything else one by one. */
const piece = /[A-Za-z_]\w*|\.?[0-9][\w.]*|"(?:[^"\\]|\\.)*"|\s+|##|[^]/g;

/** Stands behind a name that was met inside its own expansion and is never to be expanded again. */
const painted = '\u0001';

/** Expands macros in text. `lookup` gives the definition of a name, null for none. */
export class Expander {
  private spent = 0;

  constructor(private readonly lookup: (name: string) => Definition | null) {}

  /** The text of one line, expanded. Throws {@link AsmBoundReached} on a macro bomb. */
  expand(text: string): string {
    const expanded = this.run(text, new Set(), 0);
    return expanded.includes(painted) ? expanded.replaceAll(painted, '') : expanded;
  }

  private run(text: string, hidden: ReadonlySet<string>, depth: number): string {
    if (depth > asmBounds.macroDepth) throw new AsmBoundReached('macroDepth');
    const pieces = text.match(piece) ?? [];
    let closings: readonly number[] | null = null;
    let out = '';
    let changed = false;
    for (let at = 0; at < pieces.length; at++) {
      const word = pieces[at]!;
      const isName = /^[A-Za-z_]/.test(word) && pieces[at + 1] !== painted;
      const definition = isName ? this.lookup(word) : null;
      if (definition && hidden.has(word)) {
        out += word + painted;
        continue;
      }
      if (!definition) {
        out += word;
        continue;
      }
      let args: string[] = [];
      if (definition.parameters) {
        closings ??= closingParentheses(pieces);
        const call = readArguments(pieces, at + 1, closings);
        if (!call) {
          out += word;
          continue;
        }
        args = call.args;
        at = call.end;
      }
      const inner = new Set(hidden).add(word);
      out += this.run(this.substitute(definition, args, hidden, depth), inner, depth + 1);
      changed = true;
      if (out.length > asmBounds.lineLength) throw new AsmBoundReached('lineLength');
    }
    if (changed) this.spend(out.length);
    return out;
  }

  private spend(length: number): void {
    this.spent += length;
    if (this.spent > asmBounds.preprocessed) throw new AsmBoundReached('preprocessed');
  }

  private substitute(
    definition: Definition,
    args: readonly string[],
    hidden: ReadonlySet<string>,
    depth: number,
  ): string {
    const named = new Map<string, string>();
    definition.parameters?.forEach((parameter, index) => named.set(parameter, (args[index] ?? '').trim()));
    if (definition.variadic !== null) {
      const rest = args.slice(definition.parameters?.length ?? 0).join(',');
      named.set(definition.variadic, rest.trim());
    }
    if (named.size === 0 && !definition.body.includes('#')) return definition.body;
    const pieces = definition.body.match(piece) ?? [];
    const parts: string[] = [];
    const expanded = new Map<string, string>();
    let length = 0;
    for (let at = 0; at < pieces.length; at++) {
      let word = pieces[at]!;
      if (word === '##') {
        while (parts.length > 0 && parts.at(-1)!.trim() === '') parts.pop();
        while (/^\s+$/.test(pieces[at + 1] ?? '')) at++;
        continue;
      }
      const argument = named.get(word);
      if (argument !== undefined) {
        if (isPasted(pieces, at)) word = argument;
        else {
          const known = expanded.get(word) ?? this.run(argument, hidden, depth + 1);
          expanded.set(word, known);
          word = known;
        }
      } else if (word === '#') {
        const next = pieces[at + 1]?.trim() === '' ? at + 2 : at + 1;
        const quoted = named.get(pieces[next] ?? '');
        if (quoted !== undefined) {
          word = JSON.stringify(quoted.replaceAll(painted, ''));
          at = next;
        }
      }
      parts.push(word);
      length += word.length;
      if (length > asmBounds.lineLength) throw new AsmBoundReached('lineLength');
    }
    return parts.join('');
  }
}

function isPasted(pieces: readonly string[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && pieces[before]!.trim() === '') before--;
  let after = at + 1;
  while (after < pieces.length && pieces[after]!.trim() === '') after++;
  return pieces[before] === '##' || pieces[after] === '##';
}

/** Per opening parenthesis the index of its closing one; -1 elsewhere and where it is missing. */
function closingParentheses(pieces: readonly string[]): number[] {
  const closings = new Array<number>(pieces.length).fill(-1);
  const open: number[] = [];
  pieces.forEach((word, at) => {
    if (word === '(') open.push(at);
    else if (word === ')') {
      const start = open.pop();
      if (start !== undefined) closings[start] = at;
    }
  });
  return closings;
}

/** The arguments of a call whose parenthesis is at or behind `from`; null where there is no complete call. */
function readArguments(
  pieces: readonly string[],
  from: number,
  closings: readonly number[],
): { args: string[]; end: number } | null {
  const start = pieces[from]?.trim() === '' ? from + 1 : from;
  const end = closings[start] ?? -1;
  if (pieces[start] !== '(' || end < 0) return null;
  const args: string[] = [];
  let current = '';
  let depth = 0;
  for (let at = start + 1; at < end; at++) {
    const word = pieces[at]!;
    if (word === '(') depth++;
    else if (word === ')') depth--;
    if (word === ',' && depth === 0) {
      args.push(current);
      current = '';
    } else current += word;
  }
  args.push(current);
  return { args, end };
}
