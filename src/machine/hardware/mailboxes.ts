/** Messages between CPUs: per pair one at a time, taken in the order posted, acknowledged by the target. */
import type { Mailboxes } from '../hardware';
import type { Context } from './context';
import { atMailHeld, atMailOrder, atMailPosted, atMailSenders, atOutstanding } from './layout';

export class MailboxState implements Mailboxes {
  readonly words: Int32Array;
  private readonly w: Int32Array;

  constructor(private readonly context: Context) {
    this.w = context.w;
    this.words = new Int32Array(context.layout.messageWords);
  }

  post(from: number, to: number): boolean {
    const w = this.w;
    const at = this.at(to, from);
    if (w[at] !== 0) return false;
    const order = this.context.base(to) + atMailOrder;
    w[order] = w[order]! + 1;
    w[at] = w[order]!;
    w.set(this.words, at + 1);
    this.posted(to, from, 1);
    this.held(to, 1);
    this.outstandingBy(from, 1);
    return true;
  }

  take(to: number): number {
    const sender = this.oldest(to);
    if (sender < 0) return -1;
    const at = this.at(to, sender);
    this.words.set(this.w.subarray(at + 1, at + 1 + this.words.length));
    // A message that was taken keeps its place, negated, until it is acknowledged.
    this.w[at] = -this.w[at]!;
    this.posted(to, sender, -1);
    return sender;
  }

  waitingMessages(to: number): number {
    return this.w[this.context.base(to) + atMailPosted]!;
  }

  stateOf(to: number, from: number): 'none' | 'posted' | 'taken' {
    const order = this.w[this.at(to, from)]!;
    return order === 0 ? 'none' : order > 0 ? 'posted' : 'taken';
  }

  acknowledge(to: number, from: number): void {
    const at = this.at(to, from);
    const order = this.w[at]!;
    if (order === 0) return;
    if (order > 0) this.posted(to, from, -1);
    this.w.fill(0, at, at + 1 + this.words.length);
    this.outstandingBy(from, -1);
    if (this.held(to, -1) === 0) this.w[this.context.base(to) + atMailOrder] = 0;
    const { clock } = this.context;
    clock.stamp(to, clock.between('cacheline_transfer', to, from), clock.at(from) + 3, 'later');
  }

  unacknowledged(to: number): number {
    return this.w[this.context.base(to) + atMailHeld]!;
  }

  outstanding(from: number): number {
    return this.w[this.context.base(from) + atOutstanding]!;
  }

  awaitAcknowledgements(from: number): void {
    const { clock } = this.context;
    const at = clock.at(from) + 3;
    clock.waitUntil(from, at);
    clock.f.fill(0, at, at + 3);
  }

  /** Orders become ranks. */
  canonicalise(to: number): void {
    const { cpus } = this.context.layout;
    const slots = Array.from({ length: cpus }, (_, from) => this.at(to, from));
    const used = slots.filter(at => this.w[at] !== 0);
    used.sort((a, b) => Math.abs(this.w[a]!) - Math.abs(this.w[b]!));
    used.forEach((at, rank) => (this.w[at] = Math.sign(this.w[at]!) * (rank + 1)));
    this.w[this.context.base(to) + atMailOrder] = used.length;
  }

  private oldest(to: number): number {
    const base = this.context.base(to);
    const count = this.w[base + atMailPosted]!;
    if (count === 0) return -1;
    // With one message, the sum of the senders is its sender: no search.
    if (count === 1) return this.w[base + atMailSenders]!;
    let found = -1;
    let order = 0x7fffffff;
    for (let from = 0; from < this.context.layout.cpus; from++) {
      const now = this.w[this.at(to, from)]!;
      if (now <= 0 || now >= order) continue;
      order = now;
      found = from;
    }
    return found;
  }

  private posted(to: number, from: number, by: number): void {
    const base = this.context.base(to);
    this.w[base + atMailPosted] = this.w[base + atMailPosted]! + by;
    this.w[base + atMailSenders] = this.w[base + atMailSenders]! + by * from;
  }

  private held(to: number, by: number): number {
    const at = this.context.base(to) + atMailHeld;
    return (this.w[at] = this.w[at]! + by);
  }

  private outstandingBy(from: number, change: number): void {
    const at = this.context.base(from) + atOutstanding;
    this.w[at] = this.w[at]! + change;
  }

  private at(to: number, from: number): number {
    const { mailboxes, cpus, messageWords } = this.context.layout;
    return mailboxes + (to * cpus + from) * (1 + messageWords);
  }
}
