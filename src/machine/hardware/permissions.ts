/** What a translation's flags allow. */
import { accessAc, accessExecute, accessUser, accessWrite } from '../hardware';
import {
  cr0Wp,
  cr4Smap,
  cr4Smep,
  entryExecutable,
  entryKernelExecutable,
  entryUser,
  entryWritable,
} from './flags';

/** x86: an access of `kind` under these control registers. */
export function permitsX86(flags: number, kind: number, cr0: number, cr4: number): boolean {
  const user = (kind & accessUser) !== 0;
  if (user && (flags & entryUser) === 0) return false;
  if ((kind & accessWrite) !== 0 && (flags & entryWritable) === 0 && (user || (cr0 & cr0Wp) !== 0))
    return false;
  if ((kind & accessExecute) !== 0) {
    if ((flags & entryExecutable) === 0) return false;
    return user || (cr4 & cr4Smep) === 0 || (flags & entryUser) === 0;
  }
  return user || (cr4 & cr4Smap) === 0 || (flags & entryUser) === 0 || (kind & accessAc) !== 0;
}

/** Arm: an access of `kind` at EL0 or EL1; PAN is not modelled. */
export function permitsArm64(flags: number, kind: number): boolean {
  const user = (kind & accessUser) !== 0;
  if (user && (flags & entryUser) === 0) return false;
  if ((kind & accessWrite) !== 0 && (flags & entryWritable) === 0) return false;
  if ((kind & accessExecute) === 0) return true;
  return (flags & (user ? entryExecutable : entryKernelExecutable)) !== 0;
}
