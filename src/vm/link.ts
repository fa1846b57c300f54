/** Links the functions of several modules into one program. */
import type { IrFunction, IrModule } from '../code/ir';
import { Layout } from './layout';
import type { ExtraObject } from './memory';
import { MemoryPlan } from './memory';
import { Op, instructionWords } from './opcodes';
import type { Pointees } from './pointees';
import { followPointees } from './pointees';
import type { FeatureTest, LinkedFunction, MemoryObject, Program, Trap } from './program';
import { functionAddress } from './program';
import { shadowUndefined } from './shadow';
import type { Item } from './registers';
import {
  assignRegisters,
  Liveness,
  operandOf,
  outgoing,
  readMask,
  setOperand,
  writtenOperand,
} from './registers';
import type { Callee, Linkage, Translated } from './translate';
import { Translator } from './translate';

export interface LinkOptions {
  /** First definition of a name wins, except that a call prefers a function of its own file. */
  readonly modules: readonly IrModule[];
  /** Modules whose functions replace those of the same name everywhere: preludes. */
  readonly replacing?: readonly IrModule[];
  readonly cpus: number;
  /** Names of primitives that code may call by name like functions. */
  readonly primitives: { has(name: string): boolean };
  readonly objects?: readonly ExtraObject[];
  /** Values of names that the code does not define: constants of headers and of assembly. */
  readonly constants?: ReadonlyMap<string, bigint>;
}

const programAtMost = 2_000_000;

export function link(options: LinkOptions): LinkedProgram {
  return new Linker(options).run();
}

/** A program, and how to find its objects' parts. */
export interface LinkedProgram extends Program {
  /** Slot of a part of an object, such as `['cpu_tlbstate', 'ctxs', 0, 'ctx_id']`; of a per-CPU one, its offset. */
  locate(
    path: readonly [string, ...(string | number)[]],
  ): { readonly object: MemoryObject; readonly slot: number } | null;
}

class Linker implements Linkage {
  readonly layout: Layout;
  private readonly memory: MemoryPlan;
  private readonly sources: IrFunction[] = [];
  private readonly byName = new Map<string, number>();
  private readonly byPlace = new Map<string, number>();
  private readonly replacing = new Map<string, number>();
  private readonly traps: Trap[] = [];
  private readonly trapNumbers = new Map<string, number>();
  private readonly features: FeatureTest[] = [];
  private readonly featureNumbers = new Map<string, number>();
  private readonly primitives = new Names();
  private readonly operations = new Names();
  private readonly machine = new Names();
  private readonly code: number[] = [];
  private readonly positions: number[] = [];
  private readonly live: number[] = [];
  private readonly lists: number[] = [];

  constructor(private readonly options: LinkOptions) {
    const replacing = options.replacing ?? [];
    const modules = [...replacing, ...options.modules];
    this.layout = new Layout(modules, Math.ceil(options.cpus / 64));
    for (const module of replacing) for (const fn of module.functions) this.add(fn, true);
    for (const module of options.modules) for (const fn of module.functions) this.add(fn, false);
    this.memory = new MemoryPlan(modules, this.layout, options.objects ?? []);
  }

  private add(fn: IrFunction, replaces: boolean): void {
    const place = `${fn.unit.path} ${fn.name}`;
    if (this.byPlace.has(place)) return;
    const number = this.sources.push(fn) - 1;
    this.byPlace.set(place, number);
    if (replaces) this.replacing.set(fn.name, number);
    if (!this.byName.has(fn.name)) this.byName.set(fn.name, number);
  }

  run(): LinkedProgram {
    const { options, layout, memory } = this;
    const pointees = this.sources.map(fn => followPointees(fn, layout, name => memory.type(name)));
    memory.place(options.objects ?? []);
    for (const [name, value] of options.constants ?? []) memory.define(name, value);
    const functions = this.sources.map((fn, number) => this.function(fn, number, pointees[number]!));
    memory.initialise(name => this.functionAddress(name, null));
    const { globals, perCpu } = memory.images();
    return {
      code: Int32Array.from(this.code),
      positions: Int32Array.from(this.positions),
      live: Uint32Array.from(this.live),
      functions,
      traps: this.traps,
      features: this.features,
      primitives: this.primitives.list,
      operations: this.operations.list.map(text => text.split(' ')[0]!),
      operationForms: this.operations.list.map(text => text.split(' ')[1] ?? ''),
      lists: Int32Array.from(this.lists),
      machineRegisters: this.machine.list,
      objects: memory.objects,
      globalSlots: globals.tags.length,
      perCpuSlots: perCpu.tags.length,
      globals,
      perCpu,
      assumed: [...layout.assumed].sort(),
      cpus: options.cpus,
      locate: ([name, ...path]) => {
        const object = memory.object(name);
        const type = memory.type(name);
        if (!object || (!type && path.length > 0)) return null;
        if (!type) return { object, slot: object.slot };
        const part = memory.resolve(type, path);
        return part < 0 ? null : { object, slot: object.slot + part };
      },
    };
  }

