/** What happened, in order: 24 bytes an event, in chunks of typed arrays. */

export const enum EventKind {
  /** An operation: `code` its number in the program, `lo`, `hi` its first operand. */
  Operation,
  /** A store that changed memory outside the stacks: `extra` the slot, `lo`, `hi` the new value. */
  Store,
  /** A call: `extra` the function. */
  Call,
  Return,
  /** An interrupt is taken: `code` its vector. */
  InterruptEnter,
  InterruptExit,
  /** A primitive with an effect: `code` its number, `lo`, `hi` its first operand. */
  Primitive,
  /** The CPU waits; it goes on. */
  Wait,
  Resume,
  /** A call of the CPU's task begins: `extra` the function; it ends: `lo`, `hi` what it returned. */
  TaskStart,
  TaskEnd,
  /** The run stops: `code` the verdict. */
  Verdict,
  /** An IPI is sent: `code` its vector, `extra` the target. All of them have been handled. */
  Ipi,
  IpiWait,
  /** A translation was used that was no longer valid: `code` the kind of stale use, `lo`, `hi` the address. */
  Stale,
}

export const eventKindNames = [
  ...['operation', 'store', 'call', 'return', 'interrupt', 'interrupt-return', 'primitive', 'wait', 'resume'],
  ...['task', 'task-end', 'verdict', 'ipi', 'ipi-wait', 'stale'],
] as const;

export const eventWords = 6;
export const eventBytes = eventWords * 4;
const chunkEvents = 1 << 15;
const two32 = 4_294_967_296;

/** One event, taken apart. */
export interface TraceEvent {
  readonly seq: number;
  readonly cpu: number;
  readonly kind: (typeof eventKindNames)[number];
  /** Instruction that caused it; see `positionOf`. */
  readonly pc: number;
  readonly code: number;
  readonly extra: number;
  readonly lo: number;
  readonly hi: number;
  /** The CPU's clock after it, whole cycles. */
  readonly cycles: number;
}

export class Trace {
  private readonly chunks: Int32Array[] = [];
  /** Events kept. */
  recorded = 0;
  /** Where the run is: less than `recorded` after stepping back. */
  position = 0;

  /** `most`: later events are counted but not kept. `kinds`: bits of the kinds that are kept. */
  constructor(
    private readonly most = 8_000_000,
    readonly kinds = -1,
  ) {}

  /** Whether some events were not kept. */
  get full(): boolean {
    return this.position > this.most;
  }

  add(
    kind: EventKind,
    cpu: number,
    pc: number,
    code: number,
    extra: number,
    lo: number,
    hi: number,
    cycles: number,
  ): void {
    if ((this.kinds & (1 << kind)) === 0) return;
    const at = this.position++;
    // After a step back the same run writes the same events again.
    if (at < this.recorded || at >= this.most) return;
    const index = at & (chunkEvents - 1);
    if (index === 0 && this.chunks.length <= at / chunkEvents)
      this.chunks.push(new Int32Array(chunkEvents * eventWords));
    const chunk = this.chunks[at >>> 15]!;
    const to = index * eventWords;
    const above = cycles < two32 ? 0 : (cycles / two32) & 0x3ff;
    chunk[to] = pc;
    chunk[to + 1] = kind | (cpu << 4) | ((code & 0xff) << 14) | (above << 22);
    chunk[to + 2] = lo;
    chunk[to + 3] = hi;
    chunk[to + 4] = extra;
    chunk[to + 5] = (cycles % 4_294_967_296) | 0;
    this.recorded = at + 1;
  }

  /** Forgets everything from a position on: another run begins there. */
  cut(position: number): void {
    this.recorded = Math.min(this.recorded, position);
    this.position = position;
  }

  event(seq: number): TraceEvent {
    const chunk = this.chunks[seq >>> 15]!;
    const at = (seq & (chunkEvents - 1)) * eventWords;
    const packed = chunk[at + 1]!;
    return {
      seq,
      pc: chunk[at]!,
      kind: eventKindNames[packed & 15]!,
      cpu: (packed >>> 4) & 0x3ff,
      code: (packed >>> 14) & 0xff,
      lo: chunk[at + 2]!,
      hi: chunk[at + 3]!,
      extra: chunk[at + 4]!,
      cycles: (packed >>> 22) * two32 + (chunk[at + 5]! >>> 0),
    };
  }

  /** All words, for comparing traces byte for byte. */
  *words(): Generator<Int32Array> {
    let left = this.recorded;
    for (const chunk of this.chunks) {
      if (left <= 0) return;
      yield chunk.subarray(0, Math.min(left, chunkEvents) * eventWords);
      left -= chunkEvents;
    }
  }
}
