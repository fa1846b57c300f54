/** Runs the assembler's own language over statements: macros, `.if`, `.rept`, sections; what is left is lowered. */
import type { Register } from '../ir';
import { AsmBoundReached, asmBounds, unreadableLine } from './bounds';
import { builtinClass } from './builtinNames';
import { Builtins } from './builtins';
import { evaluateIf } from './conditions';
import { unseenLines, type Frame } from './frame';
import { bindArguments, substitute, type MacroDefinition } from './macros';
import {
  parseStatement,
  splitArguments,
  splitOperands,
  splitStatements,
  type Parsed,
  type Statement,
} from './statements';
import { Sections } from './sections';
import { isConditional, structureOf } from './structure';

/** What lowers instructions: one per architecture. */
export interface Machine {
  /** Lowers an instruction; false if the name is none. */
  instruction(mnemonic: string, rest: string): boolean;
  /** Keeps something that is not understood, by name. */
  unknown(mnemonic: string, rest: string, why?: string): void;
  /** Register or constant of an argument of a macro that is not in sight; null if it is neither. */
  argument(text: string): Register | null;
  /** Name of the machine register that a text is; null if it is none. */
  registerName(text: string): string | null;
  /** Nothing is known any more of flags and constants. */
  forget(): void;
  /** Takes note that a register is overwritten by something that is not in sight. */
  overwritten(text: string): void;
}

/** What an expansion may look at. */
export interface ExpansionContext {
  readonly frame: Frame;
  readonly machine: Machine;
  readonly macros: ReadonlyMap<string, MacroDefinition>;
  /** The C preprocessor, for text that it did not see. */
  readonly preprocess: (text: string) => string;
  /** Macros that are known to exceed a bound. */
  readonly bombs: ReadonlySet<string>;
}

interface Binding {
  readonly values: ReadonlyMap<string, string>;
  readonly expansion: number;
}

export class Expansion {
  private readonly builtins: Builtins;
  private expansions = 0;
  private depth = 0;
  private nesting = 0;
  /** Macros that are being expanded, and conditionals around them that are not decided. */
  private readonly expanding: string[] = [];
  private openBranches = 0;
  private readonly sections: Sections;
  private exits = false;

  constructor(private readonly context: ExpansionContext) {
    this.sections = new Sections(context.frame);
    this.builtins = new Builtins(context, text => this.text(text));
  }

  private get frame(): Frame {
    return this.context.frame;
  }

  /** Lowers statements of the text itself. */
  run(statements: readonly Statement[], binding: Binding | null): void {
    this.block(statements, 0, statements.length, binding);
  }

  /** Lowers text that stands in an argument (of ALTERNATIVE). */
  text(text: string): void {
    this.deeper(() => {
      for (const part of splitStatements(text)) this.statement(part);
    });
  }

  private nested(work: () => void): void {
    if (this.nesting >= asmBounds.blocks) throw new AsmBoundReached('blocks');
    this.nesting++;
    work();
    this.nesting--;
  }

  private deeper(work: () => void): void {
    if (this.depth >= asmBounds.macroDepth) throw new AsmBoundReached('macroDepth');
    this.depth++;
    work();
    this.depth--;
  }

  private block(list: readonly Statement[], from: number, to: number, binding: Binding | null): void {
    const structure = structureOf(list);
    for (let at = from; at < to; at++) {
      if (this.exits) return;
      const statement = list[at]!;
      if (this.depth === 0) this.frame.builder.line = statement.line;
      // The first statement of a routine begins it; behind the heading of a macro lines may be missing.
      if (statement.gap >= 0 && (at > 0 || binding)) this.gap();
      const text = binding ? substitute(statement.text, binding.values, binding.expansion) : statement.text;
      if (text.length > asmBounds.lineLength) throw new AsmBoundReached('lineLength');
      const { labels, mnemonic, rest } = text === statement.text ? statement.parsed : parseStatement(text);
      const end = structure.endOf(at);
      if (end < 0 || this.sections.inData) {
        this.statement(text, { labels, mnemonic, rest });
        continue;
      }
      for (const label of labels) this.frame.define(label);
      this.frame.spend();
      this.nested(() => {
        if (isConditional(mnemonic)) this.conditional(list, at, binding);
        else this.repeat(mnemonic, rest, list, at + 1, end, binding);
      });
      at = Math.min(end, to);
    }
  }

