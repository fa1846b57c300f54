/** The time axis: which cycles lie at which pixel. Pure arithmetic. */

export interface TimeScale {
  /** Cycles at the left edge, and behind the right one. */
  readonly from: number;
  readonly to: number;
  /** Pixels. */
  readonly left: number;
  readonly width: number;
}

/** Cycles that the narrowest view shows. */
const narrowest = 10;

export const toX = ({ from, to, left, width }: TimeScale, time: number): number =>
  left + ((time - from) / (to - from)) * width;

export const toTime = ({ from, to, left, width }: TimeScale, x: number): number =>
  from + ((x - left) / width) * (to - from);

/** Bounds of the whole run. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** Keeps the view inside the run, and its width at least a few cycles. */
function within(from: number, length: number, { start, end }: Bounds): { from: number; to: number } {
  const size = Math.min(Math.max(length, narrowest), Math.max(end - start, narrowest));
  const first = Math.min(Math.max(from, start), Math.max(start, end - size));
  return { from: first, to: first + size };
}

/** `factor` less than 1: closer. `time` stays where it is. */
export function zoom(scale: TimeScale, factor: number, time: number, bounds: Bounds): TimeScale {
  const length = (scale.to - scale.from) * factor;
  const size = Math.min(Math.max(length, narrowest), Math.max(bounds.end - bounds.start, narrowest));
  const share = (time - scale.from) / (scale.to - scale.from);
  return { ...scale, ...within(time - share * size, size, bounds) };
}

export const pan = (scale: TimeScale, cycles: number, bounds: Bounds): TimeScale => ({
  ...scale,
  ...within(scale.from + cycles, scale.to - scale.from, bounds),
});

export const fit = (scale: TimeScale, bounds: Bounds): TimeScale => ({
  ...scale,
  ...within(bounds.start, bounds.end - bounds.start, bounds),
});

/** Moves the view so that `time` is in it, with some room around. */
export function reveal(scale: TimeScale, time: number, bounds: Bounds): TimeScale {
  const length = scale.to - scale.from;
  const room = length * 0.1;
  if (time >= scale.from && time <= scale.to) return scale;
  return { ...scale, ...within(time < scale.from ? time - room : time - length + room, length, bounds) };
}

/** Round times for the axis, at least `gap` pixels apart. */
export function ticks(scale: TimeScale, gap = 80): number[] {
  const length = scale.to - scale.from;
  const wanted = (length * gap) / Math.max(scale.width, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
  const step = Math.max(1, [1, 2, 5, 10].map(one => one * power).find(one => one >= wanted) ?? 10 * power);
  const found: number[] = [];
  for (let time = Math.ceil(scale.from / step) * step; time <= scale.to; time += step) found.push(time);
  return found;
}
