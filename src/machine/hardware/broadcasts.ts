/** Invalidations in flight: INVLPGB of AMD and TLBI of Arm, until the issuer's TLBSYNC or DSB has seen them done. */
import type { Broadcasts } from '../hardware';
import { applyInvlpgb } from './amd';
import type { Context } from './context';
import { broadcastWords } from './layout';
import { applyTlbi } from './tlbi';

export const kindInvlpgb = 1;
export const kindTlbi = 2;

/** Status of an entry: nothing remembered; completed once (repeat-TLBI); the repetition, which counts. */
const fresh = 0;
const onceDone = 1;
const repeated = 2;

/** An entry is its kind, issuer, status, four operands, and a bit per CPU that has applied it. */
export class BroadcastQueue implements Broadcasts {
  private readonly w: Int32Array;
  private readonly repeat: boolean;

  constructor(private readonly context: Context) {
    this.w = context.w;
    this.repeat = context.options.repeatTlbi === true;
  }

  get inFlight(): number {
    return this.w[this.context.layout.broadcasts]!;
  }

  issuer(index: number): number {
    return this.w[this.at(index) + 1]!;
  }

  applied(index: number, cpu: number): boolean {
    const word = this.w[this.at(index) + broadcastWords + (cpu >>> 5)]!;
    return ((word >>> (cpu & 31)) & 1) !== 0;
  }

  apply(index: number, cpu: number): void {
    if (index < 0 || index >= this.inFlight || this.applied(index, cpu)) return;
    const w = this.w;
    const at = this.at(index);
    const base = this.context.base(cpu);
    const [a, b, c, d] = [w[at + 3]!, w[at + 4]!, w[at + 5]!, w[at + 6]!];
    if (w[at] === kindInvlpgb) applyInvlpgb(this.context, base, a, b, c, d);
    else applyTlbi(this.context, base, a, b, c);
    this.mark(at, cpu);
    if (this.appliedByAll(at)) this.remove(index);
  }

  applyAll(cpu: number): void {
    for (let index = this.inFlight - 1; index >= 0; index--) this.apply(index, cpu);
  }

  pending(cpu: number): boolean {
    for (let index = 0; index < this.inFlight; index++) if (!this.applied(index, cpu)) return true;
    return false;
  }

  /** Puts an entry in flight; only `alone`, if given, has to apply it. A full list completes its oldest first. */
  issue(cpu: number, kind: number, a: number, b: number, c: number, d: number, alone: number | null): void {
    const { layout } = this.context;
    const w = this.w;
    let status = fresh;
    if (this.repeat && kind === kindTlbi) status = this.forget(cpu, a, b, c) ? repeated : fresh;
    if (this.inFlight === layout.broadcastDepth) this.completeAt(0);
    const at = this.at(this.inFlight);
    w[layout.broadcasts] = this.inFlight + 1;
    w.set([kind, cpu, status, a, b, c, d], at);
    if (alone === null) return;
    for (let other = 0; other < layout.cpus; other++) if (other !== alone) this.mark(at, other);
  }

  /** Whether the issuer still waits for an entry. `localOnly`: only those that no other CPU has to apply. */
  owes(cpu: number, localOnly = false): boolean {
    for (let index = 0; index < this.inFlight; index++)
      if (this.counts(index, cpu, localOnly) && this.holds(index)) return true;
    return false;
  }

  /** Applies what the issuer waits for, on every CPU. */
  complete(cpu: number, localOnly = false): void {
    for (let index = this.inFlight - 1; index >= 0; index--)
      if (this.counts(index, cpu, localOnly) && this.holds(index)) this.completeAt(index);
  }

  /** Repeat-TLBI: a barrier of the issuer has passed what was issued once: it holds nothing back, and promises nothing. */
  passOnce(cpu: number, localOnly: boolean): void {
    if (!this.repeat) return;
    for (let index = 0; index < this.inFlight; index++)
      if (this.counts(index, cpu, localOnly) && this.w[this.at(index) + 2] === fresh)
        this.w[this.at(index) + 2] = onceDone;
  }

  private at(index: number): number {
    const { broadcasts, broadcastStride } = this.context.layout;
    return broadcasts + 1 + index * broadcastStride;
  }

  private counts(index: number, cpu: number, localOnly: boolean): boolean {
    if (this.issuer(index) !== cpu) return false;
    if (!localOnly) return true;
    for (let other = 0; other < this.context.layout.cpus; other++)
      if (other !== cpu && !this.applied(index, other)) return false;
    return true;
  }

  /** Whether a barrier waits for the entry. */
  private holds(index: number): boolean {
    const at = this.at(index);
    return !this.repeat || this.w[at] !== kindTlbi || this.w[at + 2] === repeated;
  }

  private completeAt(index: number): void {
    const { cpus } = this.context.layout;
    const before = this.inFlight;
    for (let cpu = 0; cpu < cpus && this.inFlight === before; cpu++) this.apply(index, cpu);
  }

  private mark(at: number, cpu: number): void {
    const word = at + broadcastWords + (cpu >>> 5);
    this.w[word] = this.w[word]! | (1 << (cpu & 31));
  }

  private appliedByAll(at: number): boolean {
    const { cpus } = this.context.layout;
    for (let word = 0; word * 32 < cpus; word++) {
      const left = cpus - word * 32;
      const all = left >= 32 ? -1 : (1 << left) - 1;
      if (this.w[at + broadcastWords + word] !== all) return false;
    }
    return true;
  }

  /** Removes an identical TLBI of the issuer that a barrier has passed once. */
  private forget(cpu: number, a: number, b: number, c: number): boolean {
    const w = this.w;
    for (let index = 0; index < this.inFlight; index++) {
      const at = this.at(index);
      if (w[at] !== kindTlbi || w[at + 1] !== cpu || w[at + 2] !== onceDone) continue;
      if (w[at + 3] !== a || w[at + 4] !== b || w[at + 5] !== c) continue;
      this.remove(index);
      return true;
    }
    return false;
  }

  private remove(index: number): void {
    const w = this.w;
    const end = this.at(this.inFlight);
    const at = this.at(index);
    const next = this.at(index + 1);
    w.copyWithin(at, next, end);
    w.fill(0, end - (next - at), end);
    w[this.context.layout.broadcasts] = this.inFlight - 1;
  }
}
