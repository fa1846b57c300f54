/** Conditionals and macro definitions of a token stream, under a configuration. */
import type { Configuration } from '../configuration';
import { evaluateCondition } from './conditionExpression';
import type { Directive, Token, TokenStream } from './tokens';

/** A `#define`. */
export interface Macro {
  readonly name: string;
  /** null: object-like. */
  readonly parameters: readonly string[] | null;
  /** Name that stands for the remaining arguments, or null. */
  readonly variadic: string | null;
  readonly body: readonly Token[];
  readonly line: number;
  readonly lastLine: number;
  /** The end of the body is not shown. */
  readonly cut: boolean;
  /** It stands behind an `#else` whose `#if` is not shown. */
  readonly weak: boolean;
}

/** A definition, or with `macro: null` an `#undef`, that holds from `line` on. */
export interface MacroEvent {
  readonly line: number;
  readonly macro: Macro | null;
}

/** The last of `events` (in the order of lines) that stands at or before `line`. */
export function eventAt(events: readonly MacroEvent[] | undefined, line: number): MacroEvent | undefined {
  let low = 0;
  let high = events?.length ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events![middle]!.line <= line) low = middle + 1;
    else high = middle;
  }
  return events?.[low - 1];
}

/** What conditionals ask. */
export interface ConditionContext {
  readonly configuration: Configuration;
  /** A macro that other files define. */
  outerMacro(name: string): Macro | null;
}

/** What is left of a stream, and what it defines. */
export interface Conditioned {
  readonly tokens: readonly Token[];
  readonly events: ReadonlyMap<string, readonly MacroEvent[]>;
  /** Line ranges behind an `#else` without a visible `#if`. */
  readonly weak: readonly { readonly firstLine: number; readonly lastLine: number }[];
}

interface Branch {
  readonly outerActive: boolean;
  taken: boolean;
  active: boolean;
}

/** Names that are defined without a `#define`. */
const predefined: Readonly<Record<string, readonly string[]>> = {
  x86: ['__x86_64__', '__amd64__', '__LP64__'],
  arm64: ['__aarch64__', '__LP64__'],
  other: ['__LP64__'],
};
const alwaysDefined = new Set(['__KERNEL__', '__XEN__', '__GNUC__', '__SIZEOF_INT128__']);
const neverDefined = new Set(['__ASSEMBLY__', '__ASSEMBLER__', 'MODULE', '__CHECKER__', '__cplusplus']);

export class Conditionals {
  private readonly kept: Token[] = [];
  private readonly weak: { firstLine: number; lastLine: number }[] = [];
  private readonly stack: Branch[] = [];
  private weakSince: number | null = null;

  /** `events` may already hold those of earlier streams of the same unit; new ones are added to it. */
  constructor(
    private readonly stream: TokenStream,
    private readonly context: ConditionContext,
    private readonly events: Map<string, MacroEvent[]>,
  ) {}

  run(): Conditioned {
    const { tokens, directives } = this.stream;
    let at = 0;
    for (const [index, directive] of directives.entries()) {
      this.keep(tokens, at, directive.at);
      at = directive.at;
      this.directive(directive, directives[index + 1]);
    }
    this.keep(tokens, at, tokens.length);
    this.closeWeak(this.stream.lastLine);
    return { tokens: this.kept, events: this.events, weak: this.weak };
  }

  private get active(): boolean {
    return this.stack.at(-1)?.active ?? true;
  }

  private keep(tokens: readonly Token[], from: number, to: number): void {
    if (!this.active) return;
    for (let index = from; index < to; index++)
      if (tokens[index]!.text !== '') this.kept.push(tokens[index]!);
  }

