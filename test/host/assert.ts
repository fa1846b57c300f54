/** Assertions that work in the browser's extension host too, where `node:assert` is not. */

export function ok(value: unknown, message: string): asserts value {
  if (!value) throw new Error(message);
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  ok(a === b, `${what}: expected ${b}, got ${a}`);
}

export const matches = (text: string | undefined, pattern: RegExp, what: string): void =>
  ok(
    text !== undefined && pattern.test(text),
    `${what}: ${JSON.stringify(text)} does not match ${String(pattern)}`,
  );
