/** The live region: what a screen reader is told of its own accord, no more often than it can say it. */
import { h, setText } from './dom';

const quietMilliseconds = 700;

export class Live {
  readonly element = h('div', { class: 'only-read', role: 'status', aria: { live: 'polite' } });
  private waiting: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Of several texts in a short time only the last is said. */
  say(text: string): void {
    this.waiting = text;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.waiting !== null) setText(this.element, this.waiting);
      this.waiting = null;
    }, quietMilliseconds);
  }
}