  private directive(directive: Directive, next: Directive | undefined): void {
    switch (directive.name) {
      case 'if':
        return this.open(directive, () => evaluateCondition(directive.tokens, this.lookup(directive.line)));
      case 'ifdef':
        return this.open(directive, () => this.isDefined(directive.tokens[0]?.text ?? '', directive.line));
      case 'ifndef':
        return this.open(directive, () => this.ifNotDefined(directive, next));
      case 'elif':
        return this.otherwise(directive, () =>
          evaluateCondition(directive.tokens, this.lookup(directive.line)),
        );
      case 'else':
        return this.otherwise(directive, () => true);
      case 'endif':
        if (!this.stack.pop()) this.closeWeak(directive.line);
        return;
      case 'define':
        if (this.active) this.define(directive);
        return;
      case 'undef':
        if (this.active) this.record(directive.tokens[0]?.text ?? '', directive.line, null);
    }
  }

  private open(_directive: Directive, condition: () => boolean): void {
    const outerActive = this.active;
    const active = outerActive && condition();
    this.stack.push({ outerActive, taken: active, active });
  }

  private otherwise(directive: Directive, condition: () => boolean): void {
    const branch = this.stack.at(-1);
    if (!branch) {
      this.weakSince ??= directive.line;
      return;
    }
    branch.active = branch.outerActive && !branch.taken && condition();
    branch.taken ||= branch.active;
  }

  private closeWeak(line: number): void {
    if (this.weakSince !== null) this.weak.push({ firstLine: this.weakSince, lastLine: line });
    this.weakSince = null;
  }

  /** `#ifndef X`: an include guard or a default (`#define X` follows) is open unless another file defines X. */
  private ifNotDefined(directive: Directive, next: Directive | undefined): boolean {
    const name = directive.tokens[0]?.text ?? '';
    const guard = next?.name === 'define' && next.tokens[0]?.text === name && next.tokens.length === 1;
    if (guard && !this.events.has(name)) return true;
    return !this.isDefined(name, directive.line);
  }

  private isDefined(name: string, line: number): boolean {
    if (name.startsWith('CONFIG_')) return this.context.configuration.isOn(name);
    if (neverDefined.has(name)) return false;
    if (alwaysDefined.has(name)) return true;
    if (predefined[this.context.configuration.architecture]?.includes(name)) return true;
    return this.macroAt(name, line) !== null;
  }

  private macroAt(name: string, line: number): Macro | null {
    const own = eventAt(this.events.get(name), line);
    return own ? own.macro : this.context.outerMacro(name);
  }

  private lookup(line: number) {
    return {
      isDefined: (name: string) => this.isDefined(name, line),
      configuration: this.context.configuration,
      bodyOf: (name: string) => {
        const macro = this.macroAt(name, line);
        return macro && !macro.parameters ? macro.body : null;
      },
    };
  }

  private define(directive: Directive): void {
    const macro = readDefine(directive, this.weakSince !== null);
    if (macro) this.record(macro.name, directive.line, macro);
  }

  private record(name: string, line: number, macro: Macro | null): void {
    const list = this.events.get(name);
    if (list) list.push({ line, macro });
    else this.events.set(name, [{ line, macro }]);
  }
}

/** The macro that a `#define` line defines; null where it cannot be read. */
export function readDefine(directive: Directive, weak: boolean): Macro | null {
  const { tokens, line, lastLine, cut } = directive;
  const name = tokens[0];
  if (name?.kind !== 'name') return null;
  const open = tokens[1];
  const common = { name: name.text, line, lastLine, cut, weak };
  if (open?.text !== '(' || open.space)
    return { ...common, parameters: null, variadic: null, body: tokens.slice(1) };
  const parameters: string[] = [];
  let variadic: string | null = null;
  let at = 2;
  for (; at < tokens.length && tokens[at]!.text !== ')'; at++) {
    const token = tokens[at]!;
    if (token.text === '...') {
      const named = tokens[at - 1]?.kind === 'name';
      variadic = named ? (parameters.pop() ?? null) : '__VA_ARGS__';
    } else if (token.kind === 'name') parameters.push(token.text);
  }
  if (at >= tokens.length) return { ...common, parameters, variadic, body: [], cut: true };
  return { ...common, parameters, variadic, body: tokens.slice(at + 1) };
}