  private gap(): void {
    const { builder } = this.frame;
    // Whatever stands before, the unseen lines may be reached.
    builder.place(builder.label());
    this.frame.gaps.push(builder.length);
    this.frame.onLabel();
    const why = 'The patch does not show the lines that stand here.';
    builder.emit({ op: 'unknown', dst: null, name: unseenLines, why });
    this.frame.unseen();
  }

  /** `.if` with its branches; `at` is the `.if` or `.elseif`. */
  private conditional(list: readonly Statement[], at: number, binding: Binding | null): void {
    const structure = structureOf(list);
    const next = structure.clauseAfter(at);
    const end = structure.endOf(at);
    const { mnemonic, rest } = parseStatement(
      binding ? substitute(list[at]!.text, binding.values, binding.expansion) : list[at]!.text,
    );
    const outcome = evaluateIf(this.frame, mnemonic, rest);
    const body = (): void => this.block(list, at + 1, next, binding);
    const otherwise = (): void => {
      if (next >= end) return;
      if (list[next]!.parsed.mnemonic === '.else') this.block(list, next + 1, end, binding);
      else this.nested(() => this.conditional(list, next, binding));
    };
    if (outcome.known !== null) {
      if (outcome.known) body();
      else otherwise();
      return;
    }
    const { builder } = this.frame;
    const taken = builder.label();
    const done = builder.label();
    builder.branch(outcome.register(), taken, rest.trim());
    this.openBranches++;
    otherwise();
    builder.jump(done);
    this.frame.onLabel();
    builder.place(taken);
    body();
    this.openBranches--;
    this.frame.onLabel();
    builder.place(done);
  }

  /** `.rept`, `.irp`, `.irpc`. */
  private repeat(
    mnemonic: string,
    rest: string,
    list: readonly Statement[],
    from: number,
    to: number,
    binding: Binding | null,
  ): void {
    if (mnemonic === '.rept' || mnemonic === '.rep') {
      const times = this.frame.evaluateText(rest);
      if (times === null) {
        this.context.machine.unknown('.rept', '', 'The number of repetitions is not known.');
        return;
      }
      for (let turn = 0n; turn < times && !this.exits; turn++) {
        this.frame.spend();
        this.block(list, from, to, binding);
      }
      return;
    }
    const [name = '', ...items] = splitArguments(rest);
    const values = mnemonic === '.irpc' ? items.join('').split('') : items;
    for (const value of values) {
      if (this.exits) return;
      this.frame.spend();
      // What stands around it is put in first, so a name that is bound there is not free here.
      const bound = new Map([[name, value], ...(binding?.values ?? [])]);
      this.block(list, from, to, { values: bound, expansion: binding?.expansion ?? 0 });
    }
  }

  /** One statement, arguments already put in. */
  private statement(text: string, known: Parsed | null = null): void {
    this.frame.spend();
    if (text.includes(';')) {
      const parts = splitStatements(text);
      if (parts.length > 1) {
        for (const part of parts) this.statement(part);
        return;
      }
    }
    const { labels, mnemonic, rest } = known ?? parseStatement(text);
    if (this.sections.inData) {
      if (mnemonic.startsWith('.')) this.directive(mnemonic, rest);
      return;
    }
    for (const label of labels) this.frame.define(label);
    if (mnemonic === '') {
      if (rest !== '') this.context.machine.unknown(rest.slice(0, 20), '', 'This statement cannot be read.');
      return;
    }
    if (mnemonic.startsWith('.')) {
      if (!this.directive(mnemonic, rest))
        this.context.machine.unknown(mnemonic, rest, 'Bytes instead of an instruction.');
      return;
    }
    const kind = builtinClass(mnemonic);
    if (kind !== null && this.builtins.run(kind, mnemonic, rest)) return;
    const macro = this.context.macros.get(mnemonic);
    if (macro) this.expand(macro, rest);
    else if (this.context.machine.instruction(mnemonic, rest) || this.builtins.fallback(mnemonic, rest))
      return;
    else if (mnemonic.startsWith('\\'))
      this.context.machine.unknown(mnemonic, rest, 'An instruction that the caller of the macro gives.');
    else this.unseenMacro(mnemonic, rest);
  }

