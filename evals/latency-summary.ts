import type { StoredTrial } from './own-suite/stored-trial.ts';

export interface LatencySummary {
  p50_ms: number;
  p90_ms: number;
  max_ms: number;
}

/**
 * Latencies by nearest rank over the replies; null if there is none. A trial without a reply has no latency: a timeout
 * measures our limit, not the target.
 */
export function latencySummary(trials: readonly Pick<StoredTrial, 'latency_ms'>[]): LatencySummary | null {
  const latencies = trials
    .flatMap(({ latency_ms: latency }) => latency ?? [])
    .toSorted((left, right) => left - right);
  const max = latencies.at(-1);
  if (max === undefined) return null;
  const rank = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? max;
  return { p50_ms: Math.round(rank(0.5)), p90_ms: Math.round(rank(0.9)), max_ms: Math.round(max) };
}
