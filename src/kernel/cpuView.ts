/**
 * One CPU of a world at the present moment as plain data, for panels: what it does, which address space it runs by the
 * hardware and by the kernel's own books, its TLBs, and its costs so far. Nothing is read by address or offset: kernel
 * state is found by the kernel's names, and what a tree does not have is null, never a number. Reading changes nothing.
 * Addresses and 64-bit values are texts such as `0x7f00`.
 */
import type { Hardware } from '../machine/hardware';
import type { HardwareCpuView, Hex, OperationCostView, TimeView } from '../machine/hardware/view';
import { cpuEntriesView, staleByTag, type TlbEntryView } from '../machine/hardware/entriesView';
import { cpuHardwareView, operationCost } from '../machine/hardware/view';
import { operations } from '../machine/operations';
import type { CpuState } from '../vm/cpuState';
import { cpuState } from '../vm/cpuState';
import type { Vm } from '../vm/vm';
import type { CpuFigures, FlushState, StaleUse, StateValue } from './world';

/** Which user mappings a root gives: with PTI there are two roots an address space. */
export type RootHalf =
  /** The kernel's root of a pair, and the one that user code runs on. */
  | 'kernel'
  | 'user'
  /** PTI is off: one root for both. */
  | 'both';

/** The address space that CR3 holds. */
export interface LoadedRoot {
  /** CR3 as it reads. */
  readonly cr3: Hex;
  /** Physical address of the root page table. */
  readonly root: Hex;
  readonly pcid: number;
  readonly half: RootHalf;
  /** Name of the space whose root it is (`init_mm` of the kernel's own); null: of none that is known. */
  readonly space: string | null;
}

/** What the kernel believes, from its per-CPU variables. null: the tree has no such variable, or it is not set. */
export interface KernelBooks {
  /** `loaded_mm`: a space, `init_mm`, `LOADED_MM_SWITCHING`; null: not known. */
  readonly loadedMm: string | null;
  /** `loaded_mm_asid`: the slot in use. */
  readonly slot: number | null;
  readonly lazy: boolean | null;
  /** Whether a return to user mode owes a flush of the user PCID of the slot in use, and of which range. */
  readonly owed: OwedFlush | null;
  /** `user_pcid_flush_mask`; bit s + 1 stands for slot s. */
  readonly userFlushMask: Hex | null;
  /** `next_asid`: the slot that is given away next. */
  readonly nextSlot: number | null;
  readonly slots: readonly SlotView[];
}

/** A flush of user mappings that waits for the return to user mode. */
export interface OwedFlush {
  /** `full`: by the CR3 write. `range`: page by page behind it, where the tree can. */
  readonly kind: 'full' | 'range';
  readonly start: Hex | null;
  readonly end: Hex | null;
}

/** A slot of the per-CPU list of recent spaces: kernel PCID slot + 1, user PCID that with bit 11. */
export interface SlotView {
  readonly slot: number;
  /** Space with that `ctx_id`; null: none that is known, or the slot is free. */
  readonly space: string | null;
  readonly ctxId: Hex | null;
  /** Generation to which the slot is flushed, and that of its space: behind it, entries may be stale. */
  readonly generation: Hex | null;
  readonly newest: Hex | null;
}

/** Costs since the start, or since the CPU's last `measure` step. */
export interface CpuCostView {
  readonly time: TimeView;
  /** By count and price; waiting, page walks and deliveries are in `time` only. */
  readonly operations: readonly OperationCostView[];
  readonly misses: number;
  /** With any, `time.cycles` is a lower bound. */
  readonly unpriced: number;
}

export interface CpuView {
  readonly cpu: number;
  /** User code, the kernel, or not known (the harness says it). A CPU without work counts as in the kernel. */
  readonly mode: 'user' | 'kernel' | null;
  readonly doing: CpuState;
  readonly root: LoadedRoot;
  readonly kernel: KernelBooks;
  readonly hardware: HardwareCpuView;
  readonly cost: CpuCostView;
  /** Stale uses of this CPU so far, the first of each kind. */
  readonly staleUses: readonly {
    readonly verdict: StaleUse['verdict'];
    readonly address: Hex;
    readonly why: string;
  }[];
}

/** What a view needs of a world. */
export interface ViewedWorld {
  readonly vm: Vm;
  readonly hardware: Hardware;
  readonly pti: boolean;
  /** Names of the spaces, and the objects that are their mms. */
  readonly mms: readonly { readonly name: string; readonly object: string }[];
  figures(cpu: number): CpuFigures;
  flushState(cpu: number): FlushState;
  /** Those of one CPU. */
  staleUsesOf(cpu: number): readonly StaleUse[];
}

/** Bit of a frame number that tells the user root of a pair from the kernel's; bit 11 of a PCID likewise. */
const userRootFrame = 1;
const userPcidBit = 0x800;

export function cpuView(world: ViewedWorld, cpu: number): CpuView {
  const { vm, hardware } = world;
  const mode = vm.read(['world_user_mode'], cpu);
  return {
    cpu,
    mode: mode === null ? null : mode === 0n ? 'kernel' : 'user',
    doing: cpuState(vm, cpu),
    root: loadedRoot(world, cpu),
    kernel: kernelBooks(world, cpu),
    hardware: cpuHardwareView(hardware, cpu),
    cost: costOf(world, cpu),
    staleUses: world
      .staleUsesOf(cpu)
      .map(({ verdict, address, why }) => ({ verdict, address: hex(address)!, why })),
  };
}

