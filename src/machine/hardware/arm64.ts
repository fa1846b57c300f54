/** Instructions of arm64 that touch translation. Until the issuer's DSB a TLBI guarantees nothing, on no PE. */
import { done, undefinedOpcode, waiting, type Arm64Instructions, type Result } from '../hardware';
import { kindTlbi, type BroadcastQueue } from './broadcasts';
import type { Context } from './context';
import { atStatus, atTtbr, statusUnsynchronised } from './layout';
import { innerShareable, scopeRange, tlbiCodes, tlbiOperation } from './tlbi';

export class Arm64 implements Arm64Instructions {
  private readonly w: Int32Array;

  constructor(
    private readonly context: Context,
    private readonly broadcasts: BroadcastQueue,
  ) {
    this.w = context.w;
  }

  tlbi(cpu: number, operation: string, lo: number, hi: number): Result {
    const code = tlbiCodes.get(operation);
    if (code === undefined) return undefinedOpcode;
    if ((code & 3) === scopeRange && this.context.lacks.has('TLBIRANGE')) return undefinedOpcode;
    const alone = (code & innerShareable) !== 0 ? null : cpu;
    this.broadcasts.issue(cpu, kindTlbi, code, lo, hi, 0, alone);
    this.context.clock.perform(cpu, tlbiOperation(code));
    return done;
  }

  dsb(cpu: number, kind: string, force = false): Result {
    const { context, broadcasts } = this;
    const stores = kind.endsWith('st');
    const loads = kind.endsWith('ld');
    if (!loads) context.stores.drainAll(cpu);
    if (!stores && !loads) {
      const localOnly = kind === 'nsh';
      if (force) broadcasts.complete(cpu, localOnly);
      if (broadcasts.owes(cpu, localOnly)) return waiting;
      broadcasts.passOnce(cpu, localOnly);
      const at = context.base(cpu) + atStatus;
      this.w[at] = this.w[at]! | statusUnsynchronised;
    }
    context.clock.perform(cpu, 'DSB');
    return done;
  }

  dmb(cpu: number, kind: string): Result {
    if (!kind.endsWith('ld')) this.context.stores.barrier(cpu);
    this.context.clock.unpricedOne(cpu);
    return done;
  }

  isb(cpu: number): Result {
    this.synchronise(cpu);
    this.context.clock.perform(cpu, 'ISB');
    return done;
  }

  writeTtbr(cpu: number, register: 0 | 1, lo: number, hi: number): Result {
    const base = this.context.base(cpu);
    this.w[base + atTtbr + 2 * register] = lo;
    this.w[base + atTtbr + 2 * register + 1] = hi;
    this.w[base + atStatus] = this.w[base + atStatus]! | statusUnsynchronised;
    this.context.clock.unpricedOne(cpu);
    return done;
  }

  ttbrLo(cpu: number, register: 0 | 1): number {
    return this.w[this.context.base(cpu) + atTtbr + 2 * register]!;
  }

  ttbrHi(cpu: number, register: 0 | 1): number {
    return this.w[this.context.base(cpu) + atTtbr + 2 * register + 1]!;
  }

  asid(cpu: number): number {
    return this.context.tag(this.context.base(cpu));
  }

  synchronise(cpu: number): void {
    this.context.synchronise(cpu);
  }

  unsynchronised(cpu: number): boolean {
    return (this.w[this.context.base(cpu) + atStatus]! & statusUnsynchronised) !== 0;
  }

  reset(cpu: number, root0: number, root1: number, asid: number): void {
    const w = this.w;
    const base = this.context.base(cpu);
    [root0, root1].forEach((root, register) => {
      w[base + atTtbr + 2 * register] = root * 0x1000;
      w[base + atTtbr + 2 * register + 1] = Math.floor(root / 0x100000) | (asid << 16);
    });
    this.synchronise(cpu);
    this.context.tlb.dropAll(base, -1, true);
    this.context.paging.dropAll(base, -1);
  }
}
