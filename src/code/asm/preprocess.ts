/** The C preprocessor over assembly: conditionals under a configuration, `#define`, expansion of each line. */
import type { Configuration } from '../configuration';
import { AsmBoundReached, asmBounds, unreadableLine } from './bounds';
import { isBuiltin } from './builtinNames';
import { knownConstant } from './constants';
import { Expander, readDefinition, type Definition } from './definitions';
import { evaluate, parseExpression } from './expression';
import type { AsmLine } from './text';

/** Lines left out, and why. */
export interface LeftOut {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly why: string;
}

export interface Preprocessed {
  readonly lines: readonly AsmLine[];
  /** Lines behind an `#else` whose `#if` is not shown. */
  readonly unread: readonly LeftOut[];
  /** Lines that could not be expanded. */
  readonly unreadable: readonly LeftOut[];
  /** Set when a bound was reached; the lines from `line` on are missing. */
  readonly cutOff: { readonly line: number; readonly why: string } | null;
}

interface Conditional {
  readonly outer: boolean;
  taken: boolean;
  active: boolean;
}

const alwaysDefined = new Set(['__ASSEMBLY__', '__ASSEMBLER__', 'NDEBUG', '__KERNEL__']);
const byArchitecture: Readonly<Record<string, readonly string[]>> = {
  x86: ['__x86_64__'],
  arm64: ['__aarch64__'],
  other: [],
};
const directive = /^\s*#\s*([a-z]+)\b\s*(.*)$/;
const undefinedHere: Definition | null = null;

/** Definitions of a set of files, in the order in which they are read. */
export class Preprocessor {
  private readonly current = new Map<string, Definition | null>();
  private readonly later = new Map<string, Definition>();
  private readonly expander = new Expander(name => this.definition(name));

  constructor(private readonly configuration: Configuration) {}

  /**
   * Notes every `#define` of a file of which only parts are shown, so that a use finds it wherever it stands.
   * A definition that is read in order wins.
   */
  announce(lines: readonly AsmLine[]): void {
    for (const line of lines) {
      const match = directive.exec(line.text);
      if (match?.[1] !== 'define') continue;
      const definition = readDefinition(match[2]!);
      if (definition && !this.later.has(definition.name)) this.later.set(definition.name, definition);
    }
  }

  /** The lines that are active under the configuration, expanded; directives are gone. */
  run(lines: readonly AsmLine[]): Preprocessed {
    const kept: AsmLine[] = [];
    const unread: LeftOut[] = [];
    const unreadable: LeftOut[] = [];
    const stack: Conditional[] = [];
    let orphan: number | null = null;
    const closeOrphan = (line: number): void => {
      if (orphan !== null)
        unread.push({ firstLine: orphan, lastLine: line, why: 'The #if of this #else is not shown.' });
      orphan = null;
    };
    let gap = -1;
    for (const line of lines) {
      if (line.gap >= 0) {
        gap = line.gap;
        closeOrphan(line.line - 1);
        stack.length = 0;
      }
      const match = directive.exec(line.text);
      if (match) {
        const [, name, rest] = match;
        if (name === 'else' && stack.length === 0) orphan ??= line.line;
        else if (name === 'elif' && stack.length === 0) orphan ??= line.line;
        else if (name === 'endif' && !stack.pop()) closeOrphan(line.line);
        else if (orphan === null) this.directive(name!, rest!, stack);
        continue;
      }
      if (orphan !== null || !(stack.at(-1)?.active ?? true)) continue;
      const expanded = this.expandLine(line, unreadable);
      if (expanded === null) {
        const why = new AsmBoundReached('badLines').message;
        kept.push({ ...line, gap, text: unreadableLine });
        return { lines: kept, unread, unreadable, cutOff: { line: line.line, why } };
      }
      kept.push({ ...line, gap, text: expanded });
      gap = -1;
    }
    closeOrphan(lines.at(-1)?.lastLine ?? 0);
    return { lines: kept, unread, unreadable, cutOff: null };
  }

  /** The line expanded, a mark where it cannot be, or null when there were too many of those. */
  private expandLine(line: AsmLine, unreadable: LeftOut[]): string | null {
    try {
      return this.expander.expand(line.text);
    } catch (error) {
      if (!(error instanceof AsmBoundReached)) throw error;
      unreadable.push({ firstLine: line.line, lastLine: line.lastLine, why: error.message });
      return unreadable.length > asmBounds.badLines || error.bound === 'preprocessed' ? null : unreadableLine;
    }
  }

  /** Expands text that is no line of its own (an argument of ALTERNATIVE that is not quoted). */
  expand(text: string): string {
    return this.expander.expand(text);
  }

  private definition(name: string): Definition | null {
    if (isBuiltin(name)) return undefinedHere;
    const current = this.current.get(name);
    return current === undefined ? (this.later.get(name) ?? null) : current;
  }

  private directive(name: string, rest: string, stack: Conditional[]): void {
    const top = stack.at(-1);
    const active = top?.active ?? true;
    switch (name) {
      case 'if':
      case 'ifdef':
      case 'ifndef': {
        const holds = active && this.condition(name, rest);
        stack.push({ outer: active, taken: holds, active: holds });
        return;
      }
      case 'elif':
      case 'else':
        if (!top) return;
        top.active = top.outer && !top.taken && (name === 'else' || this.condition('if', rest));
        top.taken ||= top.active;
        return;
      case 'define':
        if (active) {
          const definition = readDefinition(rest);
          if (definition) this.current.set(definition.name, definition);
        }
        return;
      case 'undef':
        if (active) this.current.set(rest.trim(), null);
        return;
    }
  }

  private condition(name: string, rest: string): boolean {
    const word = /^\w+/.exec(rest)?.[0] ?? '';
    if (name === 'ifdef') return this.isDefined(word);
    if (name === 'ifndef') return !this.isDefined(word);
    // `defined X` and IS_ENABLED(X) look at the name itself, so they go before anything is expanded.
    const asked = rest.replace(
      /\b(?:defined|IS_ENABLED|IS_BUILTIN|IS_REACHABLE)\s*\(?\s*([A-Za-z_]\w*)(\s*\))?/g,
      (all: string, symbol: string, close: string | undefined) => {
        const value = this.isDefined(symbol) ? '1' : '0';
        return all.includes('(') || close === undefined ? value : value + close;
      },
    );
    let expanded: string;
    try {
      expanded = this.expander.expand(asked);
    } catch (error) {
      if (error instanceof AsmBoundReached) return false;
      throw error;
    }
    const expression = parseExpression(expanded, 'c');
    if (!expression) return false;
    const value = evaluate(expression, {
      name: symbol =>
        symbol.startsWith('CONFIG_')
          ? BigInt(this.configuration.valueOf(symbol))
          : (knownConstant(symbol) ?? 0n),
      call: () => 0n,
    });
    return value !== null && value !== 0n;
  }

  private isDefined(name: string): boolean {
    if (name.startsWith('CONFIG_')) return this.configuration.isOn(name);
    if (alwaysDefined.has(name)) return true;
    if (byArchitecture[this.configuration.architecture]?.includes(name)) return true;
    return (this.current.get(name) ?? null) !== null;
  }
}