/**
 * The cached entries of a CPU, stale ones marked. Entries of other PCIDs are compared with the page tables of the space
 * that the kernel's slots say they belong to.
 */
export const cpuEntries = (world: ViewedWorld, cpu: number): TlbEntryView[] =>
  cpuEntriesView(world.hardware, cpu, rootsOf(world, cpu));

/** Stale translations of a CPU by tag, compared like those of {@link cpuEntries}; `globalTag` for global ones. */
export const cpuStale = (world: ViewedWorld, cpu: number): ReadonlyMap<number, number> =>
  staleByTag(world.hardware, cpu, rootsOf(world, cpu));

/** Frame of the root that a tag of a CPU stands for; null: not known. */
function rootsOf(world: ViewedWorld, cpu: number): (tag: number) => number | null {
  const slots = world.flushState(cpu).ctxs;
  const lookUp = (tag: number): number | null => {
    const slot = (tag & ~userPcidBit) - 1;
    const mm = mmOf(world, slots[slot]?.ctx_id ?? null);
    const root = mm && world.vm.read([mm.object, 'pgd']);
    if (root === null) return null;
    return Number(root >> 12n) | ((tag & userPcidBit) === 0 ? 0 : userRootFrame);
  };
  const roots = new Map<number, number | null>();
  return tag => {
    if (!roots.has(tag)) roots.set(tag, lookUp(tag));
    return roots.get(tag)!;
  };
}

function loadedRoot({ vm, hardware, pti, mms }: ViewedWorld, cpu: number): LoadedRoot {
  const x86 = hardware.x86!;
  const frame = x86.root(cpu);
  const user = pti && (frame & userRootFrame) !== 0;
  const kernelRoot = BigInt(user ? frame - userRootFrame : frame) << 12n;
  const all = [...mms, { name: 'init_mm', object: 'init_mm' }];
  const mm = all.find(({ object }) => vm.read([object, 'pgd'], 0) === kernelRoot);
  return {
    cr3: hex((BigInt(x86.cr3Hi(cpu)) << 32n) | BigInt(x86.cr3Lo(cpu) >>> 0))!,
    root: hex(BigInt(frame) << 12n)!,
    pcid: x86.pcid(cpu),
    half: !pti ? 'both' : user ? 'user' : 'kernel',
    space: mm?.name ?? null,
  };
}

function kernelBooks(world: ViewedWorld, cpu: number): KernelBooks {
  const { vm } = world;
  const state = world.flushState(cpu);
  const slot = small(state.loaded_mm_asid);
  return {
    loadedMm: state.loaded_mm === '' ? null : state.loaded_mm,
    slot,
    lazy: state.is_lazy === null ? null : state.is_lazy !== 0n,
    owed: owedFlush(state, slot),
    userFlushMask: hex(state.user_pcid_flush_mask),
    nextSlot: small(vm.read(['cpu_tlbstate', 'next_asid'], cpu)),
    slots: state.ctxs.map(({ ctx_id, tlb_gen }, at) => {
      const mm = mmOf(world, ctx_id);
      return {
        slot: at,
        space: mm?.name ?? null,
        ctxId: hex(ctx_id),
        generation: hex(tlb_gen),
        newest: mm ? hex(vm.read([mm.object, 'context', 'tlb_gen'], 0)) : null,
      };
    }),
  };
}

/** All ones stand for everything. */
const everything = 0xffff_ffff_ffff_ffffn;

function owedFlush(state: FlushState, slot: number | null): OwedFlush | null {
  const mask = state.user_pcid_flush_mask;
  if (mask === null || slot === null || ((mask >> BigInt(slot + 1)) & 1n) === 0n) return null;
  const { user_flush_start: start, user_flush_end: end } = state;
  if (start === null || end === null || end === everything) return { kind: 'full', start: null, end: null };
  return { kind: 'range', start: hex(start), end: hex(end) };
}

/** The space with that context; null: none that is known. 0 is nobody's. */
function mmOf({ vm, mms }: ViewedWorld, ctxId: StateValue): ViewedWorld['mms'][number] | null {
  if (ctxId === null || ctxId === 0n) return null;
  const all = [...mms, { name: 'init_mm', object: 'init_mm' }];
  return all.find(({ object }) => vm.read([object, 'context', 'ctx_id'], 0) === ctxId) ?? null;
}

function costOf(world: ViewedWorld, cpu: number): CpuCostView {
  const { cycles, low, high, counts, misses, unpriced } = world.figures(cpu);
  const spent = operations.flatMap(({ name }) =>
    counts[name] === undefined ? [] : [operationCost(world.hardware, name, counts[name])],
  );
  return { time: { cycles, low, high }, operations: spent, misses, unpriced };
}

const small = (value: StateValue): number | null => (value === null ? null : Number(value));

const hex = (value: StateValue): Hex | null => (value === null ? null : `0x${value.toString(16)}`);
