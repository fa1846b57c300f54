/** Flags of Xen's `flush_area_…` and `flush_mask`, where the call spells them out. */

const flagWords = /^(?:[\s|()]|\d+|FLUSH_[A-Z_]+|[A-Z][A-Z0-9_]*_ORDER)+$/;
const longest = 200;

/**
 * Whether flags ask for one page, for more, or for a flush at all. `texts`: the arguments of the call as written.
 * Null where they are not spelled out.
 */
export function flagsAskFor(texts: readonly string[], what: 'page' | 'pages' | 'flush'): boolean | null {
  const flags = texts.find(text => text.includes('FLUSH_'));
  if (flags === undefined || flags.length > longest || !flagWords.test(flags)) return null;
  const anything = /\bFLUSH_TLB(?:_GLOBAL)?\b/.test(flags);
  if (what === 'flush') return anything;
  if (!anything) return null;
  const order = /\bFLUSH_ORDER\(\s*(\w+)\s*\)/.exec(flags);
  // Without an order everything is flushed.
  const onePage = order !== null && /^0+$/.test(order[1]!);
  return onePage === (what === 'page');
}
