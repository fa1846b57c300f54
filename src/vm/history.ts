/** Going back and forth in a run: snapshots every so many instructions, and the same run again from the nearest. */
import type { Vm } from './vm';

export interface HistoryOptions {
  /** Instructions between snapshots, at first. Default 10,000, or more if the state is large. */
  readonly interval?: number;
  /** Bytes that all snapshots together may take; past it every second one is dropped. Default 192 MiB. */
  readonly bytes?: number;
}

interface Kept {
  readonly steps: number;
  readonly events: number;
  readonly state: Int32Array;
}

/** Instructions run at once while looking for an event. */
const stride = 256;

export class History {
  private readonly kept: Kept[] = [];
  private interval: number;
  private bytes = 0;
  private readonly bytesAtMost: number;

  /** Begins at the state that the machine has now. */
  constructor(
    private readonly vm: Vm,
    options: HistoryOptions = {},
  ) {
    // A large state is copied less often: a copy should not take longer than what is run between two.
    this.interval = Math.max(1, options.interval ?? Math.max(10_000, vm.stateBytes >> 6));
    this.bytesAtMost = options.bytes ?? 192 * 1024 * 1024;
    this.keep();
  }

  /** Runs up to `steps` instructions further, keeping snapshots. Returns how many were run. */
  run(steps: number): number {
    const { vm } = this;
    let left = steps;
    while (left > 0) {
      // Where the run has been before, its snapshots are there already.
      const until = Math.max(this.kept.at(-1)!.steps, vm.steps) + this.interval;
      const chunk = Math.min(left, Math.max(1, until - vm.steps));
      const ran = vm.run(chunk);
      left -= ran;
      if (vm.steps >= until) this.keep();
      if (ran < chunk) break;
    }
    return steps - left;
  }

  get snapshots(): number {
    return this.kept.length;
  }

  /** Goes to where exactly `steps` instructions have run, back or forth. */
  goToStep(steps: number): void {
    this.restore(one => one.steps <= steps, this.vm.steps <= steps);
    this.run(steps - this.vm.steps);
  }

  /**
   * Goes to where the event `seq` of the trace has just happened: after the instruction that caused it. The trace's
   * position is then the number of events that this instruction and those before it caused.
   */
  goToEvent(seq: number): void {
    const { vm } = this;
    const { trace } = vm;
    if (!trace) throw new Error('this run keeps no trace');
    const wanted = Math.min(seq + 1, trace.recorded);
    this.restore(one => one.events < wanted, trace.position < wanted);
    // In strides, the last of which is run again one instruction at a time.
    let start = vm.steps;
    while (trace.position < wanted) {
      start = vm.steps;
      if (this.run(stride) === 0) return;
    }
    if (start === vm.steps) return;
    this.goToStep(start);
    while (trace.position < wanted && this.run(1) === 1);
  }

  /** Back to the last snapshot that fits, unless the present does too and is nearer. */
  private restore(fits: (kept: Kept) => boolean, presentFits: boolean): void {
    const { vm, kept } = this;
    let low = 0;
    let high = kept.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fits(kept[middle]!)) low = middle;
      else high = middle - 1;
    }
    const best = kept[low]!;
    if (presentFits && vm.steps >= best.steps) return;
    vm.restore(best.state);
    if (vm.trace) vm.trace.position = best.events;
  }

  private keep(): void {
    const { vm, kept } = this;
    const { steps } = vm;
    const last = kept.at(-1);
    if (last && last.steps >= steps) return;
    const state = vm.snapshot();
    kept.push({ steps, events: vm.trace?.position ?? 0, state });
    this.bytes += state.byteLength;
    if (this.bytes <= this.bytesAtMost || kept.length < 4) return;
    this.interval *= 2;
    const thinned = kept.filter((_, at) => at % 2 === 0);
    kept.length = 0;
    kept.push(...thinned);
    this.bytes = kept.reduce((sum, one) => sum + one.state.byteLength, 0);
  }
}
