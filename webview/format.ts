/** Numbers as texts, the same everywhere in the page. */

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `12,345`. */
export const number = (value: number): string => grouped.format(value).replace('-', '−');

/** With its sign: `+120`, `−30`, `0`. */
export const signed = (value: number): string => (value > 0 ? `+${number(value)}` : number(value));

/** `1,204`, or `904 to 1,630`. */
export const range = (low: number, high: number): string =>
  number(low) === number(high) ? number(low) : `${number(low)} to ${number(high)}`;

/** `−3,000 to −2,280`. */
export const signedRange = (low: number, high: number): string =>
  number(low) === number(high) ? signed(low) : `${signed(low)} to ${signed(high)}`;

/** `0x7f0000001000` of two halves. */
export const hex = (lo: number, hi: number): string =>
  hi === 0 ? `0x${lo.toString(16)}` : `0x${hi.toString(16)}${lo.toString(16).padStart(8, '0')}`;

/** `3 entries`, `1 entry`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** `n=10, c=3`. */
export const parametersText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
