/** Names whose store makes some later path flush. Sources: semantics of the Linux x86 TLB code (`arch/x86/mm/tlb.c`). */
import type { Value } from './value';

export interface DeferredMark {
  readonly where: string;
  /** Change of operations where it is paid. */
  readonly operations: Readonly<Record<string, string>>;
}

const atExit = 'next exit to user mode';

const marks: Readonly<Record<string, DeferredMark>> = {
  user_pcid_flush_mask: { where: atExit, operations: { CR3_FLUSH: '1', CR3_NOFLUSH: '-1' } },
  user_flush_start: { where: atExit, operations: {} },
  user_flush_end: { where: atExit, operations: {} },
  user_flush_stride_shift: { where: atExit, operations: {} },
  invalidate_other: { where: 'next switch to another address space', operations: {} },
  pending_xpfo_flush: { where: 'next context switch of the other CPUs', operations: {} },
  root_pgt_changed: { where: 'next exit to the guest', operations: {} },
};

/** The mark that a store to an address sets, with its name; null for an ordinary store. */
export function markAt(address: Value): { name: string; mark: DeferredMark } | null {
  let at = address;
  for (;;) {
    const name = at.kind === 'field' ? at.member : at.kind === 'address' ? at.name : '';
    if (Object.hasOwn(marks, name)) return { name, mark: marks[name]! };
    if (at.kind === 'field' || at.kind === 'index') at = at.base;
    else if (at.kind === 'call' && at.args[0]) at = at.args[0];
    else if (at.kind === 'linear' && at.terms[0]) at = at.terms[0][0];
    else return null;
  }
}
