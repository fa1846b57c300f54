/**
 * Constants that assembly uses without defining them. Values of the architecture are from the SDM (CR3, CR4, EFLAGS);
 * those of the kernel are part of its fixed layout (`processor-flags.h`, `pt_regs`, PTI's CR3 bits).
 */
const bits: Readonly<Record<string, number>> = {
  X86_CR3_PCID_NOFLUSH: 63,
  X86_CR3_NOFLUSH: 63,
  CR3_NOFLUSH: 63,
  X86_CR4_PAE: 5,
  X86_CR4_PGE: 7,
  X86_CR4_LA57: 12,
  X86_CR4_FSGSBASE: 16,
  X86_CR4_PCIDE: 17,
  X86_CR4_SMEP: 20,
  X86_CR4_SMAP: 21,
  X86_CR0_PG: 31,
  X86_CR0_WP: 16,
  X86_CR0_PE: 0,
  X86_EFLAGS_TF: 8,
  X86_EFLAGS_IF: 9,
  X86_EFLAGS_DF: 10,
  X86_EFLAGS_NT: 14,
  X86_EFLAGS_RF: 16,
  X86_EFLAGS_VM: 17,
  X86_EFLAGS_AC: 18,
  PTI_USER_PGTABLE_MASK: 12,
  PTI_USER_PCID_MASK: 11,
  PAGE_SIZE: 12,
};

const values: Readonly<Record<string, bigint>> = {
  X86_CR3_PCID_NOFLUSH_BIT: 63n,
  X86_CR3_PTI_PCID_USER_BIT: 11n,
  X86_CR4_PGE_BIT: 7n,
  X86_CR4_PCIDE_BIT: 17n,
  PTI_USER_PGTABLE_BIT: 12n,
  PTI_USER_PCID_BIT: 11n,
  PTI_USER_PGTABLE_AND_PCID_MASK: 0x1800n,
  PAGE_SHIFT: 12n,
  PAGE_MASK: ~0xfffn,
  TLB_FLUSH_ALL: -1n,
};

/** `pt_regs` of x86-64 in the order of the stack, from offset 0 in steps of 8. */
const ptRegs = [
  ...['R15', 'R14', 'R13', 'R12', 'RBP', 'RBX', 'R11', 'R10', 'R9', 'R8'],
  ...['RAX', 'RCX', 'RDX', 'RSI', 'RDI', 'ORIG_RAX', 'RIP', 'CS', 'EFLAGS', 'RSP', 'SS'],
];

const table = new Map<string, bigint>(Object.entries(values));
for (const [name, bit] of Object.entries(bits)) table.set(name, 1n << BigInt(bit));
ptRegs.forEach((name, index) => table.set(name, BigInt(index * 8)));

/** Value of a constant that needs no definition in the text; null if it is none. */
export function knownConstant(name: string): bigint | null {
  return table.get(name) ?? null;
}

/** Prefix of an `asm-offsets` name → tag of the struct. Longest first. */
const structs: readonly (readonly [string, string])[] = [
  ['TLB_STATE_', 'tlb_state'],
  ['THREAD_INFO_', 'thread_info'],
  ['CPUINFO_', 'cpu_info'],
  ['VCPUINFO_', 'vcpu_info'],
  ['TRAPBOUNCE_', 'trap_bounce'],
  ['DOMAIN_', 'domain'],
  ['VCPUMSR_', 'vcpu_msrs'],
  ['VCPU_', 'vcpu'],
  ['UREGS_', 'cpu_user_regs'],
  ['EFRAME_', 'cpu_user_regs'],
  ['TASK_', 'task_struct'],
  ['TSK_', 'task_struct'],
  ['TI_', 'thread_info'],
  ['TSS_', 'tss_struct'],
  ['CPU_TLB_', 'tlb_state'],
  ['MM_', 'mm_struct'],
];

/** Struct and member that a name of `asm-offsets` stands for; the struct is null where it is not known. */
export function offsetMember(name: string): { readonly struct: string | null; readonly member: string } {
  for (const [prefix, struct] of structs)
    if (name.startsWith(prefix) && name.length > prefix.length)
      return { struct, member: name.slice(prefix.length) };
  return { struct: null, member: name };
}

/** Whether a name looks like one that `asm-offsets` defines rather than a variable or a label. */
export function looksLikeOffset(name: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Za-z0-9_]*)?$/.test(name);
}
