/** Objects of a program: where each lies, and what it holds at the start. */
import type { IrModule, IrType, IrVariable } from '../code/ir';
import { Kind, Tag } from './kinds';
import type { Layout } from './layout';
import { slotsAtMost } from './layout';
import { halves } from './pairs';
import type { MemoryImage, MemoryObject } from './program';
import { objectAlignment, perCpuBase, reservedSlots, slotBytes } from './program';

/** An object that the caller adds: an mm, a task, a page table. */
export interface ExtraObject {
  readonly name: string;
  readonly type: IrType;
  /** Alignment in slots; 512 is a page. Default {@link objectAlignment}. */
  readonly alignment?: number;
  readonly perCpu?: boolean;
}

/** A growing image of memory. */
class Image {
  lo = new Int32Array(1024);
  hi = new Int32Array(1024);
  tags = new Uint8Array(1024);
  used = 0;

  reserve(slots: number, alignment: number): number {
    const at = Math.ceil(this.used / alignment) * alignment;
    this.used = at + slots;
    if (this.used > slotsAtMost * 4) throw new Error('the objects of this program are too large');
    if (this.used > this.lo.length) {
      const size = Math.max(this.used, this.lo.length * 2);
      this.lo = grown(this.lo, new Int32Array(size));
      this.hi = grown(this.hi, new Int32Array(size));
      this.tags = grown(this.tags, new Uint8Array(size));
    }
    return at;
  }

  finish(): MemoryImage {
    // Whole alignment units, so that what follows is aligned too.
    this.reserve(0, objectAlignment);
    const { used } = this;
    return { lo: this.lo.slice(0, used), hi: this.hi.slice(0, used), tags: this.tags.slice(0, used) };
  }
}

function grown<T extends Int32Array | Uint8Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

export class MemoryPlan {
  readonly objects: MemoryObject[] = [];
  private readonly byName = new Map<string, MemoryObject>();
  private readonly types = new Map<string, IrType>();
  private readonly strings = new Map<string, number>();
  private readonly globals = new Image();
  private readonly perCpu = new Image();
  private readonly variables: IrVariable[] = [];

  constructor(
    modules: readonly IrModule[],
    private readonly layout: Layout,
    extra: readonly ExtraObject[],
  ) {
    this.globals.reserve(reservedSlots, 1);
    for (const { name, type } of extra) this.types.set(name, type);
    for (const module of modules)
      for (const variable of module.variables ?? []) {
        const known = this.variables.findIndex(one => one.name === variable.name);
        if (known < 0) this.variables.push(variable);
        else if (this.variables[known]!.external && !variable.external) this.variables[known] = variable;
      }
    for (const { name, type } of this.variables) if (!this.types.has(name)) this.types.set(name, type);
  }

  type(name: string): IrType | null {
    return this.types.get(name) ?? null;
  }

  /** Places every object. All members must be known by now. */
  place(extra: readonly ExtraObject[]): void {
    for (const { name, type, alignment, perCpu } of extra)
      this.add(name, type, perCpu ?? false, null, alignment ?? objectAlignment);
    for (const { name, type, perCpu, external, partial } of this.variables) {
      if (this.byName.has(name)) continue;
      const why = external
        ? 'its definition is not in the code at hand'
        : partial
          ? 'its initialiser is not shown'
          : null;
      this.add(name, type, perCpu, why, objectAlignment);
    }
  }

  /** An object for a name that nothing declares: its value is not known. */
  undeclared(name: string): MemoryObject {
    return (
      this.byName.get(name) ??
      this.add(name, { kind: 'unknown', name: '' }, false, 'nothing declares it', objectAlignment)
    );
  }

  private add(
    name: string,
    type: IrType,
    perCpu: boolean,
    unknown: string | null,
    alignment: number,
  ): MemoryObject {
    const image = perCpu ? this.perCpu : this.globals;
    const slots = this.layout.slots(type);
    const slot = image.reserve(slots, alignment);
    this.layout.tags(type, image.tags, slot, name);
    if (unknown === null) for (let at = slot; at < slot + slots; at++) image.tags[at]! |= Tag.Defined;
    const object = { name, slot, slots, perCpu, unknown };
    this.objects.push(object);
    this.byName.set(name, object);
    return object;
  }

  object(name: string): MemoryObject | null {
    return this.byName.get(name) ?? null;
  }

  /** Address; of a per-CPU object, its offset. */
  address(object: MemoryObject): number {
    return object.perCpu ? perCpuBase + object.slot * slotBytes : object.slot * slotBytes;
  }

  /** Address of a string: an object without contents. */
  string(text: string): number {
    const known = this.strings.get(text);
    if (known !== undefined) return known;
    const slot = this.globals.reserve(1, objectAlignment);
    this.globals.tags[slot] = Kind.S8 | Tag.Declared;
    this.strings.set(text, slot * slotBytes);
    return slot * slotBytes;
  }

  /** Gives an object a value: of a constant that the text does not define. */
  define(name: string, value: bigint): void {
    const object = this.undeclared(name);
    const image = object.perCpu ? this.perCpu : this.globals;
    [image.lo[object.slot], image.hi[object.slot]] = halves(value);
    image.tags[object.slot]! |= Tag.Defined;
  }

  /** Writes the initialisers. `functionAddress`: null for a name that is no function at hand. */
  initialise(functionAddress: (name: string) => number | null): void {
    for (const variable of this.variables) {
      const object = this.byName.get(variable.name);
      if (object?.unknown !== null) continue;
      const image = object.perCpu ? this.perCpu : this.globals;
      for (const { path, value } of variable.initialisers) {
        const place = this.resolve(variable.type, path);
        const at = object.slot + place;
        // A part that no code names has no slot.
        if (place < 0 || place >= object.slots) continue;
        let known: bigint | null = null;
        if (value.kind === 'constant') known = value.value;
        else if (value.kind === 'address') {
          const target = value.of === 'global' ? this.byName.get(value.name) : undefined;
          const address = target ? this.address(target) : functionAddress(value.name);
          known = address === null ? null : BigInt(address);
        }
        if (known === null) image.tags[at]! &= ~Tag.Defined;
        else [image.lo[at], image.hi[at]] = halves(known);
      }
    }
  }

  /** Slot of a part of an object of a type; −1 if no code names the part. */
  resolve(type: IrType, path: readonly (string | number)[]): number {
    let slot = 0;
    let here = type;
    for (const step of path) {
      if (typeof step === 'number') {
        const of: IrType = here.kind === 'array' ? here.of : here;
        slot += step * this.layout.slots(of);
        here = of;
      } else {
        const tag = this.layout.tagOf(here, '');
        if (!this.layout.hasMember(tag, step)) return -1;
        slot += this.layout.offset(tag, step);
        here = this.layout.memberType(tag, step);
      }
    }
    return slot;
  }

  images(): { globals: MemoryImage; perCpu: MemoryImage } {
    return { globals: this.globals.finish(), perCpu: this.perCpu.finish() };
  }
}
