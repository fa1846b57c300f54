/** A machine without TLBs, for tests of the VM alone: control registers, interrupts, messages, one cycle an operation. */
import type { Hardware } from '../../../src/machine/hardware';
import type { VmMachine } from '../../../src/vm/state';

const cpuWords = 16;
const mailWords = 6;

const enum At {
  Cr3Lo,
  Cr3Hi,
  Cr4,
  Enabled,
  Pending,
  NmiPending,
  NmiBlocked,
  Halted,
  Cycles,
  Outstanding,
}

export const plainMachineBytes = (cpus: number): number =>
  (cpus * cpuWords + cpus * cpus * mailWords + 1) * 4;

/** `latency`: cycles between the sending of an IPI and its arrival. Interrupts here arrive at once. */
export function plainMachine(cpus: number, buffer: ArrayBuffer, byteOffset: number): VmMachine {
  const state = new Int32Array(buffer, byteOffset, cpus * cpuWords);
  const mail = new Int32Array(buffer, byteOffset + state.byteLength, cpus * cpus * mailWords);
  const all = new Int32Array(buffer, byteOffset, plainMachineBytes(cpus) >> 2);
  const at = (cpu: number, what: At): number => cpu * cpuWords + what;
  const charge = (cpu: number): number => {
    state[at(cpu, At.Cycles)]! += 1;
    return 0;
  };
  for (let cpu = 0; cpu < cpus; cpu++) state[at(cpu, At.Cr4)] = 0x2_0000;
  const no = (): never => {
    throw new Error('the plain machine cannot do this');
  };
  const x86: Hardware['x86'] = {
    invlpg: charge,
    invpcid: (cpu, type) => (type > 3 || type < 0 ? 13 : charge(cpu)),
    writeCr3(cpu, lo, hi) {
      state[at(cpu, At.Cr3Lo)] = lo;
      state[at(cpu, At.Cr3Hi)] = hi & 0x7fff_ffff;
      return charge(cpu);
    },
    writeCr4(cpu, lo) {
      state[at(cpu, At.Cr4)] = lo;
      return charge(cpu);
    },
    writeCr0: charge,
    writeEfer: charge,
    taskSwitch: charge,
    cr3Lo: cpu => state[at(cpu, At.Cr3Lo)]!,
    cr3Hi: cpu => state[at(cpu, At.Cr3Hi)]!,
    cr4: cpu => state[at(cpu, At.Cr4)]!,
    cr0: () => 0,
    efer: () => 0,
    pcid: cpu => state[at(cpu, At.Cr3Lo)]! & 0xfff,
    root: cpu => state[at(cpu, At.Cr3Lo)]! >>> 12,
    reset: no,
    invlpgb: charge,
    tlbsync: charge,
    fence: charge,
  };
  const interrupts: Hardware['interrupts'] = {
    send: (_, to, vector) => void (state[at(to, At.Pending)]! |= 1 << vector),
    sendNmi: (_, to) => void (state[at(to, At.NmiPending)] = 1),
    raise: (to, vector) => void (state[at(to, At.Pending)]! |= 1 << vector),
    raiseNmi: to => void (state[at(to, At.NmiPending)] = 1),
    enabled: cpu => state[at(cpu, At.Enabled)] !== 0,
    setEnabled: (cpu, on) => void (state[at(cpu, At.Enabled)] = on ? 1 : 0),
    pending: cpu => state[at(cpu, At.Pending)]!,
    nmiPending: cpu => state[at(cpu, At.NmiPending)] !== 0,
    next(cpu) {
      if (state[at(cpu, At.NmiPending)] !== 0 && state[at(cpu, At.NmiBlocked)] === 0) return 32;
      const pending = state[at(cpu, At.Pending)]!;
      return state[at(cpu, At.Enabled)] === 0 || pending === 0 ? -1 : 31 - Math.clz32(pending & -pending);
    },
    nextArrival: () => 0,
    arrivalOf: () => 0,
    accept(cpu, vector) {
      state[at(cpu, At.Halted)] = 0;
      if (vector === 32) {
        state[at(cpu, At.NmiPending)] = 0;
        state[at(cpu, At.NmiBlocked)] = 1;
        return;
      }
      state[at(cpu, At.Pending)]! &= ~(1 << vector);
      state[at(cpu, At.Enabled)] = 0;
    },
    returnFromInterrupt: cpu => void (state[at(cpu, At.NmiBlocked)] = 0),
    nmiBlocked: cpu => state[at(cpu, At.NmiBlocked)] !== 0,
    halted: cpu => state[at(cpu, At.Halted)] !== 0,
    setHalted: (cpu, on) => void (state[at(cpu, At.Halted)] = on ? 1 : 0),
  };
  const words = new Int32Array(4);
  /** Word 0 of a message: 0 none, 1 posted, 2 taken. */
  const box = (from: number, to: number): number => (to * cpus + from) * mailWords;
  const mailboxes: Hardware['mailboxes'] = {
    words,
    post(from, to) {
      const place = box(from, to);
      if (mail[place] !== 0) return false;
      mail[place] = 1;
      mail.set(words, place + 1);
      state[at(from, At.Outstanding)]! += 1;
      return true;
    },
    take(to) {
      for (let from = 0; from < cpus; from++) {
        const place = box(from, to);
        if (mail[place] !== 1) continue;
        mail[place] = 2;
        words.set(mail.subarray(place + 1, place + 5));
        return from;
      }
      return -1;
    },
    waitingMessages: no,
    stateOf: (to, from) => (['none', 'posted', 'taken'] as const)[mail[box(from, to)]!]!,
    acknowledge(to, from) {
      mail[box(from, to)] = 0;
      state[at(from, At.Outstanding)]! -= 1;
    },
    unacknowledged: to =>
      Array.from({ length: cpus }, (_, from) => from).filter(from => mail[box(from, to)] !== 0).length,
    outstanding: from => state[at(from, At.Outstanding)]!,
    awaitAcknowledgements: () => undefined,
  };
  const clocks: Hardware['clocks'] = {
    cycles: cpu => state[at(cpu, At.Cycles)]!,
    low: cpu => state[at(cpu, At.Cycles)]!,
    high: cpu => state[at(cpu, At.Cycles)]!,
    charge: cpu => charge(cpu) === 0,
    add: no,
    waitFor(cpu, other) {
      state[at(cpu, At.Cycles)] = Math.max(state[at(cpu, At.Cycles)]!, state[at(other, At.Cycles)]!);
    },
    count: no,
    tally: () => undefined,
    unpriced: () => 0,
    operation: () => 0,
    price: () => null,
    misses: () => 0,
    missingFigures: [],
  };
  const stores: Hardware['stores'] = {
    lo: 0,
    hi: 0,
    store: no,
    find: () => false,
    size: () => 0,
    mayDrain: () => false,
    drain: () => false,
    drainAll: () => undefined,
  };
  return {
    ...{
      cpus,
      x86,
      arm64: null,
      stores,
      interrupts,
      mailboxes,
      clocks,
      buffer,
      byteOffset,
      words: all.length,
    },
    hash(out) {
      let hash = 0;
      for (const word of all) hash = Math.imul(hash ^ word, 0x9e37_79b1) ^ (hash >>> 15);
      out[0] = hash;
      out[1] = 0;
    },
  };
}
