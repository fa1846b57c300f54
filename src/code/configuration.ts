/** Which CONFIG_ symbols are on: what the caller sets, else a default for the architecture. What was asked is recorded. */

export type Architecture = 'x86' | 'arm64' | 'other';

/** A production kernel has none of these, or they exclude something that it has. */
const offEverywhere = new Set([
  ...['32BIT', 'UML', 'NOMMU', 'HIGHMEM', 'HIGHPTE', 'FLATMEM', 'TINY_RCU', 'SLOB', 'PREEMPT_RT'],
  ...['LOCKDEP', 'LOCK_STAT', 'KASAN', 'KCSAN', 'KMSAN', 'UBSAN', 'KCOV', 'GCOV_KERNEL', 'KGDB'],
  ...['MMU_GATHER_NO_GATHER', 'MMU_GATHER_NO_RANGE', 'MMU_GATHER_PAGE_SIZE', 'NEED_PER_CPU_KM'],
  ...['TRACE_IRQFLAGS', 'PROVE_LOCKING', 'PROVE_RCU', 'COMPILE_TEST', 'PV_SHIM_EXCLUSIVE'],
]);

/** Symbols of one architecture, off on the others. */
const architectureSymbols: Readonly<Record<string, Architecture>> = {
  X86: 'x86',
  X86_64: 'x86',
  ARM64: 'arm64',
  ARM_64: 'arm64',
};

const offByArchitecture: Readonly<Record<Architecture, ReadonlySet<string>>> = {
  x86: new Set(['X86_32', 'X86_PAE', 'ARM', 'ARM_32', 'PPC', 'S390', 'SPARC', 'MIPS', 'RISCV', 'IA64']),
  arm64: new Set([
    ...['X86_32', 'ARM', 'ARM_32', 'PPC', 'S390', 'SPARC', 'MIPS', 'RISCV', 'IA64', 'CPU_BIG_ENDIAN'],
    ...['ARM64_16K_PAGES', 'ARM64_64K_PAGES', 'PARAVIRT_XXL', 'XEN_PV'],
  ]),
  other: new Set(['X86_32', 'ARM_32']),
};

/** Values of the numeric symbols that headers compare with; of a Debian kernel, except NR_CPUS. */
const numbers: Readonly<Record<Architecture, Readonly<Record<string, number>>>> = {
  x86: { PGTABLE_LEVELS: 5, NR_CPUS: 64, HZ: 250, X86_L1_CACHE_SHIFT: 6, NODES_SHIFT: 10 },
  arm64: { PGTABLE_LEVELS: 4, NR_CPUS: 64, HZ: 250, ARM64_PAGE_SHIFT: 12, ARM64_VA_BITS: 48, NODES_SHIFT: 4 },
  other: { PGTABLE_LEVELS: 4, NR_CPUS: 64, HZ: 250, NODES_SHIFT: 10 },
};

export class Configuration {
  /** Full names (`CONFIG_X`) that were asked for, with the answer. */
  readonly asked = new Map<string, boolean>();

  /** `settings`: what the user set, by full name (`CONFIG_X`). */
  constructor(
    readonly architecture: Architecture,
    private readonly settings: ReadonlyMap<string, boolean>,
  ) {}

  /** Whether `name` (`CONFIG_X`) is on; the answer is recorded. */
  isOn(name: string): boolean {
    const answer = this.settings.get(name) ?? this.byDefault(name.replace(/^CONFIG_/, ''));
    this.asked.set(name, answer);
    return answer;
  }

  /** Value of a numeric symbol in an expression: 0 when off, 1 when on. */
  valueOf(name: string): number {
    const short = name.replace(/^CONFIG_/, '');
    return this.isOn(name) ? (numbers[this.architecture][short] ?? 1) : 0;
  }

  private byDefault(name: string): boolean {
    const owner = architectureSymbols[name];
    if (owner !== undefined) return owner === this.architecture;
    if (name.endsWith('_MODULE') || name.startsWith('DEBUG_') || name.endsWith('_DEBUG')) return false;
    return !offEverywhere.has(name) && !offByArchitecture[this.architecture].has(name);
  }
}

/** The architecture that a path of a kernel or hypervisor tree belongs to, or null for generic code. */
export function architectureOfPath(path: string): Architecture | null {
  const match = /(?:^|\/)(?:arch\/|include\/asm-)([a-z0-9_]+)/.exec(path);
  if (!match) return null;
  if (match[1] === 'x86' || match[1] === 'x86_64') return 'x86';
  return match[1] === 'arm64' || match[1] === 'arm' ? 'arm64' : match[1] === 'generic' ? null : 'other';
}
