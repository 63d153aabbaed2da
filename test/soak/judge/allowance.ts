/** What a number may grow by and still count as one that does not. */
import { type Growth, growthOf, type Point } from './growth.ts';

export interface Allowance {
  /** Of its level, for each `per` that it goes on. */
  readonly share: number;
  readonly per: number;
  /** On top, however short it was looked at: what it moves by without growing. */
  readonly step: number;
}

export interface GrowthVerdict extends Growth {
  readonly allowed: number;
  readonly isFlat: boolean;
}

/** Null when there are too few points to tell. */
export function judgeGrowth(points: readonly Point[], { share, per, step }: Allowance): GrowthVerdict | null {
  const growth = growthOf(points);
  if (growth === null) return null;
  const allowed = step + (share * growth.level * growth.length) / per;
  return { ...growth, allowed, isFlat: growth.grownBy <= allowed };
}
