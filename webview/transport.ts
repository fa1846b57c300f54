/** Stepping, playing and jumping: the buttons, and the keys that do the same. */
import { conditionOf, conditions } from './conditions';
import { button, dropdown, iconButton, setIcon, setLabel } from './controls';
import { h, setText } from './dom';
import { eventSentence } from './events';
import { icons } from './icons';
import type { Live } from './live';
import type { Change, Store } from './store';
import type { PanelAction } from '../src/protocol/panel';
import type { Timeline } from './timeline';
import { prefersReducedMotion } from './theme';

const speeds = [1, 2, 4, 8, 16, 40];
/** With reduced motion nothing is played faster. */
const calmSpeed = 2;

export class Transport {
  readonly element: HTMLElement;
  private readonly playing: HTMLElement;
  private readonly now = h('p', { class: 'now' });
  private readonly side = dropdown('Step', 'side', value =>
    this.store.setView({ side: value === '1' ? 1 : 0 }),
  );
  private readonly stop = dropdown('Jump to, stop at', 'stop', stopAt => this.store.setView({ stopAt }));
  private readonly speed = dropdown('Events a second', 'speed', value =>
    this.store.setView({ speed: Number(value) }),
  );
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: Store,
    private readonly timeline: Timeline,
    private readonly live: Live,
    private readonly reveal: (seq: number) => void,
  ) {
    this.playing = iconButton('Play', icons.play, () => this.act('play'), 'play');
    this.element = h(
      'div',
      { class: 'transport' },
      h(
        'div',
        { class: 'buttons', role: 'toolbar', aria: { label: 'Step through the run' } },
        iconButton('To the start', icons.first, () => this.act('first'), 'first'),
        iconButton('Step back', icons.back, () => this.act('stepBack'), 'back'),
        this.playing,
        iconButton('Step', icons.forward, () => this.act('step'), 'forward'),
        iconButton('To the end', icons.last, () => this.act('last'), 'last'),
        iconButton('Zoom in', icons.zoomIn, () => this.timeline.zoomBy(0.5), 'zoom-in'),
        iconButton('Zoom out', icons.zoomOut, () => this.timeline.zoomBy(2), 'zoom-out'),
        iconButton('Show all', icons.fit, () => this.timeline.zoomOut(), 'zoom-all'),
      ),
      h(
        'div',
        { class: 'controls' },
        this.stop.element,
        button('Previous', () => this.jump(-1), { id: 'jump-back' }),
        button('Next', () => this.jump(1), { id: 'jump' }),
        this.speed.element,
        this.side.element,
      ),
      h(
        'div',
        { class: 'nowline' },
        this.now,
        button('Open line', () => this.reveal(this.seq), { id: 'open-line' }),
      ),
    );
  }

  update(change: Change): void {
    const { store } = this;
    if (change === 'snapshot') this.pause();
    if (change === 'snapshot' || change === 'view') {
      this.stop.set(
        conditions.map(({ id, label }) => ({ value: id, label })),
        store.view.stopAt,
      );
      const nearest = speeds.find(one => one >= store.view.speed) ?? speeds.at(-1)!;
      this.speed.set(
        speeds.map(one => ({ value: String(one), label: String(one) })),
        String(nearest),
      );
      this.side.set(
        store.sides.map(({ report }, at) => ({ value: String(at), label: report.variant })),
        String(store.focus),
      );
      this.side.element.hidden = store.sides.length < 2;
    }
    if (change === 'cursor' || change === 'snapshot' || change === 'view') this.tellNow();
  }

  /** What a key does; false: nothing. */
  press(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { store, timeline } = this;
    const only = event.shiftKey ? store.view.cpu : null;
    switch (event.key) {
      case 'ArrowRight':
        this.step(1, only);
        return true;
      case 'ArrowLeft':
        this.step(-1, only);
        return true;
      case 'ArrowDown':
      case 'ArrowUp':
        this.selectCpu(event.key === 'ArrowDown' ? 1 : -1);
        return true;
      case 'Home':
        this.act('first');
        return true;
      case 'End':
        this.act('last');
        return true;
      case ' ':
        this.act('play');
        return true;
      case 'Enter':
        this.reveal(this.seq);
        return true;
      case '+':
      case '=':
        timeline.zoomBy(0.5);
        return true;
      case '-':
        timeline.zoomBy(2);
        return true;
      case '0':
        timeline.zoomOut();
        return true;
      case 'i':
        this.act('nextIpi');
        return true;
      case 'f':
        this.act('nextFlush');
        return true;
      case 's':
        this.act('firstStale');
        return true;
      case 'n':
        this.jump(1);
        return true;
      case 'p':
        this.jump(-1);
        return true;
      default:
        return false;
    }
  }

  act(action: PanelAction): void {
    const { store } = this;
    const { side } = store;
    if (!side) return;
    switch (action) {
      case 'step':
        return this.step(1, null);
      case 'stepBack':
        return this.step(-1, null);
      case 'first':
        return this.go(-1);
      case 'last':
        return this.go(side.trace.count - 1);
      case 'play':
        return this.timer ? this.pause() : this.play();
      case 'nextIpi':
        return this.jumpTo('ipi', this.seq);
      case 'nextFlush':
        return this.jumpTo('flush', this.seq);
      case 'firstStale':
        return this.jumpTo('stale', -1);
    }
  }

  private get seq(): number {
    return this.store.cursor[this.store.focus];
  }

  private step(by: 1 | -1, cpu: number | null): void {
    const { side, view } = this.store;
    this.pause();
    if (side) this.go(side.index.step(this.seq, by, view.detail, cpu));
  }

  private selectCpu(by: 1 | -1): void {
    const { store } = this;
    const last = (store.states[store.focus]?.cpus.length ?? 1) - 1;
    const cpu = Math.min(last, Math.max(0, store.view.cpu + by));
    store.setView({ cpu });
    this.timeline.follow();
    this.live.say(`CPU ${cpu}`);
  }

  private go(seq: number): void {
    const { store } = this;
    store.seek(seq);
    const { side } = store;
    if (side && seq >= 0 && store.view.cpu !== side.trace.cpu[seq])
      store.setView({ cpu: side.trace.cpu[seq]! });
    this.timeline.follow();
  }

  private jump(by: 1 | -1): void {
    const { side, view } = this.store;
    if (!side) return;
    const { wanted, label } = conditionOf(view.stopAt);
    const found = by === 1 ? side.index.next(this.seq, wanted) : side.index.previous(this.seq, wanted);
    this.pause();
    if (found !== null) this.go(found);
    else this.say(`There is no ${by === 1 ? 'later' : 'earlier'} event of that kind: ${label}.`);
  }

  private jumpTo(condition: string, from: number): void {
    const { side } = this.store;
    if (!side) return;
    const { wanted, label } = conditionOf(condition);
    const found = side.index.next(from, wanted);
    this.pause();
    if (found !== null) this.go(found);
    else this.say(`There is no ${from < 0 ? '' : 'later '}event of that kind: ${label}.`);
  }

  private say(text: string): void {
    setText(this.now, text);
    this.live.say(text);
  }

  private play(): void {
    const { side } = this.store;
    if (!side) return;
    if (this.seq >= side.trace.count - 1) this.store.seek(-1);
    setIcon(this.playing, icons.pause);
    setLabel(this.playing, 'Pause');
    this.tick();
  }

  private tick(): void {
    const { store } = this;
    const { view } = store;
    const speed = prefersReducedMotion() ? Math.min(view.speed, calmSpeed) : view.speed;
    this.timer = setTimeout(() => {
      const { side } = store;
      if (!side) return this.pause();
      const before = this.seq;
      const next = side.index.step(before, 1, view.detail);
      const { wanted, label } = conditionOf(view.stopAt);
      const stop = side.index.next(before, wanted);
      if (stop !== null && stop <= next) {
        this.go(stop);
        this.pause();
        return this.live.say(`Stopped at ${label}: ${eventSentence(side.trace, stop)}`);
      }
      if (next === before) return this.pause();
      this.go(next);
      this.tick();
    }, 1000 / speed);
  }

  private pause(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    setIcon(this.playing, icons.play);
    setLabel(this.playing, 'Play');
  }

  private tellNow(): void {
    const { side } = this.store;
    if (!side) return;
    const rows = side.index.rows(this.store.view.detail);
    const row = side.index.rowOf(this.store.view.detail, this.seq);
    const text = eventSentence(side.trace, this.seq);
    setText(this.now, `${row + 1} of ${rows.length}. ${text[0]!.toUpperCase()}${text.slice(1)}.`);
  }
}
