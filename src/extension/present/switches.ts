/** The annotations that can be turned off, each by the setting `tlbscope.show.<key>`. */
export const switches = {
  inlayHints: 'Hints at the ends of lines',
  codeLens: 'Verdict above each hunk',
  hover: 'Explanation on hover',
  overviewRuler: 'Marks in the overview ruler',
  problems: 'Damage of the patch in Problems',
} as const;

export type Switch = keyof typeof switches;

export const switchNames = Object.keys(switches) as readonly Switch[];

export const isSwitch = (value: unknown): value is Switch =>
  typeof value === 'string' && Object.hasOwn(switches, value);
