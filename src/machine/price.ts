/** Makes the price of an operation on a machine from the profile's published figures. */
import type { Figure, FigureKind, MachineProfile, PublishedFigure } from './profile';
import { findOperation, type Operation, type Recipe } from './operations';

/** A figure whose cycles and range are known. */
export interface PricedFigure extends Figure {
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
}

/** Why there is no price. */
export interface NoPrice {
  readonly unknown: string;
}

/** A published figure in cycles, before it is made into a price. */
interface Part {
  readonly id: string;
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
  readonly converted: string | null;
  readonly figure: PublishedFigure;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Cycles of a figure in cycles, ns or µs; null for a figure that has none (a ratio, or a thing that does not exist). */
function inCycles(id: string, figure: PublishedFigure, profile: MachineProfile): Part | null {
  const { value, low, high, unit } = figure;
  if (value === null || low === null || high === null || unit === 'ratio') return null;
  if (unit === 'cycles') return { id, cycles: value, low, high, converted: null, figure };
  const ghz = profile.clock.assumedCoreGhz;
  const factor = unit === 'us' ? ghz * 1000 : ghz;
  const converted = `${value} ${unit} (${low} to ${high}) at an assumed ${ghz} GHz`;
  return {
    id,
    cycles: round(value * factor),
    low: round(low * factor),
    high: round(high * factor),
    converted,
    figure,
  };
}

const rank: Readonly<Record<FigureKind, number>> = { vendor: 0, measured: 1, derived: 2, estimated: 3 };

/** Arithmetic on figures is at best derived, and an estimate as soon as one part is. */
function kindOf(parts: readonly Part[]): FigureKind {
  const kinds = parts.map(part => part.figure.kind);
  const weakest = kinds.reduce((a, b) => (rank[b] > rank[a] ? b : a));
  return parts.length > 1 && rank[weakest] < rank.derived ? 'derived' : weakest;
}

function join(
  parts: readonly Part[],
  totals: Pick<Part, 'cycles' | 'low' | 'high'>,
  note: string | undefined,
  lastIsLess = false,
) {
  const conversions = parts.flatMap(part => part.converted ?? []);
  const priced: PricedFigure = {
    cycles: round(totals.cycles),
    low: round(totals.low),
    high: round(totals.high),
    kind: kindOf(parts),
    source: [...new Set(parts.flatMap(part => part.figure.sources))],
    note: [note ?? '', ...parts.map(part => part.figure.note)].filter(Boolean).join(' '),
    converted: conversions.length ? conversions.join('; ') : null,
    holdout: parts.some(part => part.figure.holdout),
    parts: parts.map(({ id, low, high, figure: { kind } }, at) => ({
      ...{ id, low, high, kind, factor: lastIsLess && at === parts.length - 1 ? -1 : 1 },
    })),
  };
  return priced;
}

/** Why `profile` has no usable figure `id`. */
function missing(id: string, operation: Operation, profile: MachineProfile): NoPrice {
  const figure = profile.figures[id];
  if (figure?.wrong !== undefined)
    return { unknown: `the figure ${id} of ${profile.shortName} cannot be used: ${figure.wrong}` };
  if (figure && figure.value === null)
    return { unknown: `${profile.shortName} does not have ${operation.name}. ${figure.note}`.trim() };
  return { unknown: `no figure for ${operation.name} on ${profile.shortName} is known` };
}

function follow(recipe: Recipe, operation: Operation, profile: MachineProfile): PricedFigure | NoPrice {
  if ('unknown' in recipe) return { unknown: recipe.unknown };
  const partOf = (id: string): Part | null => {
    const figure = profile.figures[id];
    return figure ? inCycles(id, figure, profile) : null;
  };
  if ('sum' in recipe) {
    const parts: Part[] = [];
    for (const id of recipe.sum) {
      const part = partOf(id);
      if (!part) return missing(id, operation, profile);
      parts.push(part);
    }
    const total = (of: 'cycles' | 'low' | 'high') => parts.reduce((sum, part) => sum + part[of], 0);
    return join(parts, { cycles: total('cycles'), low: total('low'), high: total('high') }, recipe.note);
  }
  const whole = recipe.oneOf.map(partOf).find(part => part !== null);
  const less = partOf(recipe.less);
  if (!whole) return missing(recipe.oneOf[0]!, operation, profile);
  if (!less) return missing(recipe.less, operation, profile);
  const totals = {
    cycles: Math.max(0, whole.cycles - less.cycles),
    low: Math.max(0, whole.low - less.high),
    high: Math.max(0, whole.high - less.low),
  };
  return join([whole, less], totals, recipe.note, true);
}

/**
 * What one `operation` costs on `profile`, in cycles with a range, or why that is not known.
 * A feature that the machine lacks and an operation of another architecture have no price there.
 */
export function priceOf(profile: MachineProfile, operation: string): PricedFigure | NoPrice {
  const known = findOperation(operation);
  if (!known) return { unknown: `${operation} is not an operation that has a price` };
  if (known.architecture !== 'both' && known.architecture !== profile.architecture)
    return {
      unknown: `${operation} is an operation of ${known.architecture}; ${profile.shortName} is ${profile.architecture}`,
    };
  if (known.feature !== null && profile.lacks.includes(known.feature))
    return { unknown: `${profile.shortName} lacks ${known.feature}` };
  return follow(known.recipe, known, profile);
}

/** As {@link priceOf}, with an unknown price as a figure without cycles whose note says why. */
export function figureOf(profile: MachineProfile, operation: string): Figure {
  const price = priceOf(profile, operation);
  if (!('unknown' in price)) return price;
  return {
    cycles: null,
    low: null,
    high: null,
    kind: 'estimated',
    source: [],
    note: price.unknown,
    converted: null,
    holdout: false,
  };
}

/** Any published figure of the profile in cycles (page walk, entry, …), or why it is not known. */
export function cyclesOf(profile: MachineProfile, figureId: string): PricedFigure | NoPrice {
  const figure = profile.figures[figureId];
  const part = figure ? inCycles(figureId, figure, profile) : null;
  if (figure?.wrong !== undefined)
    return { unknown: `the figure ${figureId} of ${profile.shortName} cannot be used: ${figure.wrong}` };
  if (!part) return { unknown: `${profile.shortName} has no figure ${figureId} in time or cycles` };
  return join([part], part, undefined);
}
