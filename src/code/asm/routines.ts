/** Routines: which statements outside macros belong to which entry point. */
import type { SourceUnit } from '../source';
import { unreadableLine } from './bounds';
import { builtinClass } from './builtinNames';
import type { Statement } from './statements';

export interface Routine {
  readonly name: string;
  readonly unit: SourceUnit;
  readonly statements: readonly Statement[];
  readonly firstLine: number;
  readonly lastLine: number;
  /** Its beginning is not shown. */
  readonly cutStart: boolean;
  /** Its end is not shown. */
  readonly cutEnd: boolean;
  /** Lines inside it are not shown. */
  readonly gaps: boolean;
  /** No name was shown for it. */
  readonly nameless: boolean;
  /** Routine that follows at once, into which this one runs on; null where it ends or where that is not shown. */
  readonly runsInto: string | null;
}

const heading = /^\s*([A-Za-z_]\w*)\s*\(\s*([\w.$\\]+)/;

/** Name of the routine that a hunk heading (the text behind the second `@@`) stands in; null where it says none. */
function routineOfHeading(text: string): string | null {
  const call = heading.exec(text);
  if (call) {
    const kind = builtinClass(call[1]!);
    return kind === 'start' || kind === 'inner' ? call[2]! : null;
  }
  return /^([A-Za-z_][\w.$]*):/.exec(text)?.[1] ?? null;
}

/** First argument of `SYM_CODE_START(name)` and its like. */
export function calledName(rest: string): string {
  return /^\(?\s*([\w.$\\@]+)/.exec(rest)?.[1] ?? '';
}

/** Whether a statement may bring an instruction. */
function hasCode(statement: Statement): boolean {
  const { mnemonic } = statement.parsed;
  if (mnemonic === unreadableLine) return true;
  if (mnemonic === '' || mnemonic.startsWith('.')) return false;
  const kind = builtinClass(mnemonic);
  return kind === null || kind === 'other';
}

interface Open {
  name: string;
  statements: Statement[];
  cutStart: boolean;
  nameless: boolean;
  gaps: boolean;
  /** It has a closing macro (`SYM_CODE_END`), so labels inside do not end it. */
  closed: boolean;
  firstLine: number;
}

/** Sorts statements into routines, in one pass. */
export function sortRoutines(unit: SourceUnit, statements: readonly Statement[]): Routine[] {
  return new Sorter(unit, statements).run();
}

class Sorter {
  private readonly routines: Routine[] = [];
  private open: Open | null = null;
  /** Name → index of the last statement that closes it. */
  private readonly closers = new Map<string, number>();
  private heading: string | null = null;
  private skipped = 0;

  constructor(
    private readonly unit: SourceUnit,
    private readonly statements: readonly Statement[],
  ) {
    statements.forEach((statement, index) => {
      const { mnemonic, rest } = statement.parsed;
      if (builtinClass(mnemonic) === 'end') this.closers.set(calledName(rest), index);
    });
    if (!unit.whole) this.heading = routineOfHeading(unit.headings[unit.lines[0]?.hunk ?? 0] ?? '');
  }

  run(): Routine[] {
    this.statements.forEach((statement, index) => this.take(statement, index));
    this.close(!this.unit.whole, null);
    return this.routines;
  }

  private take(statement: Statement, index: number): void {
    if (statement.gap >= 0) this.afterGap(statement, index);
    const { labels, mnemonic, rest } = statement.parsed;
    for (const label of labels) this.label(label, statement);
    const kind = builtinClass(mnemonic);
    if (kind === 'start') {
      const name = calledName(rest);
      this.begin(name, statement, (this.closers.get(name) ?? -1) > index || mnemonic.startsWith('SYM_'));
      this.open!.statements.push(statement);
    } else if (kind === 'end') {
      const name = calledName(rest);
      if (!this.open && !this.unit.whole) return;
      if (this.open?.nameless && name !== '') this.open.name = name;
      this.close(false, null);
    } else if (kind === 'inner' && !this.open) {
      this.begin(calledName(rest), statement, false);
      this.open!.statements.push(statement);
    } else {
      if (!this.open && this.startsNothing(mnemonic, kind)) return;
      if (!this.open) this.beginUnseen(statement);
      this.open!.statements.push(statement);
    }
  }

  /** Statements that need no routine around them. */
  private startsNothing(mnemonic: string, kind: string | null): boolean {
    if (mnemonic === '') return true;
    if (kind === 'silent') return true;
    return mnemonic.startsWith('.') || mnemonic.startsWith('#');
  }

  private label(name: string, statement: Statement): void {
    const local = /^(?:\.L|\d)/.test(name) || name.includes('\\');
    if (local || this.open?.closed) {
      if (!this.open) this.beginUnseen(statement);
      return;
    }
    if (this.open?.name === name) return;
    this.begin(name, statement, false);
  }

  private begin(name: string, statement: Statement, closed: boolean): void {
    this.close(false, name);
    this.heading = null;
    this.open = {
      name,
      statements: [],
      cutStart: false,
      nameless: false,
      gaps: false,
      closed,
      firstLine: statement.line,
    };
  }

  /** A routine whose beginning is not shown: named by the hunk heading if that names one. */
  private beginUnseen(statement: Statement): void {
    const file = this.unit.path.slice(this.unit.path.lastIndexOf('/') + 1);
    const hunk = this.unit.lines[statement.line]?.hunk ?? -1;
    const place = this.unit.whole ? `code ${++this.skipped} of ${file}` : `hunk ${hunk + 1} of ${file}`;
    this.open = {
      name: this.heading ?? place,
      statements: [],
      cutStart: !this.unit.whole,
      nameless: this.heading === null,
      gaps: false,
      closed: false,
      firstLine: statement.line,
    };
  }

  private afterGap(statement: Statement, index: number): void {
    const name = routineOfHeading(this.unit.headings[statement.gap] ?? '');
    this.heading = name;
    const open = this.open;
    if (!open) return;
    const goesOn =
      name === null ? !open.nameless && (this.closers.get(open.name) ?? -1) >= index : name === open.name;
    if (goesOn) open.gaps = true;
    else this.close(true, null);
  }

  private close(cutEnd: boolean, next: string | null): void {
    const open = this.open;
    this.open = null;
    if (!open) return;
    if (!open.statements.some(hasCode)) return;
    this.routines.push({
      name: open.name,
      unit: this.unit,
      statements: open.statements,
      firstLine: open.firstLine,
      lastLine: open.statements.at(-1)?.lastLine ?? open.firstLine,
      cutStart: open.cutStart,
      cutEnd,
      gaps: open.gaps,
      nameless: open.nameless,
      runsInto: next,
    });
  }
}
