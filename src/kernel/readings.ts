/** What can be read of a world: figures, flush state, stale uses. */
import type { Hardware } from '../machine/hardware';
import type { TlbEntryView } from '../machine/hardware/entriesView';
import { operations } from '../machine/operations';
import type { LinkedProgram } from '../vm/link';
import type { Position } from '../vm/program';
import { positionOf } from '../vm/program';
import type { Ending } from '../vm/verdicts';
import type { Place, Vm } from '../vm/vm';
import type { CpuView, ViewedWorld } from './cpuView';
import { cpuEntries, cpuStale, cpuView } from './cpuView';
import { lazyPlace, maskPlace } from './kernelFields';
import type { LoweredTree } from './lower';
import type { Surroundings } from './surroundings';
import { baselineTime, overflushLines, staleKinds } from './surroundings';
import type { CpuFigures, FlushState, SourceFile, StaleUse, StateValue, World, WorldOptions } from './world';

const slotsOfCpu = 6;
/** Per-CPU objects whose fields differ between kernels → their struct. */
const structOf: Readonly<Record<string, string | undefined>> = {
  cpu_tlbstate: 'tlb_state',
  cpu_tlbstate_shared: 'tlb_state_shared',
};
const switching = 1n;
/** Every function ends with this trap: nothing runs past its end. */
const endOfFunction = 'its end is not shown';

const reasons: Readonly<Record<StaleUse['verdict'], string>> = {
  'stale-data': 'user code reached a page that the address no longer maps',
  'stale-perm': 'user code used a right that the entry no longer gives',
  'stale-walk': 'the page walk went through a table that had been freed',
  'lost-dirty': 'user code wrote through an entry after the page was declared clean',
  exposure: "the kernel can reach a page through the direct map that was to be the user's alone",
  'spec-only': 'kernel code has a stale entry that only speculation could use',
};

export class BootedWorld implements World {
  private fields: readonly ((cpu: number) => StateValue)[] | null = null;

  constructor(
    readonly vm: Vm,
    private readonly options: WorldOptions,
    private readonly around: Surroundings,
    private readonly program: LinkedProgram,
    private readonly lowered: LoweredTree,
  ) {}

  run(steps: number): number {
    return this.vm.run(steps);
  }

  get ending(): Ending {
    return this.vm.ending;
  }

  figures(cpu: number): CpuFigures {
    const { core } = this.vm;
    const { clocks } = this.around.hardware!;
    const at = this.around.baselineSlot(core, cpu);
    const counts: Record<string, number> = {};
    operations.forEach(({ name }, number) => {
      const ran = clocks.count(cpu, number) - core.memoryLo[at + 5 + number]!;
      if (ran !== 0) counts[name] = ran;
    });
    return {
      cycles: clocks.cycles(cpu) - baselineTime(core, at, 0),
      low: clocks.low(cpu) - baselineTime(core, at, 1),
      high: clocks.high(cpu) - baselineTime(core, at, 2),
      counts,
      misses: clocks.misses(cpu) - core.memoryLo[at + 3]!,
      unpriced: clocks.unpriced(cpu) - core.memoryLo[at + 4]!,
    };
  }

  flushState(cpu: number): FlushState {
    const [mm, asid, lazy, mask, start, end, stride, ...slots] = this.flushFields.map(field => field(cpu));
    return {
      loaded_mm: this.nameOfMm(mm!),
      loaded_mm_asid: asid!,
      is_lazy: lazy!,
      user_pcid_flush_mask: mask!,
      user_flush_start: start!,
      user_flush_end: end!,
      user_flush_stride_shift: stride!,
      ctxs: Array.from({ length: slotsOfCpu }, (_, slot) => ({
        ctx_id: slots[2 * slot]!,
        tlb_gen: slots[2 * slot + 1]!,
      })),
    };
  }

  /** Readers of the fields of {@link flushState}, found once: a panel reads them of every CPU after every step. */
  private get flushFields(): readonly ((cpu: number) => StateValue)[] {
    if (this.fields) return this.fields;
    const numbers = Array.from({ length: slotsOfCpu }, (_, slot) => slot);
    const ofSlots = numbers.flatMap(slot => [
      ['ctxs', slot, 'ctx_id'],
      ['ctxs', slot, 'tlb_gen'],
    ]);
    const state = (...path: (string | number)[]): Place => ['cpu_tlbstate', ...path];
    const places: Place[] = [
      state('loaded_mm'),
      state('loaded_mm_asid'),
      lazyPlace(this.program),
      state('user_pcid_flush_mask'),
      state('user_flush_start'),
      state('user_flush_end'),
      state('user_flush_stride_shift'),
      ...ofSlots.map(path => state(...path)),
    ];
    return (this.fields = places.map(place => this.reader(place)));
  }

