/** Judges whether the memory of a hub grows with the number of requests, by the rules of the soak. */
import { type Allowance, judgeGrowth } from '#test/soak/judge/growth.ts';

export interface Weight {
  /** Requests sent so far. */
  readonly sent: number;
  /** After a garbage collection. */
  readonly heapMb: number;
  /** Resident memory. */
  readonly rssMb: number;
}

/** For the second half of a run. In the first half, code is compiled and caches fill. */
const allowances = {
  heapMb: { share: 0.05, per: 500_000, step: 8 },
  // SQLite caches up to 16 MB of pages per connection, and the allocator returns memory late.
  rssMb: { share: 0.05, per: 500_000, step: 32 },
} as const satisfies Record<string, Allowance>;

/** `holds` is null after too few measurements. */
export function judgeWeights(weights: readonly Weight[]) {
  const judged = weights.slice(Math.floor(weights.length / 2));
  return (['heapMb', 'rssMb'] as const).map((of) => {
    const points = judged.map((weight) => ({ at: weight.sent, value: weight[of] }));
    const verdict = judgeGrowth(points, allowances[of]);
    const name = of === 'heapMb' ? 'The heap' : 'The resident memory';
    if (verdict === null)
      return { holds: null, said: `${name} was measured too rarely to tell whether it grows.` };
    const { level, grownBy, length, allowed, isFlat } = verdict;
    return {
      holds: isFlat,
      said: `${name} of ${level.toFixed(1)} MB changed by ${grownBy.toFixed(1)} MB in the last ${length} requests; up to ${allowed.toFixed(1)} MB are allowed.`,
    };
  });
}
