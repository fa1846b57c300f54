/** arm64 TLBI operations (Arm ARM, "TLB maintenance instructions") as operations of the design. */

/**
 * The operation for the name of a TLBI (`vae1is`, `aside1`, …), or null: stage 2 forms are another matter. A range form is
 * one instruction and counts like one by address; its operand says how many pages it invalidates.
 */
export function tlbiOperation(op: string): string | null {
  const match =
    /^(r?vaae1|r?vaale1|r?vae1|r?vale1|vae2|vale2|aside1|vmalle1|alle1|alle2|vmalls12e1)(is|os)?$/.exec(
      op.trim().toLowerCase(),
    );
  if (!match) return null;
  const scope = match[2] === undefined ? '' : '_IS';
  const form = match[1]!;
  if (form === 'aside1') return `TLBI_ASID${scope}`;
  return form.startsWith('va') || form.startsWith('rva') ? `TLBI_VA${scope}` : `TLBI_ALL${scope}`;
}
