/**
 * Changed lines that make a value for CR3 in a function of which the patch shows no CR3 write: what they change shows
 * only there.
 */
import type { IrFunction } from '../code/ir';
import type { FunctionPair, LineFilter } from './compare';
import type { UnknownItem } from './priced';
import type { Recording } from './record';

const makesCr3 =
  /no_?flush|\bbuild_cr3\b|\bbt[sr]q?\s+\$(?:63|0x3f|\w*FLUSH\w*)|\b1UL{0,2}\s*<<\s*63\b|\bBIT(?:_ULL)?\(63\)/i;
const longestLine = 300;

const writesCr3 = ({ operations }: Recording): boolean =>
  operations.some(({ operation }) => operation === 'CR3_FLUSH' || operation === 'CR3_NOFLUSH');

/** A changed line of a function that is shown in part and that makes such a value, or null. */
function lineIn(fn: IrFunction | null, lines: LineFilter): number | null {
  if (!fn?.partial || fn.unreadable !== null) return null;
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const at = fn.unit.lines[line];
    if (at?.changed && lines(fn.unit, line) && makesCr3.test(at.text.slice(0, longestLine)))
      return at.documentLine || null;
  }
  return null;
}

/** What to list of the functions of a hunk. */
export function unseenWritesOf(
  pairs: readonly FunctionPair[],
  recordings: readonly Recording[],
  lines: LineFilter,
): UnknownItem[] {
  if (recordings.some(writesCr3)) return [];
  return pairs.flatMap(({ before, after }): UnknownItem[] => {
    const line = lineIn(after, lines) ?? lineIn(before, lines);
    const why = 'the write of CR3 that takes this value is not shown';
    return line === null ? [] : [{ name: 'CR3', documentLine: line, why }];
  });
}
