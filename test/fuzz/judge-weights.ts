/** Whether the memory of a hub grows with the number of requests that it has answered, by the rules of the soak. */
import { type Allowance, judgeGrowth } from '#test/soak/judge/growth.ts';

export interface Weight {
  /** Requests answered so far. */
  readonly sent: number;
  /** What the hub's process holds on to, with all garbage gone. */
  readonly heapMb: number;
  /** What the machine has given to it. */
  readonly rssMb: number;
}

export interface MemoryVerdict {
  /** Null where it was weighed too seldom to tell. */
  readonly holds: boolean | null;
  readonly said: string;
}

/** In the second half of a run; in the first code is compiled and caches are filled. */
const allowances = {
  heapMb: { share: 0.05, per: 500_000, step: 8 },
  // SQLite keeps up to 16 MB of pages for each of its connections, and the allocator gives memory back late.
  rssMb: { share: 0.05, per: 500_000, step: 32 },
} as const satisfies Record<string, Allowance>;

export function judgeWeights(weights: readonly Weight[]): MemoryVerdict[] {
  const judged = weights.slice(Math.floor(weights.length / 2));
  return (['heapMb', 'rssMb'] as const).map((of) => {
    const points = judged.map((weight) => ({ at: weight.sent, value: weight[of] }));
    const verdict = judgeGrowth(points, allowances[of]);
    const name = of === 'heapMb' ? 'The heap' : 'The resident memory';
    if (verdict === null)
      return { holds: null, said: `${name} was weighed too seldom to tell whether it grows.` };
    const { level, grownBy, length, allowed, isFlat } = verdict;
    return {
      holds: isFlat,
      said: `${name} of ${level.toFixed(1)} MB changes by ${grownBy.toFixed(1)} MB in the last ${length} requests; it may grow by ${allowed.toFixed(1)} MB.`,
    };
  });
}
