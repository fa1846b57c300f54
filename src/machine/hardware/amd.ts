/** INVLPGB of AMD: its operands, and what a CPU drops when it applies one. */
import { done, generalProtection, undefinedOpcode, type Result } from '../hardware';
import { kindInvlpgb, type BroadcastQueue } from './broadcasts';
import type { Context } from './context';
import { eferTce } from './flags';
import { atEfer } from './layout';

const addressValid = 1;
const pcidValid = 2;
const asidValid = 4;
const includeGlobals = 8;
const finalOnly = 16;
const reservedRax = 0xfc0;
const stride2M = 1 << 31;

/** Puts an INVLPGB in flight. The instruction is complete long before its effect. */
export function issueInvlpgb(
  context: Context,
  queue: BroadcastQueue,
  cpu: number,
  raxLo: number,
  raxHi: number,
  ecx: number,
  edx: number,
): Result {
  if (context.lacks.has('INVLPGB')) return undefinedOpcode;
  const most = context.profile.hardware.invlpgbMaxPages;
  const extra = ecx & 0xffff;
  if (most !== null && extra >= most) return generalProtection;
  if ((raxLo & reservedRax) !== 0 || (ecx & 0x7fff0000) !== 0 || edx >>> 28 !== 0) return generalProtection;
  if ((raxLo & addressValid) !== 0 && !context.canonical(context.base(cpu), raxHi)) return generalProtection;
  queue.issue(cpu, kindInvlpgb, raxLo, raxHi, ecx, edx, null);
  context.clock.perform(cpu, 'INVLPGB');
  return done;
}

/** `base`: block of the CPU that drops. The host's ASID is 0; entries of guests are not modelled. */
export function applyInvlpgb(
  context: Context,
  base: number,
  raxLo: number,
  raxHi: number,
  ecx: number,
  edx: number,
): void {
  if ((raxLo & asidValid) !== 0 && (edx & 0xffff) !== 0) return;
  const pcid = (raxLo & pcidValid) !== 0 ? (edx >>> 16) & 0xfff : -1;
  const globals = (raxLo & includeGlobals) !== 0;
  const upper = (raxLo & finalOnly) === 0;
  const { tlb, paging } = context;
  if ((raxLo & addressValid) === 0) {
    tlb.dropAll(base, pcid, globals);
    if (upper) paging.dropAll(base, pcid);
    context.dropMore(base);
    return;
  }
  const tce = (context.w[base + atEfer]! & eferTce) !== 0;
  const step = (ecx & stride2M) !== 0 ? 0x200000 : 0x1000;
  let lo = raxLo & ~0xfff;
  let hi = raxHi;
  for (let left = (ecx & 0xffff) + 1; left > 0; left--) {
    tlb.dropPage(base, lo, hi, pcid, globals);
    if (upper && tce) paging.dropFor(base, lo, hi, pcid);
    const next = (lo + step) | 0;
    if (next >>> 0 < lo >>> 0) hi = (hi + 1) | 0;
    lo = next;
  }
  if (upper && !tce) paging.dropAll(base, -1);
  context.dropMore(base);
}
