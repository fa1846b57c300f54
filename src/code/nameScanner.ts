/** The tokens of C and assembler lines, as far as it takes to find names that perform operations. */
import type { CatalogueEntry, CatalogueMatch, LookupHints } from './catalogue/entry';
import { lookup } from './catalogue/lookup';
import { beginsName, continuesName, isCatalogueName } from './nameFilter';
import {
  callArguments,
  controlRegisterMove,
  literalEnd,
  nameBefore,
  nameEnd,
  operands,
  parenthesisEnd,
  skipBlanks,
  statementEnd,
  trimmedEnd,
} from './recogniseText';

/** One place where a catalogue name stands in code. */
export interface Recognised {
  /** As in the catalogue: a kernel name, an instruction, or `mov to %cr3` and the like. */
  readonly name: string;
  /** 0-based UTF-16 column of the name in its line. */
  readonly column: number;
  readonly entry: CatalogueEntry;
  /** What was assumed to choose the row, or null. */
  readonly assumption: string | null;
  /** Arguments or operands as written; empty where there are none or they cannot be seen. */
  readonly args: readonly string[];
}

/** Before these words a call can stand; before any other word it is a declaration. */
const beforeCalls: ReadonlySet<string> = new Set(['return', 'else', 'do', 'case', 'sizeof', 'typeof']);

/** Assembler words whose operand is a routine. */
const jumps: ReadonlySet<string> = new Set(['call', 'callq', 'jmp', 'jmpq', 'bl', 'b']);

/** Words whose parenthesised strings are assembly. */
const assemblyWords: ReadonlySet<string> = new Set([
  ...['asm', '__asm__', '__asm', 'asm_inline', 'asm_volatile_goto'],
  ...['ALTERNATIVE', 'ALTERNATIVE_2', 'ALTERNATIVE_3', 'ALTERNATIVE_TERNARY'],
  ...['alternative', 'alternative_2', 'alternative_io', 'alternative_input'],
]);

/** Words between `asm` and its parenthesis. */
const assemblyQualifiers: ReadonlySet<string> = new Set(['volatile', '__volatile__', 'goto', 'inline']);

/** Tables of function pointers whose members are the functions of the same name. */
const knownTables: ReadonlySet<string> = new Set(['mmu', 'pv_mmu_ops', 'apic']);

/** `'\\xff'` and its like are not longer. */
const longestCharacter = 8;

/** Checks of debugging kernels: their arguments are not evaluated in production. */
const isDebugCheck = (name: string): boolean => name.startsWith('VM_WARN') || name.startsWith('VM_BUG');

const isInstruction = (match: CatalogueMatch | null): match is CatalogueMatch =>
  match?.entry.kind === 'instruction' || match?.entry.kind === 'asm-macro';

/** The kind of the token before the one that is looked at. */
const enum Before {
  Nothing,
  /** An identifier that can be part of a declaration. */
  Word,
  /** `*` behind such an identifier. */
  Star,
  /** A word before which a call can stand, or punctuation. */
  Other,
}

/** Reads lines one after the other and carries what reaches over line ends: comments, assembly, macros. */
export class NameScanner {
  private inComment = false;
  /** Depth of parentheses inside `asm (…)`, 0 outside. */
  private assemblyDepth = 0;
  private assemblyPending = false;
  /** Whether this line goes on with the preprocessor line before it, which is or is not read. */
  private continued: 'no' | 'read' | 'skip' = 'no';
  private before = Before.Nothing;
  /** Whether the next token begins a statement, as far as this line shows. */
  private statementBegins = true;
  private found: Recognised[] = [];

  constructor(
    private readonly lines: readonly string[],
    private readonly hints: LookupHints,
    /** Every line is assembly and `#` begins a comment (a `.S` file). */
    private readonly assembly: boolean,
  ) {}

  /** Forgets what came before: unseen lines lie in between. */
  restart(inComment: boolean): void {
    this.inComment = inComment;
    this.assemblyDepth = 0;
    this.assemblyPending = false;
    this.continued = 'no';
    this.before = Before.Nothing;
  }

  /** What stands on line `index`, which must be the one after the line read last. */
  line(index: number): readonly Recognised[] {
    const text = this.lines[index]!;
    this.found = [];
    this.statementBegins = true;
    const from = this.inComment ? 0 : this.lineStart(text);
    if (from < text.length) this.scan(text, index, from);
    return this.found;
  }