  private function(fn: IrFunction, number: number, pointees: Pointees): LinkedFunction {
    const translated = new Translator(fn, this, pointees).run();
    const routine = fn.kind === 'asm-routine';
    const parameters = routine ? 0 : fn.parameters.length;
    shadowUndefined(fn, translated, parameters, name =>
      this.trap({ name, why: 'it is read before it is set' }),
    );
    pruneReloads(translated);
    const { map, count } = assignRegisters(translated.items, translated.registers, parameters);
    const entry = this.code.length / instructionWords;
    for (const item of translated.items) this.settle(item, map, count, entry, translated.memory);
    this.recordLive(translated.items, count);
    for (const item of translated.items) {
      this.code.push(item.op, item.a, item.b, item.c, item.d);
      this.positions.push(number, item.line);
    }
    if (this.code.length > programAtMost * instructionWords) throw new Error('the program is too large');
    return {
      name: fn.name,
      source: fn,
      entry,
      end: this.code.length / instructionWords,
      parameters,
      registers: count,
      frame: count + translated.outgoing,
      memory: translated.memory,
      routine,
    };
  }

  /** Gives an item its final registers, jump targets and lists. */
  private settle(item: Item, map: Int32Array, count: number, entry: number, memory: number): void {
    const final = (register: number): number =>
      register >= outgoing
        ? count + register - outgoing
        : register < 0
          ? register
          : Math.max(0, map[register]!);
    const mask = readMask(item);
    const written = writtenOperand(item);
    const { op } = item;
    for (let which = 0; which < 4; which++)
      if (mask & (1 << which) || which === written) setOperand(item, which, final(operandOf(item, which)));
    if (op === Op.Call || op === Op.CallPointer) item.b = count;
    if (op === Op.Call) item.d = memory;
    if (op === Op.Primitive && !item.direct) item.c = final(item.c);
    if (op === Op.Jump) item.a += entry;
    if (op === Op.Branch || op === Op.BranchZero) item.b += entry;
    if (op === Op.Reload || op === Op.Spill) {
      const list = item.list ?? [];
      item.a = this.lists.length;
      this.lists.push(list.length);
      for (const pair of list) {
        pair[0] = final(pair[0]);
        this.lists.push(pair[0], pair[1]);
      }
    }
  }

  private recordLive(items: readonly Item[], count: number): void {
    if (count > 32) {
      for (let at = 0; at < items.length; at++) this.live.push(-1);
      return;
    }
    // Targets are absolute by now; a copy with relative ones is looked at.
    const entry = this.live.length;
    const relative = items.map(item => ({
      ...item,
      a: item.op === Op.Jump ? item.a - entry : item.a,
      b: item.op === Op.Branch || item.op === Op.BranchZero ? item.b - entry : item.b,
    }));
    const liveness = new Liveness(relative, 1024);
    for (let at = 0; at < items.length; at++) {
      let bits = 0;
      for (const register of liveness.at(at)) if (register < 32) bits |= 1 << register;
      this.live.push(bits);
    }
  }

  callee(name: string, from: IrFunction): Callee {
    const number = this.find(name, from);
    if (number !== null) {
      const fn = this.sources[number]!;
      const routine = fn.kind === 'asm-routine';
      const parameters = routine ? 0 : fn.parameters.length;
      return { kind: 'function', number, routine, parameters, path: fn.unit.path };
    }
    return this.options.primitives.has(name) ? { kind: 'primitive' } : { kind: 'missing' };
  }

  private find(name: string, from: IrFunction | null): number | null {
    const own = from ? this.byPlace.get(`${from.unit.path} ${name}`) : undefined;
    return this.replacing.get(name) ?? own ?? this.byName.get(name) ?? null;
  }

  address(name: string): number | null {
    const object = this.memory.object(name);
    if (object) return this.memory.address(object);
    return this.byName.has(name) ? null : this.memory.address(this.memory.undeclared(name));
  }

  functionAddress(name: string, from: IrFunction | null): number | null {
    const number = this.find(name, from);
    return number === null ? null : functionAddress(number);
  }

  string(text: string): number {
    return this.memory.string(text);
  }

  constant(name: string): bigint | null {
    return this.options.constants?.get(name) ?? null;
  }

  isDefined(name: string): boolean {
    return this.byName.has(name) || (this.memory.object(name) !== null && this.memory.type(name) !== null);
  }

  perCpuOffset(name: string): number | null {
    const object = this.memory.object(name);
    return object?.perCpu ? object.slot : null;
  }

  trap(trap: Trap): number {
    const key = `${trap.name}\n${trap.why}`;
    let number = this.trapNumbers.get(key);
    if (number === undefined) this.trapNumbers.set(key, (number = this.traps.push(trap) - 1));
    return number;
  }

  feature(test: FeatureTest): number {
    const key = `${test.kind} ${test.name} ${test.default}`;
    let number = this.featureNumbers.get(key);
    if (number === undefined) this.featureNumbers.set(key, (number = this.features.push(test) - 1));
    return number;
  }

  primitive(name: string): number {
    return this.primitives.number(name);
  }

  operation(name: string, form: string): number {
    return this.operations.number(form === '' ? name : `${name} ${form}`);
  }

  machineRegister(name: string): number {
    return this.machine.number(name);
  }
}

/** Names numbered in the order of their first use. */
class Names {
  readonly list: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) this.numbers.set(name, (number = this.list.push(name) - 1));
    return number;
  }
}

/** Leaves out of each Reload what nothing reads behind it. */
function pruneReloads({ items, registers }: Translated): void {
  if (!items.some(item => item.op === Op.Reload)) return;
  const liveness = new Liveness(items, registers);
  items.forEach((item, at) => {
    if (item.op !== Op.Reload) return;
    item.list = (item.list ?? []).filter(([register]) => liveness.isLive(at + 1, register));
  });
}
