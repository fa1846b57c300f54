/** Before and after: the figures of both runs, and the difference by operation as bars. */
import type { OperationChange } from '../src/protocol/panel';
import type { RunReport } from '../src/protocol/run';
import { h, replace } from './dom';
import { number, range, signed, signedRange } from './format';
import type { Change, Store } from './store';

const none = '–';

export function cyclesOf({ total, low, high, priced, complete }: RunReport): string {
  if (!complete) return 'it did not end';
  if (total !== null && low !== null && high !== null) return `${number(total)} (${range(low, high)})`;
  if (priced) return `at least ${number(priced.low)}: an operation has no price`;
  return 'not known';
}

const missesOf = ({ misses, complete }: RunReport): string =>
  complete ? number(misses) : `${number(misses)} until it stopped`;

export class CompareTab {
  readonly element = h('div', { class: 'tab' });

  constructor(private readonly store: Store) {}

  update(change: Change): void {
    if (change !== 'snapshot') return;
    const { scenario, choice, sides, changes } = this.store.snapshot;
    if (!scenario || !choice) return;
    const [before, after] = sides;
    if (!before || !after)
      return replace(
        this.element,
        h(
          'p',
          { class: 'teach' },
          scenario.variants.length > 1
            ? 'Choose a second variant under After to see both on one clock, and what each operation costs more or less.'
            : 'This scenario has one variant only. Open it with a patch that applies to its kernel tree, or add variants to its file.',
        ),
      );
    const ended = before.report.complete && after.report.complete;
    replace(
      this.element,
      figures(before.report, after.report, ended),
      ended
        ? bars(changes, before.report.variant, after.report.variant)
        : h(
            'p',
            { class: 'teach' },
            'A run did not come to its end: what its operations change is not known.',
          ),
    );
  }
}

function figures(before: RunReport, after: RunReport, ended: boolean): HTMLElement {
  const known = ended && before.total !== null && after.total !== null;
  const difference = known ? after.total - before.total : null;
  const rows: readonly (readonly string[])[] = [
    ['verdict', before.verdict, after.verdict, before.verdict === after.verdict ? 'the same' : 'CHANGED'],
    [
      'cycles, all CPUs',
      cyclesOf(before),
      cyclesOf(after),
      difference === null ? 'not known' : signed(difference),
    ],
    [
      'TLB misses',
      ...[before, after].map(missesOf),
      ended ? signed(after.misses - before.misses) : 'not known',
    ],
  ];
  return h(
    'table',
    { class: 'figures' },
    h('caption', {}, 'The two runs'),
    h('thead', {}, row('th', ['', before.variant, after.variant, 'change'])),
    h('tbody', {}, ...rows.map(cells => row('td', cells))),
  );
}

function row(kind: 'th' | 'td', cells: readonly string[]): HTMLElement {
  return h(
    'tr',
    {},
    ...cells.map((text, at) => {
      // A head without a text is none.
      const head = (kind === 'th' || at === 0) && text !== '';
      const cell = h(head ? 'th' : 'td', {}, text);
      if (head) cell.setAttribute('scope', kind === 'th' ? 'col' : 'row');
      return cell;
    }),
  );
}

/** Bars go to both sides of the middle: left is cheaper, right is dearer. The thin line is the range. */
function bars(changes: readonly OperationChange[], before: string, after: string): HTMLElement {
  const changed = changes.filter(one => one.before !== one.after);
  if (changed.length === 0)
    return h('p', { class: 'teach' }, `${before} and ${after} perform the same operations, equally often.`);
  const widest = Math.max(
    1,
    ...changed.flatMap(({ low, high }) => [Math.abs(low ?? 0), Math.abs(high ?? 0)]),
  );
  const body = changed.map(change => {
    const { name, before: from, after: to, cycles, low, high } = change;
    const text =
      cycles === null || low === null || high === null
        ? 'no price known'
        : `${signed(cycles)} (${signedRange(low, high)})`;
    return h(
      'tr',
      {},
      rowHead(name),
      h('td', { class: 'numeric' }, `${number(from)} → ${number(to)}`),
      h(
        'td',
        { class: 'numeric' },
        cycles === null ? text : `${cycles > 0 ? '▲' : cycles < 0 ? '▼' : ''} ${text}`,
      ),
      h('td', { class: 'bar', aria: { hidden: true } }, bar(change, widest)),
    );
  });
  return h(
    'table',
    { class: 'bars' },
    h('caption', {}, `Change of each operation, ${before} → ${after}, in cycles`),
    h('thead', {}, row('th', ['operation', 'times', 'cycles (low to high)', ''])),
    h('tbody', {}, ...body),
  );
}

function rowHead(text: string): HTMLElement {
  const cell = h('th', {}, text);
  cell.setAttribute('scope', 'row');
  return cell;
}

function bar({ cycles, low, high }: OperationChange, widest: number): HTMLElement {
  const track = h('div', { class: 'track' });
  if (cycles === null || low === null || high === null) return h('div', { class: 'track' }, none);
  const share = (value: number): number => (value / widest) * 50;
  const fill = h('div', { class: `fill ${cycles > 0 ? 'dearer' : 'cheaper'}` });
  fill.style.left = `${50 + Math.min(0, share(cycles))}%`;
  fill.style.width = `${Math.abs(share(cycles))}%`;
  const whisker = h('div', { class: 'whisker' });
  whisker.style.left = `${50 + share(Math.min(low, high))}%`;
  whisker.style.width = `${Math.abs(share(high) - share(low))}%`;
  track.append(h('div', { class: 'middle' }), fill, whisker);
  return track;
}
