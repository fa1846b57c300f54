/** Macro expansion of token lists. Each token keeps the place that caused it. */
import { append } from './lists';
import { BoundReached, bounds } from './bounds';
import type { Macro } from './conditionals';
import { annotationCalls, annotationFamily, annotations, droppedStatements, spellings } from './kernelMacros';
import type { Token } from './tokens';
import { tokensOf } from './tokens';

/** What expansion needs to know about names. */
export interface MacroScope {
  /** The macro in force, or null. */
  macro(name: string): Macro | null;
  /** Left as a call; arguments are expanded. */
  isOpaque(name: string): boolean;
  /** Left as a call with its arguments as written: they are names, not values. */
  takesNames(name: string): boolean;
}

interface Frame {
  readonly tokens: readonly Token[];
  at: number;
  readonly macro: string | null;
}

/** Expands `tokens`; throws {@link BoundReached} where the result grows past the bounds. */
export function expand(tokens: readonly Token[], scope: MacroScope): Token[] {
  return new Expander(scope, { left: bounds.expandedTokens }).list(tokens, []);
}

class Expander {
  private frames: Frame[] = [];
  private out: Token[] = [];

  constructor(
    private readonly scope: MacroScope,
    private readonly budget: { left: number },
    private readonly depth = 0,
  ) {}

  list(tokens: readonly Token[], active: readonly string[]): Token[] {
    if (this.depth > bounds.macroDepth) throw new BoundReached('macroDepth');
    this.frames = [...active.map(macro => ({ tokens: [], at: 0, macro })), { tokens, at: 0, macro: null }];
    // Frames of the enclosing expansions only name what must not be expanded; they sit below and hold nothing.
    for (;;) {
      const token = this.next();
      if (!token) return this.out;
      this.one(token);
    }
  }

  private charge(tokens = 1): void {
    if ((this.budget.left -= tokens) < 0) throw new BoundReached('expandedTokens');
  }

  private next(): Token | null {
    for (;;) {
      const frame = this.frames.at(-1);
      if (!frame) return null;
      if (frame.at < frame.tokens.length) return frame.tokens[frame.at++]!;
      if (frame.macro === null) return null;
      this.frames.pop();
    }
  }

  /** The token that {@link next} would give, without taking it. */
  private peek(): Token | null {
    for (let index = this.frames.length - 1; index >= 0; index--) {
      const frame = this.frames[index]!;
      if (frame.at < frame.tokens.length) return frame.tokens[frame.at]!;
      if (frame.macro === null) return null;
    }
    return null;
  }

  private isActive(name: string): boolean {
    return this.frames.some(frame => frame.macro === name);
  }

  private one(token: Token): void {
    this.charge();
    if (token.kind !== 'name' || token.painted) {
      this.out.push(token);
      return;
    }
    const { text } = token;
    if (annotations.has(text)) return;
    const next = this.peek();
    const called = next?.text === '(';
    if (next?.kind === 'name' && annotationFamily.test(text)) return;
    if (called && (annotationCalls.has(text) || droppedStatements.has(text))) {
      this.takeParenthesis();
      return;
    }
    if (called && this.scope.takesNames(text)) {
      this.out.push(token);
      append(this.out, this.takeParenthesis());
      return;
    }
    if (called && text === 'offsetof') return this.offsetof(token);
    const macro = this.scope.isOpaque(text) ? null : this.scope.macro(text);
    if (!macro || macro.cut || (macro.parameters && !called)) {
      const spelling = spellings.get(text);
      this.out.push(spelling === undefined ? token : { ...token, text: spelling, written: text });
    } else if (this.isActive(text)) this.out.push({ ...token, painted: true });
    else this.enter(macro, token);
  }

  private enter(macro: Macro, call: Token): void {
    if (this.frames.length > bounds.macroDepth) throw new BoundReached('macroDepth');
    const parenthesis = macro.parameters ? this.takeParenthesis() : [];
    const place = { line: call.line, from: call.from, to: Math.max(call.to, ...parenthesis.map(t => t.to)) };
    const args = macro.parameters ? splitArguments(parenthesis) : [];
    const body = macro.parameters ? this.substitute(macro, args, place) : macro.body;
    const placed = body.map((token, index) => {
      this.charge();
      const own = macro.parameters && token.from >= 0 ? token : { ...token, ...place };
      return index === 0 ? { ...own, space: call.space } : own;
    });
    this.frames.push({ tokens: placed, at: 0, macro: macro.name });
  }

  /** Takes `( … )` from the input, the parentheses included. */
  private takeParenthesis(): Token[] {
    const taken: Token[] = [];
    let depth = 0;
    for (;;) {
      const token = this.next();
      if (!token) return taken;
      this.charge();
      taken.push(token);
      if (token.text === '(') depth++;
      if (token.text === ')' && --depth === 0) return taken;
    }
  }

