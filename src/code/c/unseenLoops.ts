/** Whether a block whose head is not shown is the body of a loop. */
import type { Token } from './tokens';

const steps = new Set(['+=', '-=', '=']);
const strideName = /SIZE|SHIFT|stride|shift|_size$/;

/** How far a statement may reach, in tokens. */
const longest = 40;

/**
 * Whether a statement of the block itself (between the tokens, outside inner blocks) moves a variable by a page or a
 * stride: `addr += PAGE_SIZE`, `addr = addr + (1UL << shift)`.
 */
export function stepsInside(tokens: readonly Token[], from: number, to: number): boolean {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const { text } = tokens[at]!;
    if (text === '{' || text === '(') depth++;
    else if (text === '}' || text === ')') depth--;
    else if (depth === 0 && steps.has(text) && isStep(tokens, at, to)) return true;
  }
  return false;
}

/** Whether the assignment at `at` adds a stride to what it assigns to. */
function isStep(tokens: readonly Token[], at: number, to: number): boolean {
  const target = tokens[at - 1]?.text ?? '';
  let named = false;
  let same = tokens[at]!.text !== '=';
  for (let index = at + 1; index < Math.min(to, at + longest); index++) {
    const { text } = tokens[index]!;
    if (text === ';') return named && same;
    if (text === target && ['+', '-'].includes(tokens[index + 1]?.text ?? '')) same = true;
    if (strideName.test(text)) named = true;
  }
  return false;
}