  spaceState(name: string): { tlb_gen: StateValue; cpumask: number[] } {
    const mm = `world_mm${this.options.spaces.findIndex(one => one.name === name)}`;
    const cpus = Array.from({ length: this.options.cpus }, (_, cpu) => cpu);
    return {
      tlb_gen: this.value([mm, 'context', 'tlb_gen'], 0),
      cpumask: cpus.filter(cpu => {
        const word = this.value(maskPlace(this.program, mm, cpu >> 6), 0) ?? 0n;
        return ((word >> BigInt(cpu & 63)) & 1n) === 1n;
      }),
    };
  }

  cpuView(cpu: number): CpuView {
    return this.looking(() => cpuView(this.viewed, cpu));
  }

  cpuEntries(cpu: number): TlbEntryView[] {
    return this.looking(() => cpuEntries(this.viewed, cpu));
  }

  cpuStale(cpu: number): ReadonlyMap<number, number> {
    return this.looking(() => cpuStale(this.viewed, cpu));
  }

  get hardware(): Hardware {
    return this.around.hardware!;
  }

  private get viewed(): ViewedWorld {
    const mms = this.options.spaces.map(({ name }, at) => ({ name, object: `world_mm${at}` }));
    const { vm, hardware } = this;
    const pti = ['PTI', 'XPTI'].some(name => this.options.features.has(name));
    const figures = (cpu: number): CpuFigures => this.figures(cpu);
    const flushState = (cpu: number): FlushState => this.flushState(cpu);
    const staleUsesOf = (cpu: number): StaleUse[] =>
      staleKinds.flatMap((_, kind) => this.staleUse(cpu, kind));
    return { vm, hardware, pti, mms, staleUsesOf, figures, flushState };
  }

  /** Walks for show are no walks of the run: what they pass through counts for nothing. */
  private looking<T>(look: () => T): T {
    const was = this.around.walkedDead;
    const result = look();
    this.around.walkedDead = was;
    return result;
  }

  get staleUses(): StaleUse[] {
    const cpus = Array.from({ length: this.options.cpus }, (_, cpu) => cpu);
    return staleKinds.flatMap((_, kind) => cpus.flatMap(cpu => this.staleUse(cpu, kind)));
  }

  /** The first of a kind on a CPU, if there was one. */
  private staleUse(cpu: number, kind: number): StaleUse[] {
    const { core } = this.vm;
    const slot = this.around.staleSlot(core, cpu, kind);
    const low = core.memoryLo[slot]!;
    if ((low & 1) === 0) return [];
    const verdict = staleKinds[kind]!;
    const address = (BigInt(core.memoryHi[slot]! >>> 0) << 32n) | BigInt((low & ~0xfff) >>> 0);
    return [{ verdict, cpu, address, why: reasons[verdict] }];
  }

  get assumed(): string[] {
    return [...this.program.assumed, ...this.lowered.assumed];
  }

  overflushed(cpu: number): number {
    const { core } = this.vm;
    return core.memoryLo[this.around.overflushSlot(core, cpu)]!;
  }

  overflushes(cpu: number): { count: number; position: Position }[] {
    const { core } = this.vm;
    const first = this.around.overflushSlot(core, cpu) + 1;
    return Array.from({ length: overflushLines }, (_, row) => first + row)
      .filter(slot => core.memoryLo[slot] !== 0)
      .map(slot => ({
        count: core.memoryLo[slot]!,
        position: positionOf(core.program, core.memoryHi[slot]! - 1),
      }));
  }

  get sources(): readonly SourceFile[] {
    return this.lowered.sources;
  }

  get undefinedNames(): string[] {
    return [
      ...new Set(this.program.traps.filter(({ why }) => why !== endOfFunction).map(({ name }) => name)),
    ].sort();
  }

  private has(name: string): boolean {
    return this.program.locate([name]) !== null;
  }

  /** A value; null where the tree has no such field: the field that `place` names first decides. */
  private value(place: Place, cpu: number): StateValue {
    return this.reader(place)(cpu);
  }

  private reader(place: Place): (cpu: number) => StateValue {
    const [object, field] = place;
    const tag = structOf[object];
    const missing = tag !== undefined && typeof field === 'string' && !this.hasMember(tag, field);
    if (missing || !this.has(object)) return () => null;
    const { vm } = this;
    const first = vm.slot(place, 0);
    if (first === null) return () => null;
    // The CPUs' copies lie at equal distances.
    const distance = this.program.locate(place)?.object.perCpu ? vm.slot(place, 1)! - first : 0;
    return cpu => vm.readSlot(first + cpu * distance);
  }

  private hasMember(tag: string, field: string): boolean {
    return this.lowered.modules.some(({ structs }) =>
      structs?.some(one => one.tag === tag && one.members.some(({ name }) => name === field)),
    );
  }

  private nameOfMm(address: StateValue): string {
    if (address === null) return '';
    if (address === switching) return 'LOADED_MM_SWITCHING';
    if (address === this.vm.address(['init_mm'])) return 'init_mm';
    const at = this.options.spaces.findIndex((_, space) => this.vm.address([`world_mm${space}`]) === address);
    return at < 0 ? '' : this.options.spaces[at]!.name;
  }
}
