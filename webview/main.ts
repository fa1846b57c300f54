/** The page of the state panel: puts the parts together. */
import type { PanelView } from '../src/protocol/panel';
import { CompareTab } from './compareTab';
import { isControl, registerControls, tabs } from './controls';
import { CpusTab } from './cpusTab';
import { h, replace } from './dom';
import { EmptyView } from './emptyView';
import { EventsTab } from './eventsTab';
import { Header } from './header';
import { Host } from './host';
import { laneList } from './lanes';
import { Live } from './live';
import { Store, type Change } from './store';
import { SweepTab } from './sweepTab';
import { onThemeChange } from './theme';
import { Timeline, type Zoom } from './timeline';
import { Transport } from './transport';

registerControls();

interface Kept {
  readonly scenario: string;
  readonly zoom: Zoom;
}

const live = new Live();
const store: Store = new Store(() => host);
const host = new Host(message => {
  if (message.type === 'act') act(message.action);
  else store.hear(message);
});

/** Says what went wrong, in the page and to a screen reader. */
function tell(error: unknown): void {
  store.hear({ type: 'problem', problem: error instanceof Error ? error.message : String(error) });
}

/** Asks the host; what it says about it is read out. */
async function ask(request: Parameters<Host['ask']>[0]): Promise<void> {
  try {
    const answer = await host.ask(request);
    if (answer.type === 'done' && answer.said !== '') live.say(answer.said);
  } catch (error) {
    tell(error);
  }
}

const timeline = new Timeline(store, zoom => {
  host.keep({ scenario: store.snapshot.scenario?.id ?? '', zoom } satisfies Kept);
});

const reveal = (seq: number): void => {
  if (seq >= 0) void ask({ type: 'reveal', side: store.focus, seq });
};
const transport = new Transport(store, timeline, live, reveal);

async function picture(format: 'svg' | 'png'): Promise<void> {
  try {
    const bytes = format === 'svg' ? new TextEncoder().encode(timeline.svg()) : await timeline.png();
    await ask({ type: 'picture', format, bytes });
  } catch (error) {
    tell(error);
  }
}

function act(action: Parameters<Transport['act']>[0]): void {
  if (action === 'exportSvg') void picture('svg');
  else if (action === 'exportPng') void picture('png');
  else transport.act(action);
}

const openScenario = (scenario: string): void => void ask({ type: 'openScenario', scenario });
const header = new Header(store, {
  choose: choice => void ask({ type: 'choose', choice }),
  openScenario,
  cancel: () => host.tell({ type: 'cancel' }),
  copyText: () => void ask({ type: 'copyText' }),
  exportTrace: format => void ask({ type: 'export', format }),
  exportPicture: format => void picture(format),
});
const empty = new EmptyView(store, openScenario, command => void ask({ type: 'command', command }));
const cpus = new CpusTab(store);
const events = new EventsTab(store, reveal);
const compare = new CompareTab(store);
const sweep = new SweepTab(store, parameter => void ask({ type: 'sweep', parameter }));

const views = tabs(
  'State of the run',
  [
    { id: 'cpus', label: 'CPUs', content: cpus.element },
    { id: 'events', label: 'Events', content: events.element },
    { id: 'compare', label: 'Compare', content: compare.element },
    { id: 'sweep', label: 'Sweep', content: sweep.element },
  ],
  tab => store.setView({ tab: tab as PanelView['tab'] }),
);

const legend = h(
  'ul',
  { class: 'legend', aria: { label: 'Colours of the timeline' } },
  ...laneList.map(({ kind, label }) =>
    h('li', {}, h('span', { class: `swatch lane-${kind}`, aria: { hidden: true } }), label),
  ),
);

const running = h(
  'main',
  {},
  header.element,
  h('section', { aria: { label: 'Timeline' } }, transport.element, timeline.element, legend),
  views.element,
);

const waiting = h('main', { class: 'faint' }, h('p', {}, 'Loading …'));
const page = h('div', { class: 'page' }, waiting);
document.body.append(page, live.element);

let shown: Node = waiting;
let scenario = '';

function show(node: HTMLElement): void {
  if (shown === node) return;
  shown = node;
  replace(page, node);
}

function keptZoom(id: string): Zoom | null {
  const kept = host.kept as Partial<Kept> | null | undefined;
  const zoom = kept?.scenario === id ? kept.zoom : undefined;
  return zoom && Number.isFinite(zoom.from) && Number.isFinite(zoom.to) ? zoom : null;
}

function update(change: Change): void {
  const { snapshot } = store;
  if (change === 'snapshot') show(snapshot.scenario ? running : emptyMain);
  empty.update(change);
  if (!snapshot.scenario) return;
  for (const part of [header, transport, cpus, events, compare, sweep]) part.update(change);
  if (change === 'snapshot') {
    views.select(snapshot.view.tab);
    const id = snapshot.scenario.id;
    // The runs come after the choice: what is to be seen is known only then.
    const ends = store.sides.map(({ index }) => [index.start, index.end]);
    const key = JSON.stringify([id, snapshot.choice, ends]);
    if (key !== scenario) timeline.show(keptZoom(id));
    else timeline.redraw();
    scenario = key;
    if (store.sides.length > 0 && snapshot.progress === null)
      live.say(
        `${snapshot.scenario.title}: ${store.sides.map(({ report }) => `${report.variant} ${report.verdict}`).join(', ')}.`,
      );
  } else if (change === 'view') timeline.redraw();
  else if (change === 'cursor' || change === 'state') timeline.moveCursor();
}

const emptyMain = h('main', {}, empty.element);
store.listen(update);
onThemeChange(() => {
  timeline.redraw();
  sweep.redraw();
});

/** Keys work wherever no control wants them for itself. */
document.addEventListener('keydown', event => {
  const { target } = event;
  const element = target instanceof Element ? target : null;
  const own = element === document.body || Boolean(element?.closest('#timeline, .page > main > section'));
  const control = isControl(element);
  if (!own || control || store.sides.length === 0) return;
  if (transport.press(event)) event.preventDefault();
});

host.ready();
