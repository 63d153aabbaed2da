/**
 * Compares two runs of the same items, item by item. Differences between items cancel out, so a much smaller change is
 * found than between runs of different items.
 */
import { twoSidedP } from './ladder/compare-abilities.ts';
import { roundToTenth } from './round-to-tenth.ts';

/** The shares of an item in both runs, from 0 to 1. */
export interface SharePair {
  readonly before: number;
  readonly after: number;
}

export interface PairedChange {
  /** Items that both runs have. */
  readonly items: number;
  /** The mean share of points of the items, 0 to 100. */
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** 95% interval of the change. */
  readonly interval: { readonly low: number; readonly high: number };
  /** Two-sided p-value of a permutation test that exchanges the runs within each item. */
  readonly p: number;
  /** Whether the change is unlikely to be chance. */
  readonly clear: boolean;
  /** The smallest change that runs like these detect four times in five. */
  readonly detectable: number;
}

/** With as many changed items, there are 4,096 arrangements. */
const exactItemsMax = 12;
/** Equal sums may differ by rounding. */
const tolerance = 1e-9;
const z = 1.96;
/** The normal quantile of a power of 0.8. */
const zOfPower = 0.8416;

/** @returns null if no item is in both runs */
export function comparePairs(pairs: readonly SharePair[]): PairedChange | null {
  const items = pairs.length;
  if (items === 0) return null;
  const differences = pairs.map(({ before, after }) => after - before);
  const mean = meanOf(differences);
  const squares = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const error = items === 1 ? 1 : Math.sqrt(squares / (items - 1) / items);
  const p = pOfNoChange(differences);
  return {
    items,
    before: points(meanOf(pairs.map((pair) => pair.before))),
    after: points(meanOf(pairs.map((pair) => pair.after))),
    change: points(mean),
    interval: { low: points(mean - z * error), high: points(mean + z * error) },
    p: Number(p.toPrecision(3)),
    clear: p < 0.05,
    detectable: points((z + zOfPower) * error),
  };
}

/**
 * If the runs are alike, every difference may as well have the other sign. All arrangements are counted for few changed
 * items; for more, their sum is normal with the variance of the squares.
 */
function pOfNoChange(differences: readonly number[]): number {
  const changed = differences.filter((one) => one !== 0);
  const observed = Math.abs(changed.reduce((sum, one) => sum + one, 0));
  if (changed.length > exactItemsMax) {
    return twoSidedP(observed / Math.sqrt(changed.reduce((sum, one) => sum + one ** 2, 0)));
  }
  const arrangements = 2 ** changed.length;
  let asExtreme = 0;
  for (let signs = 0; signs < arrangements; signs += 1) {
    const sum = changed.reduce(
      (total, one, place) => total + (Math.floor(signs / 2 ** place) % 2 === 0 ? one : -one),
      0,
    );
    if (Math.abs(sum) >= observed - tolerance) asExtreme += 1;
  }
  return asExtreme / arrangements;
}

function points(share: number): number {
  return roundToTenth(100 * share);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
