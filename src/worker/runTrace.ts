/** The trace of a run as columns, and what each CPU was busy with between its events. */
import { deviceVector } from '../kernel/harness';
import type { World } from '../kernel/world';
import { nmiVector } from '../machine/hardware';
import {
  eventKinds,
  laneKinds,
  type EventKindName,
  type LaneKind,
  type Place,
  type SegmentColumns,
  type TraceColumns,
} from '../protocol/run';
import type { PatchLines } from '../scenario/patchLines';
import { callVector } from '../vm/prelude';
import { positionOf } from '../vm/program';
import { exceptionCode } from '../vm/tasks';
import type { Trace, TraceEvent } from '../vm/trace';
import { nameOfSlot } from '../vm/verdicts';
import { staleKinds } from '../kernel/surroundings';

/** Texts, each once, by number. */
class Table<T> {
  readonly list: T[] = [];
  private readonly known = new Map<string | number, number>();

  number(key: string | number, make: () => T): number {
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const number = this.list.length;
    this.list.push(make());
    this.known.set(key, number);
    return number;
  }
}

/** Operations that drop translations. */
const flushNames = /^(?:INVLPG|INVPCID|CR3_FLUSH|CR4_WRITE|INVLPGB|TLBSYNC|TLBI)/;
const invpcidNames = ['INVPCID_ADDR', 'INVPCID_CTX', 'INVPCID_ALL_GLOBAL', 'INVPCID_ALL'] as const;

/** The operation that an instruction was, by the names of the vocabulary. */
function operationName(name: string, { extra, hi }: TraceEvent): string {
  if (name === 'INVPCID') return invpcidNames[(extra >>> 12) & 3]!;
  if (name === 'CR3_WRITE') return hi < 0 ? 'CR3_NOFLUSH' : 'CR3_FLUSH';
  return name;
}

const vectorNames: Readonly<Record<number, string>> = {
  [callVector]: 'function call',
  [deviceVector]: 'device',
  [nmiVector]: 'NMI',
  [exceptionCode]: 'exception',
};
export const vectorName = (vector: number): string => vectorNames[vector] ?? `vector ${vector}`;

/** Function of the harness in which user code accesses memory. */
const touching = 'world_touch';

/** What an event is, in the words of the panel. `took`: cycles since the CPU's last event. */
function describe(world: World, event: TraceEvent, place: Place, took: number): [EventKindName, string] {
  const { core } = world.vm;
  const { program } = core;
  switch (event.kind) {
    case 'operation': {
      const name = operationName(program.operations[event.code] ?? '', event);
      return [flushNames.test(name) ? 'flush' : 'operation', name];
    }
    case 'primitive':
      if (place.function !== touching) return ['primitive', program.primitives[event.code] ?? ''];
      if (event.code === 1) return ['fault', 'page fault'];
      return took > 0 ? ['refill', 'page walk'] : ['access', 'hit'];
    case 'store':
      return ['store', nameOfSlot(core, event.extra)];
    case 'call':
    case 'task':
      return [event.kind, program.functions[event.extra]?.name ?? ''];
    case 'interrupt':
      return [event.kind, vectorName(event.code)];
    case 'ipi':
      return [event.kind, `to CPU ${event.extra}`];
    case 'stale':
      return [event.kind, staleKinds[event.code] ?? ''];
    case 'verdict':
      return [event.kind, world.ending.verdict];
    default:
      return [event.kind, ''];
  }
}

/** Which half of an event's two words says something to a reader. */
const hasOperand: ReadonlySet<EventKindName> = new Set([
  ...([
    'operation',
    'flush',
    'access',
    'refill',
    'fault',
    'stale',
    'store',
    'primitive',
    'task-end',
  ] as const),
]);

const kindNumber = new Map(eventKinds.map((kind, at) => [kind, at]));
const laneNumber = new Map(laneKinds.map((lane, at) => [lane, at]));

/** What a CPU did before its next event, from the events so far. */
class CpuLane {
  private readonly handlers: string[] = [];
  waitsForRequests = false;

  constructor(
    public user: boolean,
    private readonly idle: boolean,
    public clock: number,
  ) {}

  private get base(): LaneKind {
    const handler = this.handlers.at(-1);
    if (handler === 'function call') return 'ipi-handler';
    if (handler !== undefined && handler !== 'exception') return 'interrupt';
    if (this.user) return 'user';
    return this.idle && handler === undefined ? 'idle' : 'kernel';
  }

  /** The lane of the time that an event ends. */
  lane(kind: EventKindName): LaneKind {
    if (kind === 'flush' || kind === 'refill') return kind;
    if (kind === 'ipi') return 'ipi-send';
    if (kind === 'ipi-wait') return 'ipi-wait';
    return this.base;
  }

  enter(name: string): void {
    this.handlers.push(name);
  }

  leave(): void {
    this.handlers.pop();
  }
}

