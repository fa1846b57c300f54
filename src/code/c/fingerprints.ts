/** Texts as short keys: what a function's lowering depends on, by content and not by place. */
import { TextHash } from '../textHash';
import type { Macro } from './conditionals';
import type { PreparedUnit } from './prepare';
import { unnamedFragment, type Chunk } from './slice';
import type { Token } from './tokens';

/** A token with its place relative to `line` and to the source token `source`. */
function addToken(hash: TextHash, token: Token, line: number, source: number): void {
  hash.add(token.text);
  hash.number(
    (token.kind.charCodeAt(0) << 3) |
      (token.kind.charCodeAt(1) << 10) |
      (token.space ? 1 : 0) |
      (token.painted ? 2 : 0),
  );
  hash.number(token.line - line);
  hash.number(token.from < 0 ? -1 : token.from - source);
  hash.number(token.to < 0 ? -1 : token.to - source);
  if (token.written !== undefined) hash.add(token.written);
}

const chunkKeys = new WeakMap<Chunk, string>();

/** A chunk's own text, wherever it stands. */
export function chunkKey(chunk: Chunk): string {
  const known = chunkKeys.get(chunk);
  if (known !== undefined) return known;
  const { firstLine, tokens } = chunk;
  let [first, last] = [Infinity, -1];
  for (const { from, to } of tokens) {
    if (from < 0) continue;
    if (from < first) first = from;
    if (to > last) last = to;
  }
  const hash = new TextHash();
  hash.add(chunk.name);
  hash.add(chunk.perCpu.join());
  hash.number(flagsOf(chunk));
  hash.number(chunk.lastLine - firstLine);
  hash.number(chunk.nameAt);
  for (const gap of chunk.gaps) hash.number(gap - firstLine);
  for (const token of tokens) addToken(hash, token, firstLine, first);
  // What is quoted is the source, of which some tokens may have been rewritten or left out.
  if (last >= 0) for (const token of chunk.unit.source.slice(first, last + 1)) hash.add(token.text);
  const { key } = hash;
  chunkKeys.set(chunk, key);
  return key;
}

const flagsOf = ({ kind, partial, repaired, weak }: Chunk): number =>
  (kind === 'function' ? 1 : 0) | (partial ? 2 : 0) | (repaired ? 4 : 0) | (weak ? 8 : 0);

function addMacro(hash: TextHash, macro: Macro | null): void {
  if (!macro) return hash.number(-2);
  hash.add(macro.parameters?.join() ?? '-');
  hash.add(macro.variadic ?? '-');
  hash.number((macro.cut ? 1 : 0) | (macro.weak ? 2 : 0));
  for (const token of macro.body) {
    hash.add(token.text);
    hash.number(token.space ? 1 : 0);
  }
}

const surroundings = new WeakMap<PreparedUnit, string>();

/** All of a unit but the bodies of its functions: macros, declarations, heads, in their order. */
export function surroundingsKey(unit: PreparedUnit, chunks: readonly Chunk[]): string {
  const known = surroundings.get(unit);
  if (known !== undefined) return known;
  const hash = new TextHash();
  hash.add(unit.unit.path);
  hash.add(unit.unit.side);
  for (const chunk of chunks) {
    if (chunk.kind === 'declaration') {
      hash.add(chunkKey(chunk));
      continue;
    }
    hash.number(flagsOf(chunk));
    // The made-up name of a fragment says where it stands.
    if (chunk.name.startsWith(unnamedFragment)) continue;
    hash.add(chunk.name);
    for (const { text } of chunk.tokens) {
      if (text === '{') break;
      hash.add(text);
    }
  }
  const starts = chunks.map(({ firstLine }) => firstLine).sort((a, b) => a - b);
  for (const [name, events] of unit.events) {
    hash.add(name);
    for (const { line, macro } of events) {
      hash.number(countUpTo(starts, line));
      addMacro(hash, macro);
    }
  }
  const { key } = hash;
  surroundings.set(unit, key);
  return key;
}

/** How many of `sorted` are at most `line`. */
function countUpTo(sorted: readonly number[], line: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
