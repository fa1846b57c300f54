/** C types, as far as the lowering needs them. */
import type { IntegerType } from '../ir';

export type CType =
  | { readonly kind: 'integer'; readonly bits: IntegerType['bits']; readonly signed: boolean }
  | { readonly kind: 'pointer'; readonly to: CType }
  /** `info` is null where the definition is not at hand. */
  | { readonly kind: 'struct'; readonly tag: string; readonly info: StructInfo | null }
  | { readonly kind: 'array'; readonly of: CType; readonly length: number | null }
  | { readonly kind: 'function'; readonly returns: CType; readonly parameters: readonly CType[] | null }
  | { readonly kind: 'void' }
  /** Not declared in the text at hand: handled as an unsigned integer of 64 bits, or as whatever its use says. */
  | { readonly kind: 'unknown'; readonly name: string };

export interface Member {
  readonly name: string;
  readonly type: CType;
  /** Width of a bit-field. */
  readonly bits: number | null;
}

/** A struct or union whose members are looked at only when something asks for them. */
export interface StructInfo {
  readonly tag: string;
  readonly union: boolean;
  /** Names of the members in order; those of anonymous structs and unions are among them. */
  readonly names: readonly string[];
  member(name: string): Member | null;
}

export const integer = (bits: IntegerType['bits'], signed: boolean): CType & { kind: 'integer' } => ({
  kind: 'integer',
  bits,
  signed,
});

export const int = integer(32, true);
export const unsignedInt = integer(32, false);
export const long = integer(64, true);
export const unsignedLong = integer(64, false);
export const bool = integer(1, false);
export const char = integer(8, true);
export const voidType: CType = { kind: 'void' };
export const unknownType: CType = { kind: 'unknown', name: '' };
export const pointerTo = (to: CType): CType => ({ kind: 'pointer', to });

/** Names of integer types, those of the grammar, of the kernel and of Xen. */
const integerNames: ReadonlyMap<string, CType> = new Map<string, CType>([
  ['char', char],
  ['bool', bool],
  ['int8_t', integer(8, true)],
  ['uint8_t', integer(8, false)],
  ['int16_t', integer(16, true)],
  ['uint16_t', integer(16, false)],
  ['int32_t', int],
  ['uint32_t', unsignedInt],
  ['int64_t', long],
  ['uint64_t', unsignedLong],
  ['size_t', unsignedLong],
  ['ssize_t', long],
  ['intptr_t', long],
  ['uintptr_t', unsignedLong],
  ['ptrdiff_t', long],
  ['loff_t', long],
  ['gfp_t', unsignedInt],
  ['fmode_t', unsignedInt],
  ['irqflags_t', unsignedLong],
  ['phys_addr_t', unsignedLong],
  ['dma_addr_t', unsignedLong],
  ['resource_size_t', unsignedLong],
  ['pteval_t', unsignedLong],
  ['pmdval_t', unsignedLong],
  ['pudval_t', unsignedLong],
  ['p4dval_t', unsignedLong],
  ['pgdval_t', unsignedLong],
  ['pgprotval_t', unsignedLong],
  ['vm_flags_t', unsignedLong],
  ['paddr_t', unsignedLong],
  ['vaddr_t', unsignedLong],
  ['intpte_t', unsignedLong],
  ['bitmap_word', unsignedLong],
  ['ulong', unsignedLong],
  ['uint', unsignedInt],
  ['ushort', integer(16, false)],
  ['uchar', integer(8, false)],
  ['pid_t', int],
  ['uid_t', unsignedInt],
  ['dev_t', unsignedInt],
  ['domid_t', integer(16, false)],
  ['vm_fault_t', unsignedInt],
]);

export const namedInteger = (name: string): CType | undefined => integerNames.get(name);

/** Structs of one member that the kernel passes by value: they are handled as that member. */
export const wrapperNames: ReadonlySet<string> = new Set([
  ...['pte_t', 'pmd_t', 'pud_t', 'p4d_t', 'pgd_t', 'pgprot_t', 'swp_entry_t', 'pfn_t', 'kuid_t', 'kgid_t'],
  ...[
    'mfn_t',
    'gfn_t',
    'dfn_t',
    'l1_pgentry_t',
    'l2_pgentry_t',
    'l3_pgentry_t',
    'l4_pgentry_t',
    'root_pgentry_t',
  ],
]);

/** Counters of one member that only atomic primitives touch. */
export const atomicNames: ReadonlyMap<string, CType> = new Map<string, CType>([
  ['atomic_t', int],
  ['atomic64_t', long],
  ['atomic_long_t', long],
  ['refcount_t', int],
]);

/** The type of an arithmetic operand after the integer promotions; pointers and unknown types count as 64 bits. */
export function promoted(type: CType): CType & { kind: 'integer' } {
  if (type.kind !== 'integer') return unsignedLong;
  return type.bits < 32 ? int : type;
}

/** The usual arithmetic conversions. */
export function common(a: CType, b: CType): CType & { kind: 'integer' } {
  const left = promoted(a);
  const right = promoted(b);
  const bits = left.bits > right.bits ? left.bits : right.bits;
  const signed =
    left.bits === right.bits
      ? left.signed && right.signed
      : left.bits > right.bits
        ? left.signed
        : right.signed;
  return integer(bits, signed);
}

/** The type of an array or a function as an argument. */
export function decayed(type: CType): CType {
  if (type.kind === 'array') return pointerTo(type.of);
  return type.kind === 'function' ? pointerTo(type) : type;
}

/** How a value of the type is kept in a register. */
export function registerType(type: CType): IntegerType {
  return type.kind === 'integer' ? { bits: type.bits, signed: type.signed } : { bits: 64, signed: false };
}

/** `value` cut to the type, as its mathematical value (negative for negative signed ones). */
export function normalised(value: bigint, type: CType): bigint {
  if (type.kind !== 'integer') return BigInt.asUintN(64, value);
  if (type.bits === 1) return value === 0n ? 0n : 1n;
  return type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
}

/** Whether every value of `from`, kept as 64 bits, is also a normalised value of `to`. */
export function fits(from: CType, to: CType): boolean {
  if (to.kind !== 'integer') return true;
  const source = registerType(from);
  if (to.bits === 64) return true;
  if (source.bits === to.bits) return source.signed === to.signed;
  return source.bits < to.bits && (!source.signed || to.signed);
}

/** The type as a short text, for `index` elements and `sizeof`. */
export function typeText(type: CType): string {
  switch (type.kind) {
    case 'integer':
      return type.bits === 1 ? 'bool' : `${type.signed ? 's' : 'u'}${type.bits}`;
    case 'pointer':
      return `${typeText(type.to)} *`;
    case 'struct':
      return `struct ${type.tag}`;
    case 'array':
      return `${typeText(type.of)}[${type.length ?? ''}]`;
    case 'function':
      return 'function';
    case 'void':
      return 'void';
    case 'unknown':
      return type.name || 'unknown';
  }
}

/** Size in bytes, or null where it needs a layout. */
export function sizeOf(type: CType): bigint | null {
  switch (type.kind) {
    case 'integer':
      return type.bits === 1 ? 1n : BigInt(type.bits / 8);
    case 'pointer':
      return 8n;
    case 'array': {
      const element = sizeOf(type.of);
      return element === null || type.length === null ? null : element * BigInt(type.length);
    }
    default:
      return null;
  }
}
