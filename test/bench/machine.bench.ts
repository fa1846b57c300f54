/** The simulated hardware: look-ups, flushes, shootdowns, copies and hashes; ratios against TLBs made of Maps. */
import type { Hardware } from '../../src/machine/hardware';
import { createHardware } from '../../src/machine/hardware/create';
import type { Bus, HardwareOptions } from '../../src/machine/hardwareOptions';
import type { TlbStructure } from '../../src/machine/profile';
import { defaultMachine } from '../../src/machine/registry';
import { Agreement } from '../unit/machine/hardware/agreement';
import { type Bench, type BenchRow } from './bench';

/** Milliseconds of processor time: others may use the machine at the same time. */
function spent(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** Median of `runs` times of `work`, after one that is the compiler's. */
function medianTime(work: () => void, runs = 9): number {
  work();
  return Array.from({ length: runs }, () => spent(work)).sort((a, b) => a - b)[runs >> 1]!;
}

/** Maps every page to a frame made of its table and index, without memory behind it. */
class FlatTables implements Bus {
  lo = 0;
  hi = 0;

  readEntry(_cpu: number, table: number, level: number, index: number): boolean {
    const frame = level > 1 ? (table * 512 + index) & 0xfffff : (table ^ index) & 0xfffff;
    this.lo = (frame << 12) | 0x67;
    this.hi = 0;
    return true;
  }

  writeEntry(): void {
    // Every entry is accessed and dirty already.
  }

  write(): void {
    // Stores go nowhere.
  }
}

/** One cache of 1,536 entries, as in published measurements of such look-ups. */
const single: readonly TlbStructure[] = [
  {
    ...{ id: 'tlb', level: 'L1', holds: 'both', pageSizes: ['4K'], entries: 1536, ways: 12 },
    ...{ kind: 'estimated', sources: ['OWN'], note: '' },
  },
];

/** Addresses of pages, per CPU a working set of `pages`, in a fixed random order. */
function addresses(count: number, pages: number): Int32Array {
  let seed = 12345;
  return Int32Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return ((seed >>> 8) % pages) << 12;
  });
}

function make(cpus: number, options: HardwareOptions = {}): Hardware {
  const machine = createHardware(defaultMachine(), new FlatTables(), { cpus, ...options });
  for (let cpu = 0; cpu < cpus; cpu++) machine.x86!.reset(cpu, 1, ['PGE', 'PCID', 'INVPCID']);
  return machine;
}

const order = addresses(1 << 16, 1024);

function lookUps(machine: Hardware, cpus: number, count: number, pages: Int32Array): number {
  const { translation } = machine;
  let sum = 0;
  for (let i = 0, cpu = 0; i < count; i++) {
    sum += translation.access(cpu, pages[i & 0xffff]!, 0, 0);
    if (++cpu === cpus) cpu = 0;
  }
  return sum;
}

/** The peer: one Map per CPU from page number to entry, the oldest entry leaves. */
class MapTlb {
  private readonly entries = new Map<number, { frame: number; pcid: number }>();

  access(page: number, pcid: number): number {
    const key = page * 4096 + pcid;
    const found = this.entries.get(key);
    if (found) return found.frame;
    if (this.entries.size >= 1536) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(key, { frame: page ^ 5, pcid });
    return page ^ 5;
  }

  /** As a CR3 write with PCIDs does. */
  flush(pcid: number): void {
    for (const [key, entry] of this.entries) if (entry.pcid === pcid) this.entries.delete(key);
  }
}

function mapLookUps(tlbs: readonly MapTlb[], count: number, pages: Int32Array): number {
  let sum = 0;
  for (let i = 0, cpu = 0; i < count; i++) {
    sum += tlbs[cpu]!.access(pages[i & 0xffff]! >>> 12, 1);
    if (++cpu === tlbs.length) cpu = 0;
  }
  return sum;
}

const count = 2_000_000;
const millions = (milliseconds: number, of: number): number => of / milliseconds / 1000;

function lookUpRows(): BenchRow[] {
  const cpus = 96;
  const whole = make(cpus);
  const hits = addresses(1 << 16, 48);
  const one = make(cpus, { tlb: single });
  const maps = Array.from({ length: cpus }, () => new MapTlb());
  const small = medianTime(() => lookUps(whole, cpus, count, hits));
  const deep = medianTime(() => lookUps(whole, cpus, count, order));
  const flat = medianTime(() => lookUps(one, cpus, count, order));
  const peer = medianTime(() => mapLookUps(maps, count, order));
  const misses = medianTime(() => lookUps(one, cpus, count, addresses(1 << 16, 2400)));
  return [
    {
      ...{ what: 'look-ups, 96 CPUs × 1,536 entries', value: millions(flat, count), unit: 'M/s' },
      ...{ floor: 10, goal: 25 },
    },
    { what: 'the same, first and second level', value: millions(deep, count), unit: 'M/s', floor: 5 },
    { what: 'first level hits', value: millions(small, count), unit: 'M/s', goal: 25 },
    { what: 'working set of 2,400 pages (with walks)', value: millions(misses, count), unit: 'M/s' },
    { what: 'of Maps, 96 CPUs', value: millions(peer, count), unit: 'M/s' },
    { what: 'times as fast as Maps', value: peer / flat, unit: '×', floor: 0.3 },
  ];
}

