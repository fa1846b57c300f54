/** The top of the page: which scenario, which runs, what came out, and what can be taken out of it. */
import type { PanelChoice, PanelScenario } from '../src/protocol/panel';
import type { RunReport } from '../src/protocol/run';
import { cyclesOf } from './compareTab';
import { button, dropdown, progressRing, setDisabled, type Dropdown } from './controls';
import { h, replace, setText } from './dom';
import type { Change, Store } from './store';

export interface HeaderActions {
  choose(choice: PanelChoice): void;
  openScenario(id: string): void;
  cancel(): void;
  copyText(): void;
  exportTrace(format: 'json' | 'csv'): void;
  exportPicture(format: 'svg' | 'png'): void;
}

export class Header {
  readonly element: HTMLElement;
  private readonly title = h('h1', {});
  private readonly about = h('p', {});
  private readonly basis = h('p', {});
  private readonly scenario: Dropdown;
  private readonly before: Dropdown;
  private readonly after: Dropdown;
  private readonly choices = h('div', { class: 'controls' });
  private readonly lists = new Map<string, Dropdown>();
  private readonly results = h('div', { class: 'results' });
  private readonly problem = h('p', { class: 'problem', role: 'alert' });
  private readonly progress = h('div', { class: 'progress', hidden: true });
  private readonly label = h('span', {});
  private readonly outputs: readonly HTMLElement[];

  constructor(
    private readonly store: Store,
    private readonly actions: HeaderActions,
  ) {
    this.scenario = dropdown('Scenario', 'scenario', id => actions.openScenario(id));
    this.before = dropdown('Before', 'before', before => this.choose({ before }));
    this.after = dropdown('After', 'after', value =>
      this.choose({ after: value === '' ? null : value.slice(1) }),
    );
    this.outputs = [
      button('Copy as text', () => actions.copyText(), {
        id: 'copy',
        title: 'Copy a plain table for a reply to the list',
      }),
      button('JSON', () => actions.exportTrace('json'), {
        id: 'export-json',
        title: 'Save the trace as JSON',
      }),
      button('CSV', () => actions.exportTrace('csv'), { id: 'export-csv', title: 'Save the trace as CSV' }),
      button('SVG', () => actions.exportPicture('svg'), {
        id: 'export-svg',
        title: 'Save the timeline as SVG',
      }),
      button('PNG', () => actions.exportPicture('png'), {
        id: 'export-png',
        title: 'Save the timeline as PNG',
      }),
    ];
    this.progress.append(
      progressRing(),
      this.label,
      button('Cancel', () => actions.cancel(), { id: 'cancel' }),
    );
    this.element = h(
      'header',
      {},
      this.title,
      this.choices,
      this.progress,
      this.problem,
      this.results,
      h(
        'details',
        { class: 'about' },
        h('summary', {}, 'What is run, and taking it along'),
        this.about,
        this.basis,
        h('div', { class: 'controls', role: 'group', aria: { label: 'Export' } }, ...this.outputs),
      ),
    );
  }

  update(change: Change): void {
    const { snapshot } = this.store;
    if (change === 'progress' || change === 'snapshot') this.showProgress();
    if (change === 'problem' || change === 'snapshot') setText(this.problem, snapshot.problem);
    if (change !== 'snapshot' && change !== 'library') return;
    const { scenario, choice, sides, library } = snapshot;
    if (!scenario || !choice) return;
    setText(this.title, scenario.title);
    setText(this.about, scenario.about);
    const features = scenario.features.join(', ') || 'none';
    setText(this.basis, `${scenario.compares}. Machine ${scenario.machine}, features ${features}.`);
    const listed = library.some(({ id }) => id === scenario.id);
    this.scenario.set(
      [
        ...(listed ? [] : [{ value: scenario.id, label: scenario.title }]),
        ...library.map(({ id, title }) => ({ value: id, label: title })),
      ],
      scenario.id,
    );
    this.showChoices(scenario, choice);
    replace(this.results, ...sides.map(({ report }) => resultOf(report)));
    for (const one of this.outputs) setDisabled(one, sides.length === 0);
  }

  private choose(change: Partial<PanelChoice>): void {
    const { choice } = this.store.snapshot;
    if (!choice) return;
    const next = { ...choice, ...change };
    this.actions.choose(next.after === next.before ? { ...next, after: null } : next);
  }

  private showChoices({ parameters, variants }: PanelScenario, choice: PanelChoice): void {
    const swept = parameters.filter(({ values }) => values.length > 1);
    if (swept.map(({ name }) => name).join(' ') !== [...this.lists.keys()].join(' ') || this.lists.size === 0)
      this.makeLists(swept.map(({ name }) => name));
    this.before.set(
      variants.map(name => ({ value: name, label: name })),
      choice.before,
    );
    this.after.element.hidden = variants.length < 2;
    this.after.set(
      [
        { value: '', label: 'nothing' },
        ...variants.filter(name => name !== choice.before).map(name => ({ value: `=${name}`, label: name })),
      ],
      choice.after === null ? '' : `=${choice.after}`,
    );
    for (const { name, values } of swept) {
      const entries = values.map(value => ({ value: String(value), label: String(value) }));
      this.lists.get(name)?.set(entries, String(choice.parameters[name] ?? values[0]));
    }
  }

  /** A list for each parameter that has several values. */
  private makeLists(names: readonly string[]): void {
    this.lists.clear();
    for (const name of names)
      this.lists.set(
        name,
        dropdown(name, `parameter-${name}`, value => {
          const now = this.store.snapshot.choice;
          if (now) this.choose({ parameters: { ...now.parameters, [name]: Number(value) } });
        }),
      );
    const parameters = [...this.lists.values()].map(({ element }) => element);
    replace(this.choices, this.scenario.element, this.before.element, this.after.element, ...parameters);
  }

  private showProgress(): void {
    const { progress } = this.store.snapshot;
    this.progress.hidden = progress === null;
    if (!progress) return;
    const share = progress.total > 1 ? ` ${progress.done} of ${progress.total}` : '';
    setText(this.label, `${progress.label}${share} …`);
  }
}

function resultOf(report: RunReport): HTMLElement {
  const safe = report.verdict === 'safe';
  const failed = report.expect.filter(({ ok }) => !ok).length;
  const expected =
    report.expect.length === 0
      ? ''
      : failed === 0
        ? ' As the scenario expects.'
        : ` Breaks ${failed} of ${report.expect.length} expectations.`;
  const why = report.why.length > 0 ? ` ${report.why[0]}.` : '';
  return h(
    'p',
    { class: 'run' },
    h('b', {}, `${report.variant}: `),
    h('b', { class: safe ? 'safe' : 'unsafe' }, safe ? '✓ safe' : `✗ ${report.verdict}`),
    ` · ${cyclesOf(report)} cycles.${expected}${why}`,
  );
}
