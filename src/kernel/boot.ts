/** Boots a world: links the tree with its surroundings, fills page tables, and puts each CPU into user mode. */
import type { IrType } from '../code/ir';
import { isCParserLoaded } from '../code/lowerC';
import type { Hardware } from '../machine/hardware';
import { accessUser, nmiVector } from '../machine/hardware';
import type { Bus } from '../machine/hardwareOptions';
import { createHardware, hardwareBytes } from '../machine/hardware/create';
import type { Core } from '../vm/core';
import { link } from '../vm/link';
import type { LinkedProgram } from '../vm/link';
import type { ExtraObject } from '../vm/memory';
import { halves } from '../vm/pairs';
import { callVector, preludePrimitives } from '../vm/prelude';
import { isPrimitiveName } from '../vm/primitives';
import type { Place } from '../vm/vm';
import { Vm } from '../vm/vm';
import type { Task } from '../vm/tasks';
import { callHandlerName, deviceHandlerName, deviceVector, nmiHandlerName } from './harness';
import { fillElsewhere, fillMm, lazyPlace, maskPlace } from './kernelFields';
import type { LoweredTree } from './lower';
import { lowerKernel } from './lower';
import { PageTables } from './pageTables';
import { worldPrimitiveNames, worldPrimitives } from './primitives';
import {
  baselineSlots,
  objectNames,
  pageSlots,
  setBaseline,
  Surroundings,
  tableUsed,
  tableWasUsed,
} from './surroundings';
import { fillOwnCalls, ownCallsKeys, ownCallsObjects } from './ownCalls';
import { Overflush } from './overflush';
import { Speculation, speculatedPagesAtMost } from './speculation';
import type { Addresses } from './program';
import { barriersOf, ProgramBuilder, spins } from './program';
import type { Plan } from './plan';
import { planOf } from './plan';
import { BootedWorld } from './readings';
import type { AddressSpace, World, WorldOptions } from './world';
import { WorldError } from './world';

const word: IrType = { kind: 'integer', bits: 64, signed: false };
const words = (length: number): IrType => ({ kind: 'array', of: word, length });
const struct = (tag: string): IrType => ({ kind: 'struct', tag });

const mmName = (space: number): string => `world_mm${space}`;
const taskName = (space: number): string => `world_task${space}`;
const idleName = 'world_idle';
const barrierName = (number: number): string => `world_barrier${number}`;
/** Kernel's bits of CR3 under PTI that user mode adds. */
const userCr3Bits = 0x1800;
const userRootBit = 0x1000;

/** VM_HUGETLB of the model. */
const vmHugetlb = 0x40_0000n;

/** Address space ids: init_mm has 1. */
const firstContext = 2n;

/** Boots a world. Throws {@link WorldError}. `lowered`: the tree's IR, where the caller keeps it. */
export function bootWorld(options: WorldOptions, lowered?: LoweredTree): World {
  if (!lowered && !isCParserLoaded()) throw new WorldError('the C parser is not loaded yet');
  const plan = planOf(options);
  return new Boot(options, plan, lowered ?? lowerKernel(options.tree, options.config)).run();
}

class Boot {
  private readonly barriers: ReadonlyMap<string, ReadonlySet<number>>;
  private readonly program: LinkedProgram;
  private readonly around: Surroundings;
  private overflush: Overflush | null = null;
  private speculation: Speculation | null = null;

  constructor(
    private readonly options: WorldOptions,
    private readonly plan: Plan,
    private readonly lowered: LoweredTree,
  ) {
    this.barriers = barriersOf(options.programs);
    this.program = this.link();
    const offset = (...path: (string | number)[]): number => {
      const at = this.program.locate([mmName(0), ...path] as Place);
      return at ? at.slot - this.program.locate([mmName(0)])!.slot : -1;
    };
    this.around = new Surroundings(this.program, {
      ...{ flush: offset('tlb_flush_pending'), batched: offset('tlb_flush_batched') },
      lock: offset('page_table_lock'),
    });
  }

