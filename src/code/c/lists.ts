/** Appends to a list. A spread call would put every item on the stack, and fragments of patches can be long. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
