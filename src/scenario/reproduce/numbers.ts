/** Numbers as tables of accuracy show them. */

/** Four figures, without a trailing fraction of large numbers; – where there is none. */
export function numberIn(value: number | null): string {
  if (value === null) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
  const text = value.toFixed(digits);
  return (digits === 0 ? text : text.replace(/0+$/, '').replace(/\.$/, '')).replace('-', '\u2212');
}

/** A share as a percentage with its sign; – where there is none. */
export function percentIn(share: number | null): string {
  if (share === null) return '–';
  const text = (100 * Math.abs(share)).toFixed(1);
  return `${text === '0.0' ? '' : share < 0 ? '\u2212' : '+'}${text} %`;
}
