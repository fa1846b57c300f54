/** How the kernel's and Xen's names of CPU features map to gates. */

/** Names that stand for several gates, or for one under another name. Each gate must be on. */
const gatesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['XENPV', ['XEN_PV']],
  ['INVPCID_SINGLE', ['INVPCID', 'PCID']],
  ['XEN_XPTI', ['XPTI']],
  // Names of page-table isolation before it was called that.
  ['KAISER', ['PTI']],
  ['PAGE_TABLE_ISOLATION', ['PTI']],
]);

/**
 * The gates behind a feature name as written: `X86_FEATURE_PTI` is `PTI`, `ARM64_UNMAP_KERNEL_AT_EL0` is `KPTI`;
 * others keep their name, as in assembly.
 */
export function gatesOfFeature(name: string): readonly string[] {
  if (name === 'ARM64_UNMAP_KERNEL_AT_EL0') return ['KPTI'];
  const short = name.replace(/^X86_FEATURE_/, '');
  return gatesOf.get(short) ?? [short];
}
