/**
 * Where struct members lie. No compiler layout is needed: every scalar that some code names has one slot of 8 bytes,
 * the members of a union share theirs, and an object is as large as what is named of it.
 */
import type { IrModule, IrStruct, IrType } from '../code/ir';
import { kindOf, Kind, Tag } from './kinds';

interface Member {
  type: IrType;
  bits: number | null;
  /** In slots; −1 until the struct is laid out. */
  offset: number;
}

interface Struct {
  readonly union: boolean;
  readonly members: Map<string, Member>;
  slots: number;
  state: 'open' | 'busy' | 'done';
}

/** Slots that an array of unknown length gets. */
const openArray = 16;
/** No object has more slots. */
export const slotsAtMost = 1 << 22;

const integerText = /^([us])(8|16|32|64)$/;

/** The type that a text such as `struct x *` or `u64` names. */
export function typeOfText(text: string): IrType {
  const trimmed = text.trim();
  if (trimmed.endsWith('*')) return { kind: 'pointer', to: trimmed.slice(0, -1).trim() };
  const bare = trimmed.replace(/^(?:(?:const|volatile) )+/, '');
  if (bare === 'bool') return { kind: 'integer', bits: 1, signed: false };
  const integer = integerText.exec(bare);
  if (integer)
    return {
      kind: 'integer',
      bits: Number(integer[2]) as 8 | 16 | 32 | 64,
      signed: integer[1] === 's',
    };
  if (/^(?:unsigned )?(?:long|int|short|char)\b/.test(bare))
    return { kind: 'integer', bits: 64, signed: false };
  if (bare.startsWith('struct ')) return { kind: 'struct', tag: bare.slice(7) };
  if (bare.startsWith('union ')) return { kind: 'struct', tag: bare.slice(6) };
  const array = /^(.*)\[(\d*)\]$/.exec(bare);
  if (array) return { kind: 'array', of: typeOfText(array[1]!), length: array[2] ? Number(array[2]) : null };
  return { kind: 'unknown', name: bare === 'unknown' || bare === 'void' ? '' : bare };
}

export class Layout {
  private readonly structs = new Map<string, Struct>();
  /** What had to be assumed, for the report: each line once. */
  readonly assumed = new Set<string>();

  constructor(
    modules: readonly IrModule[],
    /** Words of a CPU mask. */
    private readonly maskWords: number,
  ) {
    for (const module of modules) for (const one of module.structs ?? []) this.merge(one);
  }

  private merge({ tag, union, members }: IrStruct): void {
    const struct = this.struct(tag, union);
    for (const { name, type, bits } of members) {
      const known = struct.members.get(name);
      if (!known) struct.members.set(name, { type: this.sized(tag, name, type), bits, offset: -1 });
      else if (known.type.kind === 'unknown') known.type = this.sized(tag, name, type);
    }
  }

  /** CPU masks have the length that the number of CPUs needs; the text says NR_CPUS. */
  private sized(tag: string, name: string, type: IrType): IrType {
    const mask = (tag === 'cpumask' && name === 'bits') || (tag === 'mm_struct' && name === 'cpu_bitmap');
    return mask && type.kind === 'array' ? { ...type, length: this.maskWords } : type;
  }

  private struct(tag: string, union = false): Struct {
    let found = this.structs.get(tag);
    if (!found) this.structs.set(tag, (found = { union, members: new Map(), slots: 0, state: 'open' }));
    return found;
  }

  /** The tag under which members of a type are found; a type that nothing defines gets one of its own. */
  tagOf(type: IrType, otherwise: string): string {
    if (type.kind === 'struct') return type.tag;
    if (type.kind === 'unknown' && type.name !== '') {
      const short = type.name.replace(/_t$/, '');
      for (const tag of [type.name, short, `__${short}`]) if (this.structs.has(tag)) return tag;
      return type.name;
    }
    return otherwise;
  }

  /** Makes sure that a struct has a member. Call before any layout is asked for. */
  need(tag: string, member: string): void {
    const struct = this.struct(tag);
    if (struct.members.has(member)) return;
    if (struct.state !== 'open') throw new Error(`struct ${tag} is laid out already`);
    struct.members.set(member, {
      type: { kind: 'unknown', name: `${tag}.${member}` },
      bits: null,
      offset: -1,
    });
  }

  /** The only struct that has a member of this name, or null. */
  onlyStructWith(member: string): string | null {
    let found: string | null = null;
    for (const [tag, { members }] of this.structs) {
      if (!members.has(member)) continue;
      if (found !== null) return null;
      found = tag;
    }
    return found;
  }

  memberType(tag: string, member: string): IrType {
    return this.structs.get(tag)?.members.get(member)?.type ?? { kind: 'unknown', name: '' };
  }

  has(tag: string): boolean {
    return this.structs.has(tag);
  }

  hasMember(tag: string, member: string): boolean {
    return this.structs.get(tag)?.members.has(member) ?? false;
  }

  /** Offset of a member in slots. */
  offset(tag: string, member: string): number {
    this.lay(tag);
    return this.structs.get(tag)?.members.get(member)?.offset ?? 0;
  }

  /** Slots of a type. */
  slots(type: IrType): number {
    switch (type.kind) {
      case 'integer':
      case 'pointer':
        return 1;
      case 'struct':
        return this.structSlots(type.tag);
      case 'array':
        return Math.min(slotsAtMost, this.slots(type.of) * (type.length ?? this.openLength(type.of)));
      case 'unknown': {
        const tag = this.tagOf(type, '');
        return tag !== '' && this.structs.has(tag) ? this.structSlots(tag) : 1;
      }
    }
  }

  private openLength(of: IrType): number {
    return of.kind === 'struct' && this.slots(of) > openArray ? 1 : openArray;
  }

  private structSlots(tag: string): number {
    this.lay(tag);
    return Math.max(1, this.structs.get(tag)?.slots ?? 1);
  }

  private lay(tag: string): void {
    const struct = this.struct(tag);
    if (struct.state !== 'open') return;
    struct.state = 'busy';
    for (const member of struct.members.values()) {
      const slots = this.slots(member.type);
      member.offset = struct.union ? 0 : struct.slots;
      struct.slots = struct.union ? Math.max(struct.slots, slots) : struct.slots + slots;
    }
    struct.slots = Math.min(struct.slots, slotsAtMost);
    struct.state = 'done';
  }

  /** Writes the tags of the slots of an object: kind, declared or assumed. `where` names it in the list of assumptions. */
  tags(type: IrType, into: Uint8Array, at: number, where: string, depth = 0): void {
    if (depth > 16) return;
    switch (type.kind) {
      case 'integer':
        into[at] = kindOf(type) | Tag.Declared;
        return;
      case 'pointer':
        into[at] = Kind.Word | Tag.Declared;
        return;
      case 'array': {
        const each = this.slots(type.of);
        const total = this.slots(type);
        if (type.length === null) this.assumed.add(`${where}: an array of ${total / each} elements`);
        for (let done = 0; done < total; done += each) this.tags(type.of, into, at + done, where, depth + 1);
        return;
      }
      case 'struct':
      case 'unknown': {
        const tag = this.tagOf(type, '');
        if (tag === '' || !this.structs.has(tag)) {
          this.assumed.add(`${where}: 64 bits`);
          into[at] = Kind.Word;
          return;
        }
        this.lay(tag);
        const struct = this.structs.get(tag)!;
        for (const [name, member] of struct.members)
          this.tags(member.type, into, at + member.offset, `${tag}.${name}`, depth + 1);
        if (struct.members.size === 0) into[at] = Kind.Word | Tag.Declared;
      }
    }
  }
}