  /** Where to begin reading a line: behind what a macro definition or a comment's middle begins with. */
  private lineStart(text: string): number {
    const goesOn = text.trimEnd().endsWith('\\');
    if (this.continued !== 'no') {
      const skip = this.continued === 'skip';
      if (!goesOn) this.continued = 'no';
      return skip ? text.length : 0;
    }
    // A brace in the first column ends a function, so whatever was open there was cut or misread.
    if (text.startsWith('}')) this.assemblyDepth = 0;
    const first = skipBlanks(text, 0);
    if (text[first] === '#') return this.directive(text, skipBlanks(text, first + 1), goesOn);
    const next = text[first + 1];
    if (text[first] !== '*' || (next !== undefined && next !== ' ' && next !== '\t')) return 0;
    // The middle of a comment whose beginning is not shown.
    const close = text.indexOf('*/');
    return close < 0 ? text.length : close + 2;
  }

  /**
   * A one-line definition only gives a name to something and costs nothing where it stands; of a longer one the body
   * is read, as it is the code that its users run.
   */
  private directive(text: string, at: number, goesOn: boolean): number {
    const isDefinition = text.startsWith('define', at) && !continuesName(text.charCodeAt(at + 6));
    if (goesOn) this.continued = isDefinition ? 'read' : 'skip';
    this.before = Before.Nothing;
    if (!isDefinition || !goesOn) return text.length;
    const end = nameEnd(text, skipBlanks(text, at + 6));
    const close = text[end] === '(' ? text.indexOf(')', end) : end - 1;
    this.before = Before.Other;
    return close < 0 ? text.length : close + 1;
  }

  private scan(text: string, index: number, from: number): void {
    let at = from;
    while (at < text.length && at >= 0) {
      if (this.inComment) {
        const end = text.indexOf('*/', at);
        if (end < 0) return;
        this.inComment = false;
        at = end + 2;
      } else if (beginsName(text.charCodeAt(at))) at = this.word(text, index, at);
      else at = this.punctuation(text, at);
    }
  }

  /** Any character that begins no identifier. Returns where to go on, or -1 at the end of the code. */
  private punctuation(text: string, at: number): number {
    const character = text[at]!;
    if (character === ' ' || character === '\t') return at + 1;
    if (character === '/' && text[at + 1] === '*') {
      this.inComment = true;
      return at + 2;
    }
    if (character === '/' && text[at + 1] === '/') return -1;
    if (character === '#' && this.assembly) return -1;
    if (character === '\\' && at === text.length - 1) return -1;
    if (character === '"') return this.string(text, at);
    if (character === '*' && this.before === Before.Word) this.before = Before.Star;
    else if (character !== '*' || this.before !== Before.Star) this.before = Before.Other;
    if (character === ':' || character === ';' || character === '{' || character === '}')
      this.statementBegins = true;
    else if (character !== '.') this.statementBegins = false;
    if (character === '(') this.openParenthesis();
    if (character === ')' && this.assemblyDepth) this.assemblyDepth--;
    if (character >= '0' && character <= '9') return nameEnd(text, at);
    if (character !== "'") return at + 1;
    // An apostrophe that closes nothing nearby is no character literal.
    const end = literalEnd(text, at, Math.min(text.length, at + longestCharacter));
    return end > at + 1 && text[end - 1] === "'" ? end : at + 1;
  }

  private openParenthesis(): void {
    if (this.assemblyDepth || this.assemblyPending) this.assemblyDepth++;
    this.assemblyPending = false;
  }

  private string(text: string, at: number): number {
    const end = literalEnd(text, at);
    if (this.assemblyDepth || this.assemblyPending || this.assembly)
      this.assemblyText(text, at + 1, text[end - 1] === '"' && end - 1 > at ? end - 1 : end);
    this.before = Before.Other;
    this.statementBegins = false;
    return end;
  }

