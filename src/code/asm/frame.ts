/** State of the lowering of one routine or macro: builder, labels, assembler symbols, what it did to registers. */
import type { Register } from '../ir';
import { AsmBoundReached, asmBounds } from './bounds';
import { IrBuilder, type Label, type Width } from './builder';
import { knownConstant } from './constants';
import { evaluate, parseExpression, type Expression } from './expression';

/** Something that happened to a machine register, in the order of the text. */
export interface RegisterEvent {
  readonly what: 'write' | 'save' | 'restore';
  /** 64-bit name. */
  readonly register: string;
  /** Line of the unit. */
  readonly line: number;
}

/** Statements counted over all routines of a module. */
export class Budget {
  private total = 0;

  spend(): void {
    if (++this.total > asmBounds.moduleStatements) throw new AsmBoundReached('moduleStatements');
  }
}

/** What a jump to a label that is not in the text does. */
export interface OutsideTarget {
  readonly name: string;
  readonly label: Label;
  readonly line: number;
  /** Length of the code at the jump. */
  readonly from: number;
}

/** Name of the `unknown` instruction that stands for lines which a patch does not show. */
export const unseenLines = 'unseen lines';

export class Frame {
  readonly builder = new IrBuilder();
  readonly events: RegisterEvent[] = [];
  /** Macros expanded into it, and the code that each brought. */
  readonly expanded: { readonly name: string; readonly from: number; readonly to: number }[] = [];
  /** Registers written so far. */
  readonly written = new Set<string>();
  /** Places of unseen lines, as code indexes; from there unseen jumps may lead anywhere. */
  readonly gaps: number[] = [];
  /** Per place from which unseen jumps lead: where control goes on. */
  private readonly exits: { readonly from: number; readonly label: Label; readonly after: Label }[] = [];
  /** Called where control can come from elsewhere, so that nothing is known of the flags. */
  onLabel: () => void = () => undefined;
  private readonly labels = new Map<string, Label>();
  private readonly defined = new Set<string>();
  private readonly numeric = new Map<string, { last: Label | null; next: Label | null }>();
  private readonly wanted: OutsideTarget[] = [];
  private readonly symbols = new Map<string, bigint | null>();
  private readonly versions = new Map<string, number>();
  private statements = 0;
  /** Every label placed, and whether control could not run into it from above. */
  private readonly placed: { readonly label: Label; readonly apart: boolean }[] = [];
  private readonly referenced = new Set<Label>();

  constructor(private readonly budget: Budget) {}

  /** Counts one statement; throws at the bound. */
  spend(): void {
    this.budget.spend();
    if (++this.statements > asmBounds.statements) throw new AsmBoundReached('statements');
  }

  /** Here stand lines that are not shown; control may go from them to any label. */
  unseen(): void {
    const { builder } = this;
    const label = builder.label();
    const after = builder.label();
    this.exits.push({ from: builder.length, label, after });
    builder.jump(label);
    builder.place(after);
    this.onLabel();
  }

  /** Lets the unseen lines jump to the labels that nothing else leads to. The code must be complete. */
  linkUnseen(): void {
    const { builder } = this;
    const orphans = this.orphans();
    for (const [index, { from, label, after }] of this.exits.entries()) {
      const next = this.exits[index + 1]?.from ?? Infinity;
      const mine = orphans.filter(orphan => orphan.at >= from && orphan.at < next);
      if (mine.length === 0) {
        label.at = after.at;
        continue;
      }
      builder.place(label);
      for (const orphan of mine) {
        const condition = builder.variable('unseen jump', { bits: 1, signed: false });
        builder.branch(condition, orphan, 'a jump from lines that the patch does not show');
      }
      builder.jump(after);
    }
  }

  /** Defines a label here. */
  define(name: string): void {
    this.onLabel();
    if (/^\d+$/.test(name)) {
      const entry = this.numeric.get(name) ?? { last: null, next: null };
      const label = entry.next ?? this.builder.label();
      this.placed.push({ label, apart: this.builder.ended });
      this.builder.place(label);
      this.numeric.set(name, { last: label, next: null });
      return;
    }
    const label = this.labels.get(name) ?? this.builder.label();
    this.labels.set(name, label);
    this.defined.add(name);
    if (label.at >= 0) return;
    this.placed.push({ label, apart: this.builder.ended });
    this.builder.place(label);
  }

  /** The label that a jump names. It may turn out to lie outside. */
  target(name: string): Label {
    const local = /^(\d+)([bf])$/.exec(name);
    if (local) {
      const entry = this.numeric.get(local[1]!) ?? { last: null, next: null };
      this.numeric.set(local[1]!, entry);
      if (local[2] === 'b' && entry.last) return this.refer(entry.last);
      const label = local[2] === 'f' ? (entry.next ??= this.builder.label()) : this.builder.label();
      this.want(name, label);
      return this.refer(label);
    }
    const label = this.labels.get(name) ?? this.builder.label();
    this.labels.set(name, label);
    this.want(name, label);
    return this.refer(label);
  }