  private link(): LinkedProgram {
    const { options, plan, lowered } = this;
    const { spaces, cpus } = options;
    const pairs = 2 * (spaces.length + 1);
    // Room for the tables of all pages, spread as thinly as regions can be, and for a copy of each space.
    const regions = spaces.reduce((sum, one) => sum + one.regions.length, 0) + 8;
    const all = plan.pages + plan.hugePages;
    const tables = pairs + 2 * spaces.length * (3 * regions + Math.ceil(all / 64) + 16);
    const objects: ExtraObject[] = [
      { name: objectNames.tables, type: words(tables * pageSlots), alignment: 2 * pageSlots },
      { name: objectNames.tableState, type: words(tables) },
      { name: objectNames.frames, type: words(4 * plan.pages + 1024) },
      { name: objectNames.hugeFrames, type: words(4 * plan.hugePages + 8) },
      { name: objectNames.baseline, type: words(baselineSlots), perCpu: true },
      ...spaces.flatMap((_, at): ExtraObject[] => [
        { name: mmName(at), type: struct('mm_struct') },
        { name: taskName(at), type: struct('task_struct'), perCpu: true },
      ]),
      { name: idleName, type: struct('task_struct'), perCpu: true },
      ...(lowered.ownCalls ? ownCallsObjects(cpus, lowered.modules) : []),
      ...Array.from({ length: this.barriers.size }, (_, at): ExtraObject => ({
        name: barrierName(at),
        type: word,
      })),
    ];
    return link({
      modules: lowered.modules,
      replacing: [lowered.prelude],
      cpus,
      objects,
      primitives: {
        has: name => worldPrimitiveNames.has(name) || isPrimitiveName(name) || preludePrimitives.has(name),
      },
    });
  }

  run(): World {
    const { options, program, around } = this;
    const plain = this.vm([]);
    const finishing = options.programs.filter(steps => steps.length > 0 && !spins(steps)).length;
    const names = [...this.barriers.keys()];
    const index = (space: string): number => options.spaces.findIndex(one => one.name === space);
    const addresses: Addresses = {
      mm: space => (index(space) < 0 ? null : plain.address([mmName(index(space))])),
      task: (space, cpu) => (index(space) < 0 ? null : plain.address([taskName(index(space))], cpu)),
      idle: cpu => plain.address([idleName], cpu),
      barrier: name => ({
        address: plain.address([barrierName(names.indexOf(name))]),
        parties: this.barriers.get(name)!.size,
      }),
      cpus: options.cpus,
      finishing,
    };
    const tasks = options.programs.map((steps, cpu) =>
      new ProgramBuilder(cpu, this.isLazy(cpu), addresses).build(steps),
    );
    const vm = this.vm(tasks);
    this.fill(vm, around.hardware!);
    this.overflush?.start(vm.core);
    this.speculation?.start(vm.core);
    return new BootedWorld(vm, options, around, program, this.lowered);
  }

  /** First addresses of the pages of all spaces, low and high half. */
  private pages(): (readonly [number, number])[] {
    const regions = this.options.spaces.flatMap(space => space.regions);
    const count = regions.reduce((sum, { pages }) => sum + pages, 0);
    if (count > speculatedPagesAtMost)
      throw new WorldError(
        `with speculation, spaces have ${speculatedPagesAtMost} pages at most together, not ${count}`,
      );
    return regions.flatMap(({ start, pages }) =>
      Array.from({ length: pages }, (_, page) => halves(start + BigInt(page) * 4096n)),
    );
  }

  private isLazy(cpu: number): boolean {
    const { space, lazy } = this.plan.starts[cpu]!;
    return space === null || (lazy ?? false);
  }

