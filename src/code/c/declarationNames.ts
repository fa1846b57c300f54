/** Names that a file-level declaration may declare, from its tokens alone. */
import type { Chunk } from './slice';

const follows = new Set([';', ',', '=', '[', '(', ')', ':']);

/** Too many names are harmless (they only make the declaration be read); a missing one is not. */
export function declarationNames(chunk: Chunk): Set<string> {
  const names = new Set<string>(chunk.perCpu);
  let depth = 0;
  let enumDepth = -1;
  const { tokens } = chunk;
  tokens.forEach((token, at) => {
    const { text, kind } = token;
    const next = tokens[at + 1]?.text;
    const before = tokens[at - 1]?.text;
    if (text === '{') {
      depth++;
      const words = [tokens[at - 1]?.text, tokens[at - 2]?.text];
      if (words.includes('enum')) enumDepth = depth;
    } else if (text === '}') {
      if (depth === enumDepth) enumDepth = -1;
      depth--;
    } else if (kind !== 'name') return;
    else if (next === '{' && (before === 'struct' || before === 'union' || before === 'enum'))
      names.add(text);
    else if (depth === enumDepth && (before === '{' || before === ',')) names.add(text);
    else if (depth === 0 && next !== undefined && follows.has(next)) names.add(text);
  });
  return names;
}