/** Segments while they are collected. */
class Segments {
  private readonly rows: { cpu: number; lane: LaneKind; start: number; end: number; seq: number }[] = [];
  private readonly last: (number | undefined)[] = [];

  add(cpu: number, lane: LaneKind, start: number, end: number, seq: number): void {
    if (end <= start) return;
    const at = this.last[cpu];
    const before = at === undefined ? undefined : this.rows[at];
    // Operations stay apart, so that each can be seen; plain stretches become one.
    const plain = lane === 'user' || lane === 'kernel' || lane === 'ipi-handler' || lane === 'interrupt';
    if (before && plain && before.lane === lane && before.end === start) {
      before.end = end;
      before.seq = seq;
      return;
    }
    this.last[cpu] = this.rows.length;
    this.rows.push({ cpu, lane, start, end, seq });
  }

  columns(): SegmentColumns {
    const rows = this.rows.sort((a, b) => a.cpu - b.cpu || a.start - b.start);
    return {
      count: rows.length,
      cpu: Uint16Array.from(rows, row => row.cpu),
      lane: Uint8Array.from(rows, row => laneNumber.get(row.lane)!),
      start: Float64Array.from(rows, row => row.start),
      end: Float64Array.from(rows, row => row.end),
      seq: Uint32Array.from(rows, row => row.seq),
    };
  }
}

/** How a CPU begins, read before the run. */
export interface CpuBeginning {
  readonly user: boolean;
  readonly idle: boolean;
  readonly clock: number;
}

/** Call it before the run. */
export function beginnings(world: World, cpus: number): CpuBeginning[] {
  return Array.from({ length: cpus }, (_, cpu) => {
    const user = world.vm.read(['world_user_mode'], cpu) === 1n;
    return { user, idle: !user, clock: world.hardware.clocks.cycles(cpu) };
  });
}

export function columnsOf(
  world: World,
  trace: Trace,
  begun: readonly CpuBeginning[],
  lines: PatchLines,
): { trace: TraceColumns; segments: SegmentColumns } {
  const { program } = world.vm.core;
  const count = trace.recorded;
  const places = new Table<Place>();
  const names = new Table<string>();
  const placeOfPc = new Map<number, number>();
  const table = {
    count,
    cpu: new Uint16Array(count),
    kind: new Uint8Array(count),
    cycles: new Float64Array(count),
    place: new Uint32Array(count),
    name: new Uint32Array(count),
    lo: new Uint32Array(count),
    hi: new Uint32Array(count),
  };
  const placeAt = (pc: number): number => {
    const known = placeOfPc.get(pc);
    if (known !== undefined) return known;
    const { file, line, function: name } = positionOf(program, pc);
    const patchLine = lines.get(file)?.get(line) ?? 0;
    const number = places.number(`${name}\n${line}\n${file}`, () => ({
      file,
      line,
      function: name,
      patchLine,
    }));
    placeOfPc.set(pc, number);
    return number;
  };
  const cpus = begun.map(({ user, idle, clock }) => new CpuLane(user, idle, clock));
  const userSlots = begun.map((_, cpu) => world.vm.slot(['world_user_mode'], cpu));
  const segments = new Segments();
  for (let seq = 0; seq < count; seq++) {
    const event = trace.event(seq);
    const { cpu, cycles } = event;
    const lane = cpus[cpu]!;
    const place = placeAt(event.pc);
    const [kind, name] = describe(world, event, places.list[place]!, cycles - lane.clock);
    table.cpu[seq] = cpu;
    table.kind[seq] = kindNumber.get(kind)!;
    table.cycles[seq] = cycles;
    table.place[seq] = place;
    table.name[seq] = names.number(name, () => name);
    if (hasOperand.has(kind)) {
      table.lo[seq] = event.lo;
      table.hi[seq] = event.hi;
    } else if (kind === 'ipi') table.lo[seq] = event.extra;
    segments.add(cpu, lane.lane(kind), lane.clock, cycles, seq);
    lane.clock = Math.max(lane.clock, cycles);
    if (kind === 'store' && event.extra === userSlots[cpu]) lane.user = event.lo !== 0;
    else if (kind === 'interrupt') lane.enter(name);
    else if (kind === 'interrupt-return') lane.leave();
  }
  const end = cpus.reduce((latest, { clock }) => Math.max(latest, clock), 0);
  // A CPU that has had nothing to do still has its time.
  const busy = begun.filter(({ idle }) => !idle).map(({ clock }) => clock);
  const first = busy.length > 0 ? Math.min(...busy) : 0;
  cpus.forEach((lane, cpu) => {
    if (lane.lane('resume') !== 'idle') return;
    segments.add(cpu, 'idle', Math.max(first, lane.clock), end, Math.max(0, count - 1));
  });
  return {
    trace: { ...table, places: places.list, names: names.list, cut: trace.full },
    segments: segments.columns(),
  };
}
