/**
 * The names of the primitive operations that a price can be given for, in the order in which they are shown.
 * `src/machine/operations.ts` says what each is and which published figure prices it; the two lists are kept equal
 * by a test, because neither room may import the other.
 */
export const operationNames = [
  'INVLPG',
  'INVPCID_ADDR',
  'INVPCID_CTX',
  'INVPCID_ALL_GLOBAL',
  'INVPCID_ALL',
  'CR3_READ',
  'CR3_FLUSH',
  'CR3_NOFLUSH',
  'CR4_READ',
  'CR4_WRITE',
  'LFENCE',
  'MFENCE',
  'SERIALIZE',
  'ATOMIC',
  'IPI',
  'IPI_WAIT',
  'HYPERCALL',
  'VMEXIT',
  'INVLPGB',
  'TLBSYNC',
  'TLBI_VA',
  'TLBI_VA_IS',
  'TLBI_ASID',
  'TLBI_ASID_IS',
  'TLBI_ALL',
  'TLBI_ALL_IS',
  'DSB',
  'ISB',
  'PLAIN',
] as const;

export type OperationName = (typeof operationNames)[number];
