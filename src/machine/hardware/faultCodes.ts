/** Codes of faults: #PF's error code of x86 (SDM volume 3A, 4.7), FSC and WnR of Arm. */
import { accessExecute, accessUser, accessWrite } from '../hardware';
import {
  errorFetch,
  errorPresent,
  errorReserved,
  errorUser,
  errorWrite,
  statusAccessFlag,
  statusPermission,
  statusTranslation,
  statusWrite,
} from './flags';

/** What #PF's error code says of the access itself. */
const errorOf = (kind: number): number =>
  ((kind & accessWrite) !== 0 ? errorWrite : 0) |
  ((kind & accessUser) !== 0 ? errorUser : 0) |
  ((kind & accessExecute) !== 0 ? errorFetch : 0);

/** `level` in ours; Arm counts from the other end. */
const statusOf = (status: number, level: number, kind: number): number =>
  (status + (4 - level)) | ((kind & accessWrite) !== 0 ? statusWrite : 0);

export const forbiddenCode = (arm: boolean, level: number, kind: number): number =>
  arm ? statusOf(statusPermission, level, kind) : errorOf(kind) | errorPresent;

export const absentCode = (arm: boolean, level: number, kind: number, reserved: boolean): number =>
  arm
    ? statusOf(statusTranslation, level, kind)
    : errorOf(kind) | (reserved ? errorPresent | errorReserved : 0);

export const accessFlagCode = (level: number, kind: number): number =>
  statusOf(statusAccessFlag, level, kind);