  private expand(macro: MacroDefinition, rest: string): void {
    if (this.openBranches > 0 && this.expanding.includes(macro.name)) {
      this.context.machine.unknown(macro.name, '', 'A macro that calls itself as often as an argument says.');
      return;
    }
    if (this.context.bombs.has(macro.name)) throw new AsmBoundReached('statements');
    const values = bindArguments(macro, rest);
    for (const [name, value] of values) this.handsOver(name, value);
    const expansion = ++this.expansions;
    const from = this.frame.builder.length;
    this.expanding.push(macro.name);
    this.deeper(() => this.block(macro.body, 0, macro.body.length, { values, expansion }));
    this.expanding.pop();
    this.frame.expanded.push({ name: macro.name, from, to: this.frame.builder.length });
    this.exits = false;
  }

  /** A register given to a parameter that says it is scratch counts as overwritten. */
  private handsOver(parameter: string, value: string): void {
    if (!/scratch|tmp|temp/i.test(parameter)) return;
    const register = this.context.machine.registerName(value);
    if (register !== null) this.frame.note(register, 'write');
  }

  /** A macro whose definition is not at hand: a call by name. */
  private unseenMacro(name: string, rest: string): void {
    const { builder } = this.frame;
    const text = rest.startsWith('(') && rest.endsWith(')') ? rest.slice(1, -1) : rest;
    const written = splitArguments(text).map(argument => {
      const named = /^([\w.]+)\s*=(?!=)\s*([^]*)$/.exec(argument);
      if (named) this.handsOver(named[1]!, named[2]!);
      return named ? named[2]! : argument;
    });
    const args = written.map(argument => this.context.machine.argument(argument));
    const known = args.filter(argument => argument !== null);
    const first = args.findIndex((argument, index) => argument !== null && !/^\$?\d/.test(written[index]!));
    builder.emit({
      op: 'call',
      dst: first < 0 ? null : args[first]!,
      callee: name,
      pointer: null,
      args: known,
      text: `${name} ${rest}`.trim(),
    });
    if (first >= 0) this.context.machine.overwritten(written[first]!);
    this.context.machine.forget();
  }

  /** Directives; false for bytes in the middle of code. */
  private directive(mnemonic: string, rest: string): boolean {
    switch (mnemonic) {
      case unreadableLine:
        throw new AsmBoundReached('lineLength');
      case '.set':
      case '.equ':
      case '.equiv': {
        const [name = '', ...value] = splitOperands(rest);
        if (!this.sections.inData) this.frame.setSymbol(name, this.frame.evaluateText(value.join(',')));
        return true;
      }
      case '.exitm':
        this.exits = this.depth > 0;
        return true;
      case '.pushsection':
      case '.subsection':
        this.sections.push(mnemonic, rest);
        return true;
      case '.popsection':
        this.sections.pop();
        return true;
      case '.section':
        this.sections.enter(rest);
        return true;
      case '.previous':
      case '.text':
        this.sections.inData = false;
        return true;
      case '.data':
      case '.bss':
        this.sections.inData = true;
        return true;
      case '.byte':
      case '.inst':
      case '.word':
      case '.short':
      case '.long':
      case '.quad':
      case '.hword':
      case '.2byte':
      case '.4byte':
      case '.8byte':
        return this.sections.inData || this.builtins.bytes(mnemonic, rest);
      default:
        return true;
    }
  }

  /** Ends sections that the text leaves open, so that every label has a place. */
  finish(): void {
    this.sections.finish();
    this.builtins.finish();
  }
}
