/**
 * A cheap test whether a piece of text can be about the TLB at all: does any catalogue name stand in it as a whole
 * identifier? Comments and strings are not told apart here, so `true` only means "look closer".
 * One pass, one hash per identifier, no slice unless the hash fits.
 */
import { catalogueSections } from './catalogue/lookup';

/** 1: a letter, `_` or `$`-free identifier start; 2: a digit; 0: anything else. By UTF-16 code below 128. */
const classOf = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if ((character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_')
    classOf[code] = 1;
  else if (character >= '0' && character <= '9') classOf[code] = 2;
}

/** Whether an identifier can begin with this character code. */
export const beginsName = (code: number): boolean => code < 128 && classOf[code] === 1;

/** Whether an identifier can go on with this character code. */
export const continuesName = (code: number): boolean => code < 128 && classOf[code] !== 0;

const buckets = 1 << 16;

/** Register names that matter without being a catalogue name: `%cr3`, `%cr4`. */
const registers = ['cr3', 'cr4'];

interface Filter {
  readonly bits: Uint8Array;
  readonly names: ReadonlySet<string>;
  readonly longest: number;
}

function makeFilter(accept: (tlb: boolean) => boolean): Filter {
  const names = new Set<string>(registers);
  for (const { entries } of catalogueSections())
    for (const entry of entries)
      if (accept(entry.tlb)) for (const name of entry.names) if (!name.includes(' ')) names.add(name);
  const bits = new Uint8Array(buckets);
  let longest = 0;
  for (const name of names) {
    let hash = 0;
    for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
    bits[hash & (buckets - 1)] = 1;
    longest = Math.max(longest, name.length);
  }
  return { bits, names, longest };
}

let tlbFilter: Filter | null = null;
let fullFilter: Filter | null = null;

/**
 * Whether `text` between `from` and `to` holds a name that is about the TLB, or with `all` any name that has a row
 * (atomics and fences too). Linear; several hundred megabytes a second.
 */
export function mentionsCatalogue(text: string, from = 0, to = text.length, all = false): boolean {
  const filter = all ? (fullFilter ??= makeFilter(() => true)) : (tlbFilter ??= makeFilter(tlb => tlb));
  const { bits, names, longest } = filter;
  let at = from;
  while (at < to) {
    let code = text.charCodeAt(at);
    if (code >= 128 || classOf[code] === 0) {
      at++;
      continue;
    }
    const start = at;
    let hash = 0;
    do {
      hash = (Math.imul(hash, 31) + code) | 0;
      code = ++at < to ? text.charCodeAt(at) : 0;
    } while (code < 128 && classOf[code] !== 0);
    if (bits[hash & (buckets - 1)] && at - start <= longest && names.has(text.slice(start, at))) return true;
  }
  return false;
}

/** Whether `name` has a row of its own. */
export function isCatalogueName(name: string): boolean {
  return (fullFilter ??= makeFilter(() => true)).names.has(name);
}
