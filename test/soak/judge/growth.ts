/**
 * Whether a sampled number grows. Memory goes up and down with garbage collection, so a line is fitted to the minima of
 * windows with the Theil–Sen estimator: the median of the slopes between all pairs, which a few outliers do not bend.
 */

export interface Point {
  /** In time, or in requests served. */
  readonly at: number;
  readonly value: number;
}

/** The growth that still counts as none. */
export interface Allowance {
  /** A share of the level for each `per` of the length. */
  readonly share: number;
  readonly per: number;
  /** Added for any length: the variation of a number that does not grow. */
  readonly step: number;
}

/** Enough that two outliers do not bend the line. */
const windowCount = 8;
const pointsMin = 2 * windowCount;

/** @returns null for too few points */
export function judgeGrowth(points: readonly Point[], { share, per, step }: Allowance) {
  const growth = growthOf(points);
  if (growth === null) return null;
  const allowed = step + (share * growth.level * growth.length) / per;
  return { ...growth, allowed, isFlat: growth.grownBy <= allowed };
}

/**
 * @returns the median of the window minima, by how much the line rises from the first point to the last, and the
 * distance between these; null for too few points
 */
export function growthOf(points: readonly Point[]) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < pointsMin) return null;
  const minima = minimaOf(points);
  const slopes = minima.flatMap((one, index) =>
    minima.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  );
  const length = last.at - first.at;
  return { level: median(minima.map(({ value }) => value)), grownBy: median(slopes) * length, length };
}

/** The minimum of each window. The windows differ by at most one point. */
function minimaOf(points: readonly Point[]): Point[] {
  return Array.from({ length: windowCount }, (_, index) => {
    const from = Math.floor((index * points.length) / windowCount);
    const to = Math.floor(((index + 1) * points.length) / windowCount);
    const window = points.slice(from, to);
    const middle = (window[0]!.at + window.at(-1)!.at) / 2;
    return { at: middle, value: Math.min(...window.map(({ value }) => value)) };
  });
}

/** @returns 0 for no values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  if (sorted.length === 0) return 0;
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!;
}
