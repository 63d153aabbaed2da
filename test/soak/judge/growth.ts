/**
 * Whether a number that is looked at again and again grows. What a process holds goes up and down with its garbage, so
 * that a line is laid through the lowest values of windows, by Theil and Sen: the median of the slopes between all pairs
 * of them, which a few odd windows do not bend.
 */

export interface Point {
  /** How far on: in time, or in whatever goes on meanwhile. */
  readonly at: number;
  readonly value: number;
}

export interface Growth {
  /** The median of the lowest values of the windows. */
  readonly level: number;
  /** By how much the line rises from the first point to the last. */
  readonly grownBy: number;
  /** From the first point to the last. */
  readonly length: number;
}

/** Enough for a line that two odd windows do not bend. */
const windowCount = 8;
/** Fewer points make no line. */
const pointsMin = 2 * windowCount;

/** Null when there are too few points to tell. */
export function growthOf(points: readonly Point[]): Growth | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < pointsMin) return null;
  const floors = floorsOf(points);
  const slopes = floors.flatMap((one, index) =>
    floors.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  );
  const length = last.at - first.at;
  return { level: median(floors.map(({ value }) => value)), grownBy: median(slopes) * length, length };
}

/** The lowest of each window, all windows with the same number of points but for one. */
function floorsOf(points: readonly Point[]): Point[] {
  return Array.from({ length: windowCount }, (_, index) => {
    const from = Math.floor((index * points.length) / windowCount);
    const to = Math.floor(((index + 1) * points.length) / windowCount);
    const window = points.slice(from, to);
    const middle = (window[0]!.at + window.at(-1)!.at) / 2;
    return { at: middle, value: Math.min(...window.map(({ value }) => value)) };
  });
}

/** 0 of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  if (sorted.length === 0) return 0;
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!;
}
