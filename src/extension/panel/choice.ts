/** Which runs are shown, and which events of theirs belong together. */
import type { PanelChoice } from '../../protocol/panel';
import type { TraceColumns } from '../../protocol/run';
import type { PanelSubject } from './subject';

/** What was asked for as far as there is such a thing; else the first two variants, and usual values. */
export function choiceFor(
  { variants, parameters }: PanelSubject,
  wanted: Partial<PanelChoice>,
  usual: Readonly<Record<string, number>>,
): PanelChoice {
  const has = (name: string | null | undefined): name is string => variants.includes(name ?? '');
  const before = has(wanted.before) ? wanted.before : (variants[0] ?? '');
  const other = variants.find(name => name !== before) ?? null;
  const asked = wanted.after !== undefined;
  const after = asked ? (has(wanted.after) && wanted.after !== before ? wanted.after : null) : other;
  const values = parameters.map(({ name, values: list }) => {
    const value = [wanted.parameters?.[name], usual[name]].find(
      one => one !== undefined && list.includes(one),
    );
    return [name, value ?? list[0] ?? 0] as const;
  });
  return { before, after, parameters: Object.fromEntries(values) };
}

/** The last event of the other run by which no clock had passed that of `seq` in the run in focus. */
export function sameTime(traces: readonly TraceColumns[], focus: 0 | 1, seq: number): number {
  const from = traces[focus]!;
  const other = traces[1 - focus];
  if (!other) return -1;
  let time = 0;
  for (let at = 0; at <= seq && at < from.count; at++) time = Math.max(time, from.cycles[at]!);
  let at = 0;
  while (at < other.count && other.cycles[at]! <= time) at++;
  return at - 1;
}
