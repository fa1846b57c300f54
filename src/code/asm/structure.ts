/** Which `.if` belongs to which `.else` and `.endif`, which `.rept` to which `.endr`. */
import type { Statement } from './statements';

/** A mistake in the nesting. */
export interface NestingProblem {
  readonly line: number;
  readonly message: string;
  /** `.else` or `.elseif` without an `.if`: what is shown before it runs only in the other case. */
  readonly strayElse: boolean;
}

export interface Structure {
  /** Index of the `.endif` or `.endr` of an opening directive (the end of the list where it is missing), else -1. */
  endOf(at: number): number;
  /** Index of the next `.elseif`, `.else` or `.endif` of an `.if` or `.elseif`. */
  clauseAfter(at: number): number;
  readonly problems: readonly NestingProblem[];
}

export const isConditional = (mnemonic: string): boolean => /^\.if|^\.elseif$/.test(mnemonic);
const isLoop = (mnemonic: string): boolean =>
  mnemonic === '.rept' || mnemonic === '.rep' || mnemonic === '.irp' || mnemonic === '.irpc';

const known = new WeakMap<readonly Statement[], Structure>();

/** The structure of a list of statements; computed once per list. */
export function structureOf(list: readonly Statement[]): Structure {
  const cached = known.get(list);
  if (cached) return cached;
  const structure = build(list);
  known.set(list, structure);
  return structure;
}

function build(list: readonly Statement[]): Structure {
  const ends = new Map<number, number>();
  const clauses = new Map<number, number>();
  const problems: NestingProblem[] = [];
  const open: { readonly kind: 'if' | 'loop'; readonly clauses: number[]; sawElse: boolean }[] = [];
  const close = (top: (typeof open)[number], at: number): void => {
    top.clauses.forEach((clause, index) => {
      ends.set(clause, at);
      clauses.set(clause, top.clauses[index + 1] ?? at);
    });
  };
  list.forEach((statement, at) => {
    if (!statement.text.includes('.')) return;
    const { mnemonic } = statement.parsed;
    const top = open.at(-1);
    const complain = (message: string, strayElse = false): void => {
      problems.push({ line: statement.line, message, strayElse });
    };
    if (mnemonic === '.else' || mnemonic === '.elseif') {
      if (top?.kind !== 'if') complain(`${mnemonic} without .if`, true);
      else if (top.sawElse) complain(`${mnemonic} behind .else`);
      else {
        top.clauses.push(at);
        top.sawElse = mnemonic === '.else';
      }
    } else if (/^\.if/.test(mnemonic)) open.push({ kind: 'if', clauses: [at], sawElse: false });
    else if (isLoop(mnemonic)) open.push({ kind: 'loop', clauses: [at], sawElse: false });
    else if (mnemonic === '.endif' || mnemonic === '.endr') {
      const kind = mnemonic === '.endif' ? 'if' : 'loop';
      if (top?.kind !== kind) complain(`${mnemonic} without ${kind === 'if' ? '.if' : '.rept or .irp'}`);
      else {
        close(top, at);
        open.pop();
      }
    }
  });
  for (const top of open) {
    const first = top.clauses[0]!;
    const { mnemonic } = list[first]!.parsed;
    const end = mnemonic.startsWith('.if') ? '.endif' : '.endr';
    problems.push({ line: list[first]!.line, message: `${mnemonic} without ${end}`, strayElse: false });
    close(top, list.length);
  }
  return {
    endOf: at => ends.get(at) ?? -1,
    clauseAfter: at => clauses.get(at) ?? list.length,
    problems,
  };
}
