/** Which CONFIG_ symbols are on: what the caller sets, else a default for the architecture. What was asked is recorded. */

import { architectureOf, offByDefault, offFamilies } from './configurationDefaults';

export type Architecture = 'x86' | 'arm64' | 'other';

/** Values of the numeric symbols that headers compare with; of a Debian kernel, except NR_CPUS. */
const numbers: Readonly<Record<Architecture, Readonly<Record<string, number>>>> = {
  x86: { PGTABLE_LEVELS: 5, NR_CPUS: 64, HZ: 250, X86_L1_CACHE_SHIFT: 6, NODES_SHIFT: 10 },
  arm64: { PGTABLE_LEVELS: 4, NR_CPUS: 64, HZ: 250, ARM64_PAGE_SHIFT: 12, ARM64_VA_BITS: 48, NODES_SHIFT: 4 },
  other: { PGTABLE_LEVELS: 4, NR_CPUS: 64, HZ: 250, NODES_SHIFT: 10 },
};

export class Configuration {
  /** Full names (`CONFIG_X`) that were asked for, with the answer. */
  readonly asked = new Map<string, boolean>();
  /** Receives the names that are asked for while it is set. */
  trail: Set<string> | null = null;
  private silent: Configuration | null = null;

  /** `settings`: what the user set, by full name (`CONFIG_X`). */
  constructor(
    readonly architecture: Architecture,
    private readonly settings: ReadonlyMap<string, boolean>,
  ) {}

  /** Equal for equal architectures and settings. */
  get signature(): string {
    return `${this.architecture} ${[...this.settings]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(' ')}`;
  }

  /** The same settings; what is asked of it is not recorded here. */
  get unrecorded(): Configuration {
    return (this.silent ??= new Configuration(this.architecture, this.settings));
  }

  /** Whether `name` (`CONFIG_X`) is on; the answer is recorded. */
  isOn(name: string): boolean {
    const answer = this.settings.get(name) ?? this.byDefault(name.replace(/^CONFIG_/, ''));
    this.asked.set(name, answer);
    this.trail?.add(name);
    return answer;
  }

  /** Value of a numeric symbol in an expression: 0 when off, 1 when on. */
  valueOf(name: string): number {
    const short = name.replace(/^CONFIG_/, '');
    return this.isOn(name) ? (numbers[this.architecture][short] ?? 1) : 0;
  }

  private byDefault(name: string): boolean {
    const owner = architectureOf.get(name);
    if (owner !== undefined) return owner === this.architecture;
    return !offByDefault.has(name) && !offFamilies.test(name);
  }
}

/** The architecture that a path of a kernel or hypervisor tree belongs to, or null for generic code. */
export function architectureOfPath(path: string): Architecture | null {
  const match = /(?:^|\/)(?:arch\/|include\/asm-)([a-z0-9_]+)/.exec(path);
  if (!match) return null;
  if (match[1] === 'x86' || match[1] === 'x86_64') return 'x86';
  return match[1] === 'arm64' || match[1] === 'arm' ? 'arm64' : match[1] === 'generic' ? null : 'other';
}
