/** Names of CPU features in assembly. */

/** A feature test: the feature, and whether it is asked for its absence; `true` where it always holds. */
export type FeatureTest = { readonly name: string; readonly absent: boolean } | true;

/** Capabilities of arm64 that the design knows by another name. */
const arm64Names: Readonly<Record<string, string>> = { UNMAP_KERNEL_AT_EL0: 'KPTI' };

/** Reads `X86_FEATURE_PTI`, `ALT_NOT(X86_FEATURE_XENPV)`, `ARM64_HAS_PAN`. */
export function readFeature(source: string): FeatureTest {
  let text = source.trim();
  let absent = false;
  for (;;) {
    const wrapped = /^(?:ALT_NOT|ALT_VHE)?\s*\(([^]*)\)$/.exec(text);
    if (wrapped) {
      if (text.startsWith('ALT_NOT')) absent = !absent;
      text = wrapped[1]!.trim();
      continue;
    }
    const flagged = /^(?:ALT_FLAG_NOT\s*\||~)\s*([^]*)$/.exec(text);
    if (!flagged) break;
    absent = !absent;
    text = flagged[1]!.trim();
  }
  if (text === 'ALT_NOT_XEN') return { name: 'XENPV', absent: !absent };
  if (text === 'X86_FEATURE_ALWAYS' && !absent) return true;
  if (text.startsWith('X86_FEATURE_')) return { name: text.slice('X86_FEATURE_'.length), absent };
  const arm64 = /^ARM64_(\w+)$/.exec(text);
  if (arm64) return { name: arm64Names[arm64[1]!] ?? text, absent };
  return { name: text, absent };
}
