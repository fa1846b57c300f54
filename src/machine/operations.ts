/**
 * The primitive operations: what each is, and which published figures price it. A new operation is one new entry
 * here and its name in `src/code/operationNames.ts`.
 */

/** How the price of an operation is made of figures. */
export type Recipe =
  /** The sum of the figures. */
  | { readonly sum: readonly string[]; readonly note?: string }
  /** The first figure that the profile has, less another. */
  | { readonly oneOf: readonly string[]; readonly less: string; readonly note: string }
  /** No figure is known on any machine. */
  | { readonly unknown: string };

/** One operation of the vocabulary. */
export interface Operation {
  readonly name: string;
  readonly title: string;
  /** Machines that have it; `both` for what every machine has. */
  readonly architecture: 'x86' | 'arm64' | 'both';
  /** The hardware feature that it needs, or null. */
  readonly feature: string | null;
  /** False: not shown unless asked for. */
  readonly shown: boolean;
  readonly recipe: Recipe;
}

const x86 = (name: string, title: string, recipe: Recipe, feature: string | null = null): Operation => ({
  ...{ name, title, recipe, feature, architecture: 'x86', shown: true },
});
const arm64 = (name: string, title: string, recipe: Recipe): Operation => ({
  ...{ name, title, recipe, feature: null, architecture: 'arm64', shown: true },
});
const both = (name: string, title: string, recipe: Recipe, shown = true): Operation => ({
  ...{ name, title, recipe, feature: null, architecture: 'both', shown },
});

const crRead: Recipe = { sum: ['control_register_read'] };
const assumedLocal = 'Assumed to cost as much as by address: no figure of its own is known.';
const assumedBroadcast = 'Assumed to cost as much as a broadcast by address: no figure of its own is known.';

export const operations: readonly Operation[] = [
  x86('INVLPG', 'Invalidate one page in the current PCID', { sum: ['invlpg'] }),
  x86('INVPCID_ADDR', 'INVPCID type 0: one address of one PCID', { sum: ['invpcid_type0'] }, 'INVPCID'),
  x86('INVPCID_CTX', 'INVPCID type 1: one PCID', { sum: ['invpcid_type1'] }, 'INVPCID'),
  x86('INVPCID_ALL_GLOBAL', 'INVPCID type 2: everything, globals too', { sum: ['invpcid_type2'] }, 'INVPCID'),
  x86('INVPCID_ALL', 'INVPCID type 3: everything but globals', { sum: ['invpcid_type3'] }, 'INVPCID'),
  x86('CR3_READ', 'Read CR3', crRead),
  x86('CR3_FLUSH', 'Write CR3, flushing the PCID', { sum: ['mov_cr3_flush'] }),
  x86('CR3_NOFLUSH', 'Write CR3 with bit 63: nothing is flushed', { sum: ['mov_cr3_noflush'] }, 'PCID'),
  x86('CR4_READ', 'Read CR4', crRead),
  x86('CR4_WRITE', 'Write CR4', {
    sum: ['mov_cr4_pge_write'],
    note: 'Holds only where the write changes PGE; any other write of CR4 has no known figure.',
  }),
  x86('LFENCE', 'Load fence', { sum: ['lfence'] }),
  x86('MFENCE', 'Memory fence', { sum: ['mfence'] }),
  x86('SERIALIZE', 'A serialising instruction', {
    unknown: 'no published figure for serialising instructions is known',
  }),
  both('ATOMIC', 'A locked instruction, uncontended', { sum: ['lock_rmw'] }),
  both('IPI', 'An interrupt to one other CPU, with its handling there', {
    sum: ['ipi_icr_write', 'ipi_handler_overhead'],
    note: 'The send, and on the target entry, dispatch, end of interrupt and exit; what the handler does is counted by itself.',
  }),
  both('IPI_WAIT', 'Waiting for the interrupted CPUs, once', {
    oneOf: ['shootdown_first_remote_added', 'shootdown_first_remote_added_sequential'],
    less: 'invlpg',
    note: 'What the first remote CPU adds for the initiator, less the local flush of one page that it overlaps with.',
  }),
  both('HYPERCALL', 'A call into the hypervisor', {
    sum: ['vmexit_roundtrip'],
    note: 'A stand-in: the figure is that of an exit from a virtual machine and the entry back.',
  }),
  both('VMEXIT', 'An exit from a virtual machine and the entry back', { sum: ['vmexit_roundtrip'] }),
  x86('INVLPGB', 'Broadcast invalidation, issue only', { sum: ['invlpgb'] }, 'INVLPGB'),
  x86('TLBSYNC', 'Wait until every CPU has done the broadcasts', { sum: ['tlbsync'] }, 'INVLPGB'),
  arm64('TLBI_VA', 'TLBI by address, this PE', { sum: ['tlbi_local'] }),
  arm64('TLBI_VA_IS', 'TLBI by address, broadcast', { sum: ['tlbi_broadcast_issue'] }),
  arm64('TLBI_ASID', 'TLBI by ASID, this PE', { sum: ['tlbi_local'], note: assumedLocal }),
  arm64('TLBI_ASID_IS', 'TLBI by ASID, broadcast', {
    sum: ['tlbi_broadcast_issue'],
    note: assumedBroadcast,
  }),
  arm64('TLBI_ALL', 'TLBI of everything, this PE', { sum: ['tlbi_local'], note: assumedLocal }),
  arm64('TLBI_ALL_IS', 'TLBI of everything, broadcast', {
    sum: ['tlbi_broadcast_issue'],
    note: assumedBroadcast,
  }),
  arm64('DSB', 'Barrier that completes TLBIs', { sum: ['dsb_ish_after_broadcast_idle'] }),
  arm64('ISB', 'Instruction barrier', { unknown: 'no published figure for ISB is known' }),
  both('PLAIN', 'Ordinary instructions', { unknown: 'ordinary instructions are not priced' }, false),
];

const byName: ReadonlyMap<string, Operation> = new Map(
  operations.map(operation => [operation.name, operation]),
);

/** The operation of that name, or null. */
export function findOperation(name: string): Operation | null {
  return byName.get(name) ?? null;
}