  private expandedArgument(tokens: readonly Token[]): Token[] {
    const active = this.frames.flatMap(frame => frame.macro ?? []);
    return new Expander(this.scope, this.budget, this.depth + 1).list(tokens, active);
  }

  private substitute(macro: Macro, args: readonly Token[][], place: Place): Token[] {
    const values = new Map<string, Token[]>();
    const parameters = macro.parameters ?? [];
    parameters.forEach((name, index) => values.set(name, args[index] ?? []));
    if (macro.variadic !== null)
      values.set(macro.variadic, joinArguments(args.slice(parameters.length), place));
    const expanded = new Map<string, Token[]>();
    const result: Token[] = [];
    const { body } = macro;
    for (let at = 0; at < body.length; at++) {
      this.charge();
      const token = body[at]!;
      const pasted = body[at + 1]?.text === '##';
      if (token.text === '#' && values.has(body[at + 1]?.text ?? '')) {
        result.push(stringOf(values.get(body[++at]!.text)!, token, place));
      } else if (token.text === '##' && result.length > 0 && at + 1 < body.length) {
        const right = body[++at]!;
        paste(
          result,
          values.get(right.text) ?? [{ ...right, from: -1, to: -1 }],
          place,
          right.text === macro.variadic,
        );
      } else if (token.kind === 'name' && values.has(token.text)) {
        const raw = values.get(token.text)!;
        if (pasted && raw.length === 0) result.push({ ...token, text: '', kind: 'punct', from: -1, to: -1 });
        else if (pasted) append(result, raw);
        else {
          let value = expanded.get(token.text);
          if (!value) expanded.set(token.text, (value = this.expandedArgument(raw)));
          this.charge(value.length);
          append(result, value);
        }
      } else result.push({ ...token, from: -1, to: -1 });
    }
    // Tokens of the body stand for the whole call; those of arguments keep their own place.
    return result
      .filter(token => token.text !== '')
      .map(token => (token.from < 0 ? { ...token, ...place } : token));
  }

  /** `offsetof(type, member)` by way of the address of a member of a null pointer: no layout is needed. */
  private offsetof(call: Token): void {
    const parenthesis = this.takeParenthesis();
    const [type = [], ...members] = splitArguments(parenthesis);
    const place = { line: call.line, from: call.from, to: parenthesis.at(-1)?.to ?? call.to };
    const made = (text: string): Token[] =>
      tokensOf(text).map(token => ({ ...token, ...place, painted: true }));
    const member = joinArguments(members, place);
    const tokens = [...made('((unsigned long)&(('), ...type, ...made('*)0)->'), ...member, ...made(')')];
    this.frames.push({ tokens, at: 0, macro: ' offsetof' });
  }
}

interface Place {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** Arguments of a call, from its tokens with the parentheses. */
export function splitArguments(parenthesis: readonly Token[]): Token[][] {
  const args: Token[][] = [[]];
  let depth = 0;
  for (const token of parenthesis) {
    const { text } = token;
    const opens = text === '(' || text === '[' || text === '{';
    const closes = text === ')' || text === ']' || text === '}';
    if (closes) depth--;
    if (text === ',' && depth === 1) args.push([]);
    else if (depth > 0) args.at(-1)!.push(token);
    if (opens) depth++;
  }
  return args.length === 1 && args[0]!.length === 0 ? [] : args;
}

function joinArguments(args: readonly (readonly Token[])[], place: Place): Token[] {
  return args.flatMap((arg, index) =>
    index === 0 ? arg : [{ kind: 'punct' as const, text: ',', space: false, ...place }, ...arg],
  );
}

/** Text of tokens with a single blank where white space stood. */
export function spell(tokens: readonly Token[]): string {
  return tokens
    .map((token, index) => (index > 0 && token.space ? ' ' : '') + (token.written ?? token.text))
    .join('');
}

function stringOf(tokens: readonly Token[], at: Token, place: Place): Token {
  const text = spell(tokens).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return { kind: 'string', text: `"${text}"`, space: at.space, ...place, painted: true };
}

function paste(result: Token[], right: readonly Token[], place: Place, variadic: boolean): void {
  const left = result.pop()!;
  // GNU: `, ## args` drops the comma when there are no arguments, and pastes nothing when there are.
  if (left.text === ',' && variadic) {
    if (right.length > 0) result.push(left);
    append(result, right);
    return;
  }
  const [first, ...rest] = right;
  if (!first) {
    result.push(left);
    return;
  }
  const text = left.text + first.text;
  const kind = left.text === '' ? first.kind : left.kind;
  result.push({ kind, text, space: left.space, ...place });
  append(result, rest);
}
