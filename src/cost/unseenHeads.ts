/** Blocks whose head the patch does not show: conditions, or loops of which the turns are not known. */
import { support } from './guard';
import { one, subtract, symbol, symbolsOf, type Polynomial } from './polynomial';
import { inSteps, pagesPerStep } from './strides';
import { isStride } from './quantity';
import type { Counts, Resolution } from './resolve';
import type { Place } from './record';
import type { Cell } from './trip';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** Key of the value of an unseen head: `unseen-head:depth:ordinal`. */
export const unseenHeadKey = 'unseen-head:';

export const isUnseenHead = (value: Value): boolean =>
  value.kind === 'symbol' && value.key.startsWith(unseenHeadKey);

/** How often a loop runs whose condition is not shown and whose body tells nothing. */
const unseenTurns = symbol('…');

/** Why a block in such a loop has no count. */
const loopNotShown = 'the condition of the loop is not shown: how often it runs is not known';

const blockNotShown =
  'the head of the block is not shown: it is counted as a condition; in a loop it counts once per turn';

/**
 * The turns of a loop whose condition is not shown, from what moves in its body: an address by a stride walks the range.
 * `atEnd`: the condition stands behind the body, which runs once more than it holds.
 */
export function turnsByStep(cells: readonly Cell[], atEnd: boolean): { turns: Polynomial; known: boolean } {
  const step = cells.find(cell => cell.step && isStride(cell.step))?.step;
  const turns = step ? inSteps(symbol('n'), pagesPerStep(step)) : unseenTurns;
  return { turns: atEnd ? subtract(turns, one) : turns, known: step !== undefined };
}

/** Unseen heads that the answer rests on. */
export function unseenHeadsOf(
  space: ValueSpace,
  { answer, conditions }: Resolution,
): { name: string; at: Place | null; why: string }[] {
  const blocks = conditions.filter(({ record }) =>
    [...support(record.truth)].some(atom => isUnseenHead(space.atoms[atom]!.value)),
  );
  return [
    ...blocks.slice(0, 1).map(({ record }) => ({ name: '…', at: record.at, why: blockNotShown })),
    ...(restsOnTurns(answer.delta) ? [{ name: '…', at: null, why: loopNotShown }] : []),
  ];
}

const restsOnTurns = (delta: Counts): boolean =>
  [...delta.values()].some(count => symbolsOf(count).includes('…'));
