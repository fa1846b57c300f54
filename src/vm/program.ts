/** A linked program: what the interpreter runs. Immutable; the state lies elsewhere. */
import type { FeatureKind, IrFunction } from '../code/ir';

export interface LinkedFunction {
  readonly name: string;
  readonly source: IrFunction;
  /** First instruction, and the one behind the last. */
  readonly entry: number;
  readonly end: number;
  readonly parameters: number;
  /** Registers of a frame; outgoing arguments lie behind them. */
  readonly registers: number;
  /** Registers and outgoing arguments. */
  readonly frame: number;
  /** Slots of memory for variables whose address is taken. */
  readonly memory: number;
  /** An assembly routine: arguments and results lie in the machine's registers. */
  readonly routine: boolean;
}

/** Something that stops the run when it is reached. */
export interface Trap {
  readonly name: string;
  readonly why: string;
}

export interface FeatureTest {
  readonly name: string;
  readonly kind: FeatureKind;
  readonly default: boolean | null;
}

/** An object in memory. */
export interface MemoryObject {
  readonly name: string;
  /** Slot; of a per-CPU variable, the offset in each CPU's area. */
  readonly slot: number;
  readonly slots: number;
  readonly perCpu: boolean;
  /** Why its value is not known at the start, or null. */
  readonly unknown: string | null;
}

export interface Program {
  /** {@link instructionWords} words each. */
  readonly code: Int32Array;
  /** Per instruction: function, line index of the function's unit. */
  readonly positions: Int32Array;
  /** Per instruction: registers that are live before it, as bits; all ones where there are more than 32 registers. */
  readonly live: Uint32Array;
  readonly functions: readonly LinkedFunction[];
  readonly traps: readonly Trap[];
  readonly features: readonly FeatureTest[];
  /** Names of primitives, by number. */
  readonly primitives: readonly string[];
  /** Names of operations, by number. */
  readonly operations: readonly string[];
  /** Which of the instructions of that name: a TLBI's spelling, a DSB's kind; '' for most. */
  readonly operationForms: readonly string[];
  /** Register lists of Reload and Spill: count, then pairs of frame register and machine register. */
  readonly lists: Int32Array;
  /** Names of the machine registers of assembly. */
  readonly machineRegisters: readonly string[];
  readonly objects: readonly MemoryObject[];
  /** Slots before the per-CPU areas (globals, reserved ones included). */
  readonly globalSlots: number;
  /** Slots of one CPU's area of per-CPU variables. */
  readonly perCpuSlots: number;
  /** Initial contents of globals and of one CPU's area: halves and tags. */
  readonly globals: MemoryImage;
  readonly perCpu: MemoryImage;
  /** What had to be assumed: widths of fields, lengths of arrays. */
  readonly assumed: readonly string[];
  readonly cpus: number;
}

export interface MemoryImage {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly tags: Uint8Array;
}

/** Addresses count bytes; every slot takes 8. */
export const slotBytes = 8;
/** Slots that no object lies in: null, and small numbers with a meaning. */
export const reservedSlots = 16;
/** Alignment of objects in slots: the low bits of pointers to them are free for tags. */
export const objectAlignment = 8;
/** Addresses of functions: `functionBase + 16 × number`. */
export const functionBase = 0x4000_0000;
/** Addresses that are offsets of per-CPU variables: `perCpuBase + offset`. Nothing lies there. */
export const perCpuBase = 0x2000_0000;

export const functionAddress = (number: number): number => functionBase + number * 16;

/** The linked function of that name; the first of several. */
export function findFunction(program: Program, name: string): number {
  return program.functions.findIndex(one => one.name === name);
}

/** Where an instruction comes from. */
export interface Position {
  readonly function: string;
  readonly file: string;
  /** 1-based line in the file, 0 where unknown. */
  readonly line: number;
  /** 1-based line in the open document, 0 where it is not there. */
  readonly documentLine: number;
}

/** `pc` counts instructions. */
export function positionOf(program: Program, pc: number): Position {
  const fn = program.functions[program.positions[2 * pc] ?? -1];
  if (!fn) return { function: '', file: '', line: 0, documentLine: 0 };
  const { unit } = fn.source;
  const line = unit.lines[program.positions[2 * pc + 1]!];
  return {
    function: fn.name,
    file: unit.path,
    line: line?.fileLine ?? 0,
    documentLine: line?.documentLine ?? 0,
  };
}