/** Time of `work` alone, in ms, the median of several; `before` runs untimed each time. */
function alone(before: () => void, work: () => void, runs = 51): number {
  const times = Array.from({ length: runs }, () => {
    before();
    return spent(work);
  });
  return times.sort((a, b) => a - b)[runs >> 1]!;
}

function flushRows(): BenchRow[] {
  const machine = make(1);
  const fill = (): void => void lookUps(machine, 1, 4000, order);
  const flush = alone(fill, () => machine.x86!.writeCr3(0, 1 << 12, 0));
  const maps = [new MapTlb()];
  const peer = alone(
    () => void mapLookUps(maps, 4000, order),
    () => maps[0]!.flush(1),
  );
  const pages = 100_000;
  const invlpg = medianTime(() => {
    for (let i = 0; i < pages; i++) machine.x86!.invlpg(0, order[i & 0xffff]!, 0);
  });
  return [
    { what: 'flush of one full PCID against Maps', value: peer / flush, unit: '×', floor: 0.5 },
    { what: 'flush of one full PCID', value: flush * 1000, unit: 'µs', lowerIsBetter: true },
    { what: 'INVLPG', value: millions(invlpg, pages), unit: 'M/s', floor: 1 },
  ];
}

/** One CPU interrupts all others, each of which flushes a page and acknowledges. */
function shootdown(machine: Hardware): void {
  const { cpus, interrupts, mailboxes, x86 } = machine;
  for (let to = 1; to < cpus; to++) {
    mailboxes.post(0, to);
    interrupts.send(0, to, 1);
  }
  for (let cpu = 1; cpu < cpus; cpu++) {
    interrupts.setEnabled(cpu, true);
    interrupts.accept(cpu, interrupts.next(cpu, false));
    const from = mailboxes.take(cpu);
    x86!.invlpg(cpu, 0x1000, 0);
    mailboxes.acknowledge(cpu, from);
    interrupts.returnFromInterrupt(cpu);
  }
  mailboxes.awaitAcknowledgements(0);
}

function shootdownRows(): BenchRow[] {
  const small = make(64);
  const large = make(256);
  lookUps(large, 256, 256 * 64, order);
  const few = medianTime(() => shootdown(small));
  const many = medianTime(() => shootdown(large));
  return [
    {
      ...{ what: 'shootdown on 256 CPUs', value: many, unit: 'ms' },
      ...{ floor: 20, goal: 2, lowerIsBetter: true },
    },
    {
      ...{ what: '256 CPUs against 64', value: many / few, unit: '×' },
      ...{ floor: 12, lowerIsBetter: true },
    },
  ];
}

function stateRows(): BenchRow[] {
  const machine = make(4, { tlb: [{ ...single[0]!, entries: 16, ways: 4 }] });
  lookUps(machine, 4, 100, order);
  const into = machine.snapshot();
  const out = new Int32Array(2);
  const times = 2000;
  const copies = medianTime(() => {
    for (let i = 0; i < times; i++) machine.snapshot(into);
  });
  const hashes = medianTime(() => {
    for (let i = 0; i < times; i++) machine.hash(out);
  });
  const large = make(96);
  lookUps(large, 96, 96 * 40, order);
  const sparse = medianTime(() => void large.save());
  return [
    { what: 'state of 4 CPUs × 16 entries', value: machine.words * 4, unit: 'B', lowerIsBetter: true },
    { what: 'copy of it', value: (copies / times) * 1000, unit: 'µs', lowerIsBetter: true },
    { what: 'hash of it', value: (hashes / times) * 1000, unit: 'µs', lowerIsBetter: true },
    { what: 'state of 96 CPUs', value: (large.words * 4) / 1e6, unit: 'MB', lowerIsBetter: true },
    {
      what: 'saved with 40 pages a CPU',
      value: (large.save().length * 4) / 1e6,
      unit: 'MB',
      lowerIsBetter: true,
    },
    { what: 'saving it', value: sparse, unit: 'ms', lowerIsBetter: true },
  ];
}

/** More random sequences than the unit test has time for. */
function agreementRows(): BenchRow[] {
  const sequences = 50_000;
  let seed = 20_261_130;
  const next = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return (seed >>> 1) ^ (seed >>> 15);
  };
  let agreed = 0;
  for (const amd of [false, true])
    for (const pieces of [false, true]) {
      const agreement = new Agreement({ amd, pieces });
      for (let n = 0; n < sequences / 4; n++)
        if (agreement.run(Array.from({ length: 40 }, next)) === null) agreed += 1;
    }
  return [{ what: 'sequences of 40 operations that agree', value: agreed, unit: '', floor: sequences }];
}

export const benches: readonly Bench[] = [
  { name: 'look-ups', run: lookUpRows },
  { name: 'invalidation', run: flushRows },
  { name: 'shootdown', run: shootdownRows },
  { name: 'state', run: stateRows },
  { name: 'agreement with a plain reference', run: agreementRows },
];
