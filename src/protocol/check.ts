/** Small checks of data that came in a message. A check returns whether the value has the shape; it never throws. */

export type Check = (value: unknown) => boolean;

export const isText: Check = value => typeof value === 'string';
export const isFlag: Check = value => typeof value === 'boolean';
/** A whole number from 0 to 2^53. */
export const isCount: Check = value => Number.isSafeInteger(value) && (value as number) >= 0;

/** A finite number. */
export const isNumber: Check = value => Number.isFinite(value);
/** The number of an event, or −1 for the start. */
export const isSequence: Check = value => value === -1 || isCount(value);

export const isOneOf =
  (...values: readonly unknown[]): Check =>
  value =>
    values.includes(value);

export const orNull =
  (check: Check): Check =>
  value =>
    value === null || check(value);

export const listOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check);

export const mapOf =
  (check: Check): Check =>
  value =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(check);

/** Every named member has its shape; members that are not named may be there. */
export const shape = (members: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(members);
  return value =>
    typeof value === 'object' &&
    value !== null &&
    checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
};