  private vm(tasks: readonly Task[]): Vm {
    const { options, program, around } = this;
    const { cpus, machine } = options;
    const hardware = { ...options.hardware, cpus };
    let core: Core | null = null;
    const vm = new Vm({
      program,
      tasks,
      machineBytes: hardwareBytes(machine, hardware),
      machine: (buffer, byteOffset, memory) => {
        const bus: Bus = {
          lo: 0,
          hi: 0,
          ...memory,
          readEntry(_cpu, frame, _level, at) {
            const index = around.tableAt(frame);
            if (index < 0 || core === null) return false;
            const state = core.memoryLo[around.tableState + index];
            if (state === tableWasUsed) around.walkedDead = true;
            const slot = around.tables + index * pageSlots + at;
            this.lo = core.memoryLo[slot]!;
            this.hi = core.memoryHi[slot]!;
            return state === tableUsed || state === tableWasUsed;
          },
          writeEntry(cpu, frame, _level, at, lo, hi) {
            const index = around.tableAt(frame);
            if (index >= 0) core?.commit(cpu, around.tables + index * pageSlots + at, lo, hi);
          },
        };
        around.hardware = createHardware(machine, bus, { ...hardware, buffer, byteOffset });
        if (options.overflush) this.overflush = new Overflush(around.hardware, around);
        if (options.speculation)
          this.speculation = new Speculation(around.hardware, around, program, this.pages());
        return around.hardware;
      },
      handlers: new Map([
        [callVector, callHandlerName],
        [deviceVector, deviceHandlerName],
        [nmiVector, nmiHandlerName],
      ]),
      features: options.features,
      keys: new Map([...(this.lowered.ownCalls ? ownCallsKeys : []), ...(options.keys ?? [])]),
      config: options.config ?? new Map(),
      primitives: worldPrimitives(program, around),
      sizes: { stack: 2048, registers: 2048, depth: 96 },
      storeBuffers: (hardware.storeBuffer ?? 0) > 0,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.trace === undefined ? {} : { trace: options.trace }),
    });
    core = vm.core;
    return vm;
  }

  /** Memory, page tables and CPUs as they are before the first step. */
  private fill(vm: Vm, hardware: Hardware): void {
    const { options, plan, around } = this;
    for (const name of ['cpu_tlbstate', 'cpu_tlbstate_shared', 'current_task'])
      if (this.program.locate([name])) vm.define(name);
    if (!this.program.locate(['cpu_tlbstate', 'loaded_mm']))
      throw new WorldError("the tree's TLB code has no per-CPU 'cpu_tlbstate' with the mm that is loaded");
    fillElsewhere(vm, this.program, options.cpus);
    if (this.lowered.ownCalls) fillOwnCalls(vm, this.program, options.cpus, this.lowered.modules);
    const tables = new PageTables(vm, around);
    const roots = [...options.spaces, null].map(() => tables.pair());
    vm.write(['init_mm', 'pgd'], roots.at(-1)!);
    options.spaces.forEach((space, at) => this.fillSpace(vm, tables, space, at, roots[at]!));
    for (let cpu = 0; cpu < options.cpus; cpu++) this.fillCpu(vm, hardware, cpu, roots);
    for (let cpu = 0; cpu < options.cpus; cpu++) {
      for (const { start, pages, pageShift = 12 } of plan.starts[cpu]!.warm ?? [])
        for (let page = 0; page < pages; page++) {
          const address = start + (BigInt(page) << BigInt(pageShift));
          hardware.translation.access(
            cpu,
            Number(address & 0xffff_ffffn) | 0,
            Number(address >> 32n),
            accessUser,
          );
        }
      setBaseline(vm.core, cpu, around);
    }
    if (vm.trace) vm.trace.cut(0);
  }

  private fillSpace(vm: Vm, tables: PageTables, space: AddressSpace, at: number, root: bigint): void {
    const mm = mmName(at);
    vm.write([mm, 'pgd'], root);
    vm.write([mm, 'context', 'ctx_id'], firstContext + BigInt(at));
    fillMm(vm, this.program, mm);
    let next = 0n;
    // The list is sorted by address: it is made from its end.
    for (const region of [...space.regions].sort((a, b) => (a.start < b.start ? 1 : -1))) {
      const area = tables.nextArea();
      const writable = region.writable ?? true;
      const { start, pages, pageShift: shift = 12 } = region;
      const at = (page: number): bigint => start + (BigInt(page) << BigInt(shift));
      const set = (field: string, value: bigint): void => vm.write(['vm_areas', area, field], value);
      set('vm_start', start);
      set('vm_end', at(pages));
      set('vm_flags', (writable ? 3n : 1n) | (shift === 21 ? vmHugetlb : 0n));
      set('vm_mm', vm.address([mm]));
      set('vm_next', next);
      next = vm.address(['vm_areas', area]);
      if (region.populated ?? true)
        for (let page = 0; page < pages; page++)
          tables.map(root, at(page), shift, { writable, pair: this.splits(), global: this.underXen() });
    }
    vm.write([mm, 'mmap'], next);
  }

  /** User mode, or the guest, runs on a root of its own. */
  private splits(): boolean {
    return ['PTI', 'XPTI'].some(feature => this.options.features.has(feature));
  }

  /** Xen maps pages of user code as global ones. */
  private underXen(): boolean {
    return this.program.locate(['vcpu_cr3']) !== null;
  }

  private fillCpu(vm: Vm, hardware: Hardware, cpu: number, roots: readonly bigint[]): void {
    const { options, plan } = this;
    const { space } = plan.starts[cpu]!;
    const lazy = this.isLazy(cpu);
    const at = options.spaces.findIndex(one => one.name === space);
    const mm = at < 0 ? vm.address(['init_mm']) : vm.address([mmName(at)]);
    options.spaces.forEach((_, other) => {
      vm.write([taskName(other), 'mm'], vm.address([mmName(other)]), cpu);
      vm.write([taskName(other), 'active_mm'], vm.address([mmName(other)]), cpu);
    });
    vm.write([idleName, 'active_mm'], mm, cpu);
    const task = lazy || at < 0 ? idleName : taskName(at);
    vm.write(['current_task'], vm.address([task], cpu), cpu);
    vm.write(['world_user_mode'], lazy ? 0n : 1n, cpu);
    const state = (...path: (string | number)[]): Place => ['cpu_tlbstate', ...path] as Place;
    vm.write(state('loaded_mm'), mm, cpu);
    vm.write(state('next_asid'), 1n, cpu);
    vm.write(state('ctxs', 0, 'ctx_id'), at < 0 ? 1n : firstContext + BigInt(at), cpu);
    if (lazy && at >= 0) vm.write(lazyPlace(this.program), 1n, cpu);
    if (at >= 0) {
      const place = maskPlace(this.program, mmName(at), cpu >> 6);
      vm.write(place, (vm.read(place) ?? 0n) | (1n << BigInt(cpu & 63)));
    }
    this.loadCr3(vm, hardware, cpu, roots[at < 0 ? roots.length - 1 : at]!, lazy);
  }

  private loadCr3(vm: Vm, hardware: Hardware, cpu: number, root: bigint, inKernel: boolean): void {
    const { features } = this.options;
    const x86 = hardware.x86!;
    const on = ['PGE', 'PCID', 'SMEP', 'SMAP'].filter(name => features.has(name));
    x86.reset(cpu, Number(root >> 12n), on);
    const pcid = features.has('PCID') ? 1 : 0;
    const user = inKernel || !this.splits() ? 0 : pcid ? userCr3Bits : userRootBit;
    const result = x86.writeCr3(cpu, Number(root) | pcid | user, 0);
    if (result !== 0) throw new WorldError(`the machine refuses the features ${[...features].join(', ')}`);
    if (this.program.locate(['cpu_tlbstate', 'cr4']))
      vm.write(['cpu_tlbstate', 'cr4'], BigInt(x86.cr4(cpu)), cpu);
    if (!this.underXen()) return;
    vm.write(['vcpu_cr3'], root, cpu);
    vm.write(['cpu_cr4'], BigInt(x86.cr4(cpu)), cpu);
    // A guest runs, on the root that it left the hypervisor with.
    vm.write(['xen_cr3'], this.splits() ? root : 0n, cpu);
    vm.write(['pv_cr3'], this.splits() ? root | BigInt(userRootBit) : 0n, cpu);
  }
}
