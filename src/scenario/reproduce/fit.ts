/** Lines through published figures. */

export interface Point {
  readonly x: number;
  readonly y: number;
  /** 1 where not given. */
  readonly weight?: number;
}

/** `intercept + slope · x`. A line through two points has no scatter, so its bands are 0. */
export interface Line {
  readonly intercept: number;
  readonly slope: number;
  /** Two standard errors of the slope. */
  readonly slopeBand: number;
  /** Half the width of the 95 % band of the line's mean at `x`, as two standard errors. */
  halfBand(x: number): number;
}

/** Weighted least squares. At least two different x. */
export function fitLine(points: readonly Point[]): Line {
  let [sum, sumX, sumY] = [0, 0, 0];
  for (const { x, y, weight = 1 } of points) {
    sum += weight;
    sumX += weight * x;
    sumY += weight * y;
  }
  const [meanX, meanY] = [sumX / sum, sumY / sum];
  let [xx, xy] = [0, 0];
  for (const { x, y, weight = 1 } of points) {
    xx += weight * (x - meanX) ** 2;
    xy += weight * (x - meanX) * (y - meanY);
  }
  if (!(xx > 0)) throw new Error('a line needs two different places');
  const slope = xy / xx;
  const intercept = meanY - slope * meanX;
  const rest = points.reduce(
    (all, { x, y, weight = 1 }) => all + weight * (y - intercept - slope * x) ** 2,
    0,
  );
  // The weights say how much a point counts, not how exact it is: the scatter gives the scale.
  const variance = points.length > 2 ? rest / sum / ((points.length - 2) / points.length) : 0;
  const spread = xx / sum;
  return {
    intercept,
    slope,
    slopeBand: 2 * Math.sqrt(variance / points.length / spread),
    halfBand: x => 2 * Math.sqrt((variance / points.length) * (1 + (x - meanX) ** 2 / spread)),
  };
}