  /** An identifier. Returns where to go on. */
  private word(text: string, index: number, start: number): number {
    const end = nameEnd(text, start);
    const name = text.slice(start, end);
    const before = this.before;
    const begins = this.statementBegins;
    this.before = beforeCalls.has(name) ? Before.Other : Before.Word;
    this.statementBegins = false;
    if (assemblyWords.has(name)) this.assemblyPending = true;
    else if (!assemblyQualifiers.has(name)) this.assemblyPending = false;
    if (isDebugCheck(name) && text[end] === '(') return parenthesisEnd(text, end);
    if (name.startsWith('PVOP_')) return this.hook(text, index, end);
    if (begins && name.startsWith('mov')) return this.move(text, start, end, text.length, false);
    if (!isCatalogueName(name)) return end;
    const match = lookup(name, this.hints);
    if (!match) return end;
    const open = skipBlanks(text, end);
    if (begins && isInstruction(match) && this.isStatement(text, end, open)) {
      this.push(name, start, match, operands(text, end, statementEnd(text, end, text.length, false)));
    } else if (match.entry.kind === 'value') this.push(name, start, match, []);
    else if (text[open] === '(') {
      if (this.isCall(text, start, before))
        this.push(name, start, match, callArguments(this.lines, index, open));
    } else if (jumps.has(nameBefore(text, trimmedEnd(text, start)))) this.push(name, start, match, []);
    return end;
  }

  /** Whether a name at the beginning of a statement is an assembler statement, by what stands behind it. */
  private isStatement(text: string, end: number, next: number): boolean {
    const character = text[next];
    if (character === '(') return next > end && (text[next + 1] === '%' || text[next + 1] === '\\');
    return character === undefined || !'=:.-[,;)'.includes(character) || (character === ';' && this.assembly);
  }

  /** `PVOP_VCALL1(mmu.flush_tlb_one_user, addr)` is a call of the hook. */
  private hook(text: string, index: number, end: number): number {
    const open = skipBlanks(text, end);
    const dot = nameEnd(text, skipBlanks(text, open + 1));
    if (text[open] !== '(' || text[dot] !== '.') return end;
    const stop = nameEnd(text, dot);
    const name = text.slice(dot + 1, stop);
    // A hook may differ from the function of its name; then it has a row as `mmu.…`.
    const match =
      lookup(`mmu.${name}`, this.hints) ?? (isCatalogueName(name) ? lookup(name, this.hints) : null);
    if (match) this.push(name, dot + 1, match, callArguments(this.lines, index, open).slice(1));
    return stop;
  }

  private move(text: string, start: number, end: number, to: number, inString: boolean): number {
    const stop = statementEnd(text, end, to, inString);
    const move = controlRegisterMove(text, end, stop);
    if (!move) return end;
    const match = lookup(move.name, this.hints);
    if (match) this.push(move.name, start, match, [move.value]);
    return stop;
  }

  /** Whether the name at `start`, with a `(` behind it, is called there rather than declared. */
  private isCall(text: string, start: number, before: Before): boolean {
    const previous = trimmedEnd(text, start);
    const arrow = text.startsWith('->', previous - 2);
    if (arrow || text[previous - 1] === '.')
      return knownTables.has(nameBefore(text, previous - (arrow ? 2 : 1)));
    if (before === Before.Word) return jumps.has(nameBefore(text, previous));
    if (before === Before.Star) return text.startsWith(' ') || text.startsWith('\t');
    if (start > 0 || before === Before.Other) return true;
    // In the first column with nothing known before it: a definition, unless a statement ends here.
    return text.trimEnd().endsWith(';');
  }

  private push(name: string, column: number, match: CatalogueMatch, args: readonly string[]): void {
    this.found.push({ name, column, entry: match.entry, assumption: match.assumption, args });
  }

  /** The inside of a string of assembly. */
  private assemblyText(text: string, from: number, to: number): void {
    let begins = true;
    let at = from;
    while (at < to) {
      const character = text[at]!;
      if (character === '\\' && (text[at + 1] === 'n' || text[at + 1] === 't')) {
        begins = true;
        at += 2;
      } else if (beginsName(text.charCodeAt(at))) {
        const end = nameEnd(text, at);
        if (begins) this.assemblyStatement(text, at, end, to);
        begins = false;
        at = end;
      } else {
        if (character === ';' || character === ':') begins = true;
        else if (character !== ' ' && character !== '\t') begins = false;
        at++;
      }
    }
  }

  private assemblyStatement(text: string, start: number, end: number, to: number): void {
    const name = text.slice(start, end);
    if (name.startsWith('mov')) {
      this.move(text, start, end, to, true);
      return;
    }
    const match = isCatalogueName(name) ? lookup(name, this.hints) : null;
    if (isInstruction(match))
      this.push(name, start, match, operands(text, end, statementEnd(text, end, to, true)));
  }
}