  private refer(label: Label): Label {
    this.referenced.add(label);
    return label;
  }

  /** Labels that no jump in the text leads to and that control does not run into. */
  orphans(): Label[] {
    return this.placed
      .filter(({ label, apart }) => apart && !this.referenced.has(label))
      .map(({ label }) => label);
  }

  /** Whether a label of this name is defined already. */
  isDefined(name: string): boolean {
    return (this.labels.get(name)?.at ?? -1) >= 0;
  }

  /** Labels with a name that other code can use, and where they stand in the finished code. */
  namedLabels(): { name: string; at: number }[] {
    return [...this.labels]
      .filter(([name]) => this.defined.has(name) && !/[\\@]/.test(name))
      .map(([name, label]) => ({ name, at: this.builder.placeOf(label) }));
  }

  /** Jump targets that no label in this code satisfies. */
  outside(): OutsideTarget[] {
    return this.wanted.filter(target => target.label.at < 0);
  }

  private want(name: string, label: Label): void {
    if (label.at < 0) this.wanted.push({ name, label, line: this.builder.line, from: this.builder.length });
  }

  /** `.set name, expression`. */
  setSymbol(name: string, value: bigint | null): void {
    this.symbols.set(name, value);
  }

  hasSymbol(name: string): boolean {
    return this.symbols.has(name);
  }

  private readonly names = {
    name: (name: string): bigint | null => {
      const symbol = this.symbols.get(name);
      return symbol === undefined ? knownConstant(name) : symbol;
    },
  };

  /** Value of a constant expression; null where it is not known. */
  evaluate(expression: Expression): bigint | null {
    return evaluate(expression, this.names);
  }

  evaluateText(text: string): bigint | null {
    const expression = parseExpression(text);
    return expression && this.evaluate(expression);
  }

  /** The value of an expression in a register: a constant, or computed from names that stand for themselves. */
  value(text: string, bits: Width): Register {
    const expression = parseExpression(text);
    if (!expression) return this.symbol(text.trim());
    return this.compile(expression, bits, 0);
  }

  private compile(expression: Expression, bits: Width, depth: number): Register {
    const known = this.evaluate(expression);
    if (known !== null) return this.builder.constant(known, bits);
    if (depth > asmBounds.nesting) return this.symbol('expression');
    switch (expression.kind) {
      case 'name':
        return this.symbol(expression.name);
      case 'unary': {
        const a = this.compile(expression.a, bits, depth + 1);
        if (expression.operator === '+') return a;
        const dst = this.builder.temp();
        const operator = ({ '-': 'neg', '~': 'not', '!': 'lnot' } as const)[expression.operator as '-'];
        this.builder.emit({ op: 'unary', dst, operator, a, type: { bits: 64, signed: false } });
        return dst;
      }
      case 'binary': {
        const operator = binaryOperators[expression.operator];
        if (!operator) return this.symbol(expression.operator);
        const a = this.compile(expression.a, bits, depth + 1);
        return this.builder.binary(operator, a, this.compile(expression.b, bits, depth + 1));
      }
      case 'call':
        return this.symbol(expression.name);
      case 'number':
        return this.builder.constant(expression.value, bits);
    }
  }

  /** A name whose value nobody knows here: a macro parameter, a constant or address from elsewhere. */
  private symbol(name: string): Register {
    if (name.startsWith('\\')) return this.parameter(name);
    const dst = this.builder.temp();
    this.builder.emit({ op: 'address', dst, name, kind: 'global' });
    return dst;
  }

  /** Register of a macro parameter (`\name`). */
  parameter(name: string): Register {
    return this.builder.variable(name);
  }

  /** Notes that a machine register (or parameter) gets a new value. */
  touch(register: string, what: RegisterEvent['what'] = 'write'): void {
    this.versions.set(register, this.version(register) + 1);
    this.written.add(register);
    this.events.push({ what, register, line: this.builder.line });
  }

  note(register: string, what: RegisterEvent['what']): void {
    this.events.push({ what, register, line: this.builder.line });
  }

  /** Counts the writes to a register, to tell whether a copy still holds. */
  version(register: string): number {
    return this.versions.get(register) ?? 0;
  }
}

const binaryOperators: Readonly<
  Record<
    string,
    | 'add'
    | 'sub'
    | 'mul'
    | 'div'
    | 'mod'
    | 'and'
    | 'or'
    | 'xor'
    | 'shl'
    | 'shr'
    | 'eq'
    | 'ne'
    | 'lt'
    | 'le'
    | 'gt'
    | 'ge'
  >
> = {
  ...{ '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '%': 'mod', '&': 'and', '|': 'or', '^': 'xor' },
  ...{ '<<': 'shl', '>>': 'shr', '==': 'eq', '!=': 'ne', '<>': 'ne', '<': 'lt', '<=': 'le', '>': 'gt' },
  '>=': 'ge',
};
