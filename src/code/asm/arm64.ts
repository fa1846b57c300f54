/** Enough of arm64 to read entry code around TLB maintenance; everything else is kept as unknown. */
import type { Register } from '../ir';
import type { Machine } from './expander';
import type { Frame } from './frame';

export class Arm64Machine implements Machine {
  constructor(private readonly frame: Frame) {}

  instruction(): boolean {
    return false;
  }

  unknown(mnemonic: string, _rest: string, why = 'This instruction is not known to the reader.'): void {
    this.frame.builder.emit({ op: 'unknown', dst: null, name: mnemonic, why });
  }

  argument(): Register | null {
    return null;
  }

  overwritten(): void {
    return;
  }

  registerName(): string | null {
    return null;
  }

  forget(): void {
    return;
  }
}
