/** What helpers of the kernels return, and constants whose definition a patch rarely shows. */
import type { Value } from './value';
import type { ValueSpace } from './values';

/** Values of constants on 4 KiB pages: Linux `arch/x86/include/uapi/asm/processor-flags.h` and its kind. */
const constants: Readonly<Record<string, bigint>> = {
  PAGE_SHIFT: 12n,
  PAGE_SIZE: 4096n,
  PAGE_MASK: -4096n,
  PMD_SHIFT: 21n,
  PMD_SIZE: 1n << 21n,
  PMD_PAGE_SIZE: 1n << 21n,
  PUD_SHIFT: 30n,
  PUD_SIZE: 1n << 30n,
  HPAGE_PMD_SHIFT: 21n,
  HPAGE_PMD_SIZE: 1n << 21n,
  HPAGE_PMD_NR: 512n,
  TLB_FLUSH_ALL: -1n,
  X86_CR4_TSD: 1n << 2n,
  X86_CR4_PAE: 1n << 5n,
  X86_CR4_PGE: 1n << 7n,
  X86_CR4_PCIDE: 1n << 17n,
  X86_CR4_SMEP: 1n << 20n,
  X86_CR3_PCID_NOFLUSH: 1n << 63n,
  X86_CR3_PCID_NOFLUSH_BIT: 63n,
  X86_CR3_NOFLUSH: 1n << 63n,
  CR3_NOFLUSH: 1n << 63n,
  INVPCID_TYPE_INDIV_ADDR: 0n,
  INVPCID_TYPE_SINGLE_CTXT: 1n,
  INVPCID_TYPE_ALL_INCL_GLOBAL: 2n,
  INVPCID_TYPE_ALL_NON_GLOBAL: 3n,
  INVPCID_INDIV_ADDR: 0n,
  INVPCID_SINGLE_CTXT: 1n,
  INVPCID_ALL_INCL_GLOBAL: 2n,
  INVPCID_ALL_NON_GLOBAL: 3n,
  TLB_NR_DYN_ASIDS: 6n,
  true: 1n,
  false: 0n,
  NULL: 0n,
};

/** The value of a constant by name, or null. */
export function knownConstant(name: string): bigint | null {
  return Object.hasOwn(constants, name) ? constants[name]! : null;
}

const noflush = (space: ValueSpace, name: string, args: readonly Value[]): Value =>
  space.binary('or', space.call(name, args, 0), space.constant(1n << 63n), { bits: 64, signed: false });

/** The shadow of CR4 that the kernels keep, as one memory cell. */
export const cr4Cell = (space: ValueSpace): Value => space.address('cr4', 'global', '%register');

const cr4Readers = new Set(['cr4_read_shadow', 'read_cr4', '__read_cr4', 'native_read_cr4', 'mmu_get_cr4']);

/** What a call returns where that matters and is known; null to take it as opaque. */
export function knownResult(
  space: ValueSpace,
  name: string,
  args: readonly Value[],
  memory: ReadonlyMap<Value, Value>,
): Value | null {
  const [first] = args;
  switch (name) {
    case 'build_cr3_noflush':
    case 'build_cr3_pcid_noflush':
      return noflush(space, 'build_cr3', args);
    case 'likely':
    case 'unlikely':
    case 'READ_ONCE':
    case 'untagged_addr':
      return first ?? null;
    case 'BIT':
    case 'BIT_ULL':
    case '_BITUL':
    case '_BITULL':
      return first ? space.binary('shl', space.constant(1), first, { bits: 64, signed: false }) : null;
    case '__native_read_cr3':
    case 'native_read_cr3':
    case '__read_cr3':
    case 'read_cr3':
      return space.symbol('cr3', '%cr3');
    default:
      if (cr4Readers.has(name)) return memory.get(cr4Cell(space)) ?? space.load(cr4Cell(space), 0);
      return null;
  }
}

/** Functions that do not come back. */
export const neverReturns: ReadonlySet<string> = new Set([
  ...['panic', 'BUG', 'do_exit', 'make_task_dead', 'unreachable', '__builtin_unreachable', 'machine_halt'],
]);
