/** What one local flush of n pages costs, stated independently of any kernel's text: by how kernels test features. */

export interface FeatureSet {
  readonly pti: boolean;
  readonly pcid: boolean;
  readonly invpcid: boolean;
}

export const countedNames = [
  ...(['INVLPG', 'INVPCID_ADDR', 'CR3_READ', 'CR3_FLUSH', 'CR3_NOFLUSH', 'LFENCE'] as const),
];

/** Operations of madvise over n pages from user mode and back. `deferred`: the user's PCID is left to the exit. */
export function expectedCounts(n: number, has: FeatureSet, deferred: boolean): Record<string, number> {
  const counts = { INVLPG: 0, INVPCID_ADDR: 0, CR3_READ: 0, CR3_FLUSH: 0, CR3_NOFLUSH: 0, LFENCE: 0 };
  /** The user's PCID is flushed by the CR3 write of the exit; or a range is left to it. */
  let owed = false;
  let range = 0;
  const writeCr3 = (keeps: boolean): void => {
    counts[keeps && has.pcid ? 'CR3_NOFLUSH' : 'CR3_FLUSH']++;
  };

  // In: CR3 with the kernel's root. Without PCID there is no bit 63, so every write flushes.
  if (has.pti) {
    counts.CR3_READ++;
    writeCr3(true);
  }
  if (n <= 33) {
    counts.INVLPG += n;
    if (has.pti && has.pcid) {
      if (deferred) range = n;
      else if (has.invpcid) counts.INVPCID_ADDR += n;
      else owed = true;
    }
  } else {
    counts.CR3_READ++;
    writeCr3(false);
    owed = has.pti && has.pcid;
  }
  if (has.pti) {
    counts.CR3_READ++;
    writeCr3(!owed);
    counts.INVLPG += range;
    if (range > 0) counts.LFENCE++;
  }
  return counts;
}

export const featureSets: readonly FeatureSet[] = [true, false].flatMap(pti =>
  [true, false].flatMap(pcid => [true, false].map(invpcid => ({ pti, pcid, invpcid }))),
);

/** By the design's names. */
export const namesOf = ({ pti, pcid, invpcid }: FeatureSet): Set<string> =>
  new Set(
    Object.entries({ PTI: pti, PCID: pcid, INVPCID: invpcid, PGE: true }).flatMap(([name, on]) =>
      on ? [name] : [],
    ),
  );
