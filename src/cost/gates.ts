/** Features that change an answer, and the answers with them the other way. */
import type { PricedPart } from './priced';
import { shownCounts, subtractCounts, type Resolution } from './resolve';

/** Whether both answers of two resolutions are the same. */
export const isSame = (a: Resolution, b: Resolution): boolean =>
  subtractCounts(a.answer.delta, b.answer.delta).size === 0 &&
  subtractCounts(a.other?.delta ?? a.answer.delta, b.other?.delta ?? b.answer.delta).size === 0;

/**
 * The gates of an answer. `flips`: single features, then pairs of which neither alone changes anything; `flipped`: the
 * answers under them.
 */
export function gatesOf(
  resolution: Resolution,
  flips: readonly { readonly gates: readonly string[]; readonly list: readonly string[] }[],
  flipped: readonly Resolution[],
): Pick<PricedPart, 'gates' | 'alternatives'> {
  const changes = flips.map((_, at) => !isSame(flipped[at]!, resolution));
  const gates = [...new Set(flips.flatMap((one, at) => (changes[at] ? one.gates : [])))].sort();
  const differing = flips.flatMap(({ gates: own, list }, at) => {
    // A gate that changes something only together with another one has an entry of its own too.
    const shown = changes[at] || (own.length === 1 && gates.includes(own[0]!));
    const delta = shownCounts(flipped[at]!.answer.delta);
    return shown ? [{ gate: own.join(' and '), features: list, delta }] : [];
  });
  for (const gate of gates) {
    if (differing.some(one => one.gate === gate)) continue;
    // Not asked for alone: the test ends before it.
    const on = flips.find(({ gates: own }) => own.length === 2 && own.includes(gate))!;
    const other = on.gates.find(name => name !== gate);
    const list = on.list.filter(name => name !== other);
    differing.push({ gate, features: list, delta: shownCounts(resolution.answer.delta) });
  }
  differing.sort((a, b) => (a.gate < b.gate ? -1 : 1));
  return { gates, alternatives: differing };
}
