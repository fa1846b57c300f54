/** Makes a simulated machine of a profile. */
import type { Hardware, StatePart } from '../hardware';
import type { Bus, HardwareOptions } from '../hardwareOptions';
import type { MachineProfile } from '../profile';
import { Arm64 } from './arm64';
import { BroadcastQueue } from './broadcasts';
import { Context } from './context';
import { InterruptState } from './interrupts';
import { layOut, type Layout } from './layout';
import { MailboxState } from './mailboxes';
import { equalWords, hashWords, loadWords, saveWords } from './state';
import { Translate } from './translate';
import { X86 } from './x86';

/** Bytes that the state of such a machine takes. Throws a RangeError that names the limit an option is past. */
export function hardwareBytes(profile: MachineProfile, options: HardwareOptions = {}): number {
  return layOut(profile, options).words * 4;
}

/**
 * A machine whose CPUs have paging on, root 0 and the profile's features, interrupts off, and nothing cached.
 * Throws a RangeError that names the limit an option is past.
 */
export function createHardware(profile: MachineProfile, bus: Bus, options: HardwareOptions = {}): Hardware {
  const layout = layOut(profile, options);
  const byteOffset = options.byteOffset ?? 0;
  const buffer = options.buffer ?? new ArrayBuffer(byteOffset + layout.words * 4);
  if (byteOffset % 8 !== 0 || buffer.byteLength < byteOffset + layout.words * 4)
    throw new RangeError(`the buffer must hold ${layout.words * 4} bytes from a multiple of 8 on`);
  return new Machine(new Context(profile, bus, options, layout, buffer, byteOffset), buffer, byteOffset);
}

class Machine implements Hardware {
  readonly profile: MachineProfile;
  readonly cpus: number;
  readonly translation: Translate;
  readonly x86: X86 | null;
  readonly arm64: Arm64 | null;
  readonly broadcasts: BroadcastQueue;
  readonly interrupts: InterruptState;
  readonly mailboxes: MailboxState;
  readonly words: number;
  private readonly layout: Layout;

  constructor(
    private readonly context: Context,
    readonly buffer: ArrayBuffer,
    readonly byteOffset: number,
  ) {
    const { layout, profile, arm } = context;
    this.layout = layout;
    this.profile = profile;
    this.cpus = layout.cpus;
    this.words = layout.words;
    this.translation = new Translate(context);
    this.broadcasts = new BroadcastQueue(context);
    this.interrupts = new InterruptState(context);
    this.mailboxes = new MailboxState(context);
    this.x86 = arm ? null : new X86(context, this.broadcasts);
    this.arm64 = arm ? new Arm64(context, this.broadcasts) : null;
    for (let cpu = 0; cpu < layout.cpus; cpu++) {
      this.x86?.reset(cpu, 0, profile.features);
      this.arm64?.reset(cpu, 0, 0, 0);
    }
  }

  get stores(): Context['stores'] {
    return this.context.stores;
  }

  get clocks(): Context['clock'] {
    return this.context.clock;
  }

  socket(cpu: number): number {
    return this.context.clock.socket(cpu);
  }

  snapshot(into?: Int32Array): Int32Array {
    const copy = into ?? new Int32Array(this.words);
    copy.set(this.context.w);
    return copy;
  }

  restore(snapshot: Int32Array): void {
    this.context.w.set(snapshot);
  }

  save(): Int32Array {
    return saveWords(this.context.w);
  }

  load(saved: Int32Array): void {
    loadWords(this.context.w, saved);
  }

  hash(out: Int32Array, part: StatePart = 'all'): void {
    hashWords(this.context.w, 0, this.end(part), out);
  }

  equals(snapshot: Int32Array, part: StatePart = 'all'): boolean {
    return equalWords(this.context.w, snapshot, this.end(part));
  }

  canonicalise(ages: 'rank' | 'forget' = 'rank'): void {
    for (let cpu = 0; cpu < this.cpus; cpu++) {
      this.context.words.rankStamps(this.context.base(cpu), ages === 'rank' ? 'sort' : 'forget');
      this.mailboxes.canonicalise(cpu);
    }
  }

  private end(part: StatePart): number {
    return part === 'all' ? this.words : this.layout.times;
  }
}
