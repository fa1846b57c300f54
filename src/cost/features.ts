/** Features, static keys and configuration symbols: what they are called and how a test of one is answered. */
import type { FeatureKind } from '../code/ir';

const synonyms: Readonly<Record<string, string>> = {
  XENPV: 'XEN_PV',
  UNMAP_KERNEL_AT_EL0: 'KPTI',
  ARM64_UNMAP_KERNEL_AT_EL0: 'KPTI',
  HAS_TLB_RANGE: 'TLBIRANGE',
  ARM64_HAS_TLB_RANGE: 'TLBIRANGE',
  xpfo_inited: 'XPFO',
  xpti: 'XPTI',
};

/** Features that stand for several. */
const composites: Readonly<Record<string, readonly string[]>> = { INVPCID_SINGLE: ['INVPCID', 'PCID'] };

/** Every 64-bit x86 processor has these, so they are on unless they are switched off by name. */
const always = new Set([
  'PGE',
  'ALWAYS',
  'LM',
  'PSE',
  'FXSR',
  'XMM',
  'XMM2',
  'NX',
  'APIC',
  'CX8',
  'MSR',
  'TSC',
]);

/** True for a feature that no processor in question lacks. */
export const isAlwaysOn = (name: string): boolean => always.has(name);

/** Functions of the kernels that answer a feature test. */
export const featureFunctions: Readonly<Record<string, string>> = {
  arm64_kernel_unmapped_at_el0: 'KPTI',
  system_supports_tlb_range: 'TLBIRANGE',
  cpu_has_invpcid: 'INVPCID',
  cpu_has_pcid: 'PCID',
  cpu_has_pge: 'PGE',
};

/** Functions that are asked for the feature that their argument is. */
export const featureQueries: ReadonlySet<string> = new Set(['static_cpu_has', 'this_cpu_has']);

/** The design's name of a feature as the source writes it. */
function canonicalFeature(name: string): string {
  const short = name.replace(/^X86_FEATURE_/, '');
  return synonyms[short] ?? short;
}

/** An exact set of features. */
export class FeatureSet {
  /** Features that were asked for, with the answer; only these can change a price. */
  readonly asked = new Map<string, boolean>();
  /** Configuration symbols and static keys that decided something, with the value taken. */
  readonly assumed = new Map<string, boolean>();

  constructor(
    /** Names that are on. */
    private readonly on: ReadonlySet<string>,
    /** Names switched on or off explicitly (`CONFIG_X=n`, `key=y`). */
    private readonly switched: ReadonlyMap<string, boolean> = new Map(),
  ) {}

  /** Whether a feature is on, by its canonical name. */
  has(name: string): boolean {
    const parts = composites[name];
    if (parts) return parts.map(part => this.has(part)).every(Boolean);
    const answer = this.switched.get(name) ?? (this.on.has(name) || always.has(name));
    this.asked.set(name, answer);
    return answer;
  }

  /** The answer of a test in the code. `byDefault`: the declared default of a static key, if it is known. */
  answer(name: string, kind: FeatureKind, byDefault: boolean | null): boolean {
    if (kind === 'config') {
      const value = this.switched.get(name) ?? byDefault ?? !/_32$|^CONFIG_DEBUG_/.test(name);
      this.assumed.set(name, value);
      return value;
    }
    const feature = canonicalFeature(name);
    if (
      kind === 'key' &&
      feature === name &&
      !this.on.has(name) &&
      !this.switched.has(name) &&
      byDefault === true
    ) {
      this.asked.set(name, true);
      this.assumed.set(name, true);
      return true;
    }
    const answer = this.has(feature);
    // A key whose declaration is not shown may be on as well.
    if (kind === 'key' && feature === name && byDefault === null && !this.switched.has(name))
      this.assumed.set(name, answer);
    return answer;
  }

  /** Every condition of a catalogue row: names that must be on, or off with a leading `!`. */
  holds(when: readonly string[]): boolean {
    return when
      .map(name => (name.startsWith('!') ? !this.has(name.slice(1)) : this.has(name)))
      .every(Boolean);
  }
}
