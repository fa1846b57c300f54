/** Bits of cached entries, of their tags and of the architectures' own registers and page-table entries. */

/** Flags of a cached entry; those of a walk are the conjunction along it. Bits 7:0 hold bits 39:32 of the frame. */
export const entryWritable = 1 << 8;
export const entryUser = 1 << 9;
/** x86: XD is clear. Arm: UXN is clear. */
export const entryExecutable = 1 << 10;
/** A write needs no further walk. */
export const entryDirty = 1 << 11;
/** Arm: PXN is clear, and user code cannot write the page. */
export const entryKernelExecutable = 1 << 12;
/** Memory type: PWT, PCD, PAT of x86; AttrIndx of Arm. Three bits from here. */
export const entryTypeShift = 13;
/** Level of the leaf, two bits from here; above the level of the entry for a fragment. */
export const entryLeafShift = 16;
/** What only the conjunction concerns. */
export const entryPermissions = entryWritable | entryUser | entryExecutable | entryKernelExecutable;
export const frameHighMask = 0xff;

/** Tag word: PCID or ASID, bits 56:44 of the address at level 1 (fewer above), level, global. 0: the entry is empty. */
export const tagHighShift = 16;
export const tagLevelShift = 29;
export const tagGlobal = 1 << 31;
export const tagContextMask = 0xffff;

export const cr0Pe = 1;
export const cr0Wp = 1 << 16;
export const cr0Pg = 1 << 31;
export const cr4Pae = 1 << 5;
export const cr4Pge = 1 << 7;
export const cr4La57 = 1 << 12;
export const cr4Pcide = 1 << 17;
export const cr4Smep = 1 << 20;
export const cr4Smap = 1 << 21;
export const eferLme = 1 << 8;
export const eferLma = 1 << 10;
export const eferNxe = 1 << 11;
export const eferTce = 1 << 15;

/** x86 page-table entries, low half. */
export const ptePresent = 1;
export const pteWritable = 1 << 1;
export const pteUser = 1 << 2;
export const pteAccessed = 1 << 5;
export const pteDirty = 1 << 6;
export const ptePageSize = 1 << 7;
export const pteGlobal = 1 << 8;

/** Descriptors of Arm, low half. */
export const descriptorValid = 1;
export const descriptorTable = 2;
export const descriptorUser = 1 << 6;
export const descriptorReadOnly = 1 << 7;
export const descriptorAccessFlag = 1 << 10;
export const descriptorNotGlobal = 1 << 11;
/** High half. */
export const descriptorDirtyModifier = 1 << 19;
export const descriptorPxn = 1 << 21;
export const descriptorUxn = 1 << 22;
export const tablePxn = 1 << 27;
export const tableUxn = 1 << 28;
export const tableNoUser = 1 << 29;
export const tableReadOnly = 1 << 30;

/** Bits of #PF's error code. */
export const errorPresent = 1;
export const errorWrite = 2;
export const errorUser = 4;
export const errorReserved = 8;
export const errorFetch = 16;
/** Arm: fault status of level 0; the level is added. WnR is bit 6 as in ESR. */
export const statusAddressSize = 0b000000;
export const statusTranslation = 0b000100;
export const statusAccessFlag = 0b001000;
export const statusPermission = 0b001100;
export const statusWrite = 1 << 6;
