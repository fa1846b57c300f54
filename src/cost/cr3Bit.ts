/** Bit 63 of a value that is written to CR3, where only the names in it tell. */
import { no, support, type Guard } from './guard';
import { findInside } from './machineState';
import { lastName } from './quantity';
import type { Runner } from './runner';
import { show } from './show';
import type { Value } from './value';

/** SDM volume 3, 4.10.4.1: with CR4.PCIDE set, bit 63 of the source keeps the entries of the PCID. */
const noflushBit = 63;

const saysKeep = /no_?flush/i;
/** What CR3 values are made of: a table's address and a PCID; none reaches bit 63. */
const parts =
  /^_*(?:build_cr3|sme_pa|pa|pa_nodebug|virt_to_(?:phys|maddr)|page_to_(?:phys|maddr)|read_cr3_pa|phys_addr)$|pgd|pgdir|pgtable|pcid|asid|phys/i;

const nameOf = (value: Value): string => (value.kind === 'call' ? value.name : lastName(value));

/** Whether every part of a value is known to leave the bit clear. */
function isClear(value: Value): boolean {
  if (value.kind === 'symbol' && value.key === '%cr3') return true;
  return parts.test(nameOf(value));
}

/** What a loop, or a callee that was given the variable's address, left in it. */
const isLost = (value: Value): boolean => value.kind === 'symbol' && /^(?:lv|out):/.test(value.key);

/**
 * When a write of `value` keeps the entries. A bit that only names tell is settled by them; one that nothing tells is
 * left open, and noted as taken to be clear; `lost` is told of one that was known and no longer is.
 */
export function keepsEntries(
  runner: Runner,
  value: Value,
  lost: (part: Value) => void = () => undefined,
): Guard {
  const { space, features } = runner;
  let keeps = space.bit(value, noflushBit);
  let isOpen = false;
  for (const index of support(keeps)) {
    const atom = space.atoms[index]!;
    if (atom.bit !== noflushBit) continue;
    if (findInside(atom.value, inner => saysKeep.test(nameOf(inner)))) {
      keeps = space.guards.restrict(keeps, index, features.has('PCID'));
      continue;
    }
    isOpen = true;
    if (findInside(atom.value, isLost)) lost(atom.value);
    else if (!runner.quiet && !isClear(atom.value))
      runner.recording.assumed.add(
        `bit 63 of ${show(atom.value)} is not known: it is taken to be clear, so that the write of CR3 flushes`,
      );
  }
  if (keeps !== no && !isOpen && !runner.quiet && !features.has('PCID'))
    runner.recording.assumed.add('bit 63 of a CR3 value is set without PCID: it counts as written');
  return keeps;
}
