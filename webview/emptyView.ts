/** What is shown before anything has been run: what the panel is for, and what to press. */
import type { PageCommand } from '../src/protocol/panel';
import { button } from './controls';
import { h, replace } from './dom';
import type { Change, Store } from './store';

export class EmptyView {
  readonly element: HTMLElement;
  private readonly list = h('ul', { class: 'library' });
  private readonly problem = h('p', { class: 'problem', role: 'alert' });

  constructor(
    private readonly store: Store,
    private readonly open: (id: string) => void,
    command: (command: PageCommand) => void,
  ) {
    this.element = h(
      'section',
      { class: 'empty', aria: { label: 'Getting started' } },
      h('h1', {}, 'See what each CPU does'),
      h(
        'p',
        {},
        'A scenario runs kernel code on simulated CPUs: which of them flush, wait and refill, what their TLBs hold at every moment, and whether one uses a translation that it should no longer have.',
      ),
      h(
        'p',
        {},
        'Choose one to run it. Where a patch under review applies, it is run before and after that patch.',
      ),
      this.problem,
      this.list,
      h('h2', {}, 'Or'),
      h(
        'div',
        { class: 'controls' },
        button('Scenarios for the open file', () => command('tlbscope.simulate'), { id: 'empty-simulate' }),
        button('New scenario', () => command('tlbscope.newScenario'), { id: 'empty-new' }),
        button('Choose the machine', () => command('tlbscope.chooseMachine'), { id: 'empty-machine' }),
      ),
    );
  }

  update(change: Change): void {
    const { library, problem } = this.store.snapshot;
    if (change === 'problem' || change === 'snapshot') this.problem.textContent = problem;
    if (change !== 'snapshot' && change !== 'library') return;
    replace(
      this.list,
      ...library.map(({ id, title, about, origin }) =>
        h(
          'li',
          {},
          button(title, () => this.open(id)),
          h('p', { class: 'faint' }, about, about === '' ? '' : ' ', `(${origin})`),
        ),
      ),
      library.length === 0 && h('li', { class: 'faint' }, 'Looking for scenarios …'),
    );
  }
}
