/** What a run took, so that two agents with the same score can be told apart. */
import type { TokenUsage } from './suite/token-usage.ts';

/** What agents did in the items of a run with tools. */
export interface RunEffort {
  readonly calls: number;
  /** Items that passed. */
  readonly passed: number;
}

export interface RunCost {
  /** Null if no tokens were reported. */
  readonly score_per_1000_tokens: number | null;
  /** Of tools; null if items have none. */
  readonly calls: number | null;
  /** Null if no item passed, or without tools. */
  readonly calls_per_passed_task: number | null;
  /** Of the items, with all their turns or calls; null if none has a reply. */
  readonly latency: { readonly p50_ms: number; readonly p90_ms: number } | null;
}

export function costOf(
  score: number,
  usage: TokenUsage | null,
  effort: RunEffort | null,
  latency: RunCost['latency'],
): RunCost {
  const tokens = usage === null ? 0 : usage.input_tokens + usage.output_tokens;
  return {
    score_per_1000_tokens: tokens === 0 ? null : roundTo(3, (1_000 * score) / tokens),
    calls: effort?.calls ?? null,
    calls_per_passed_task:
      effort === null || effort.passed === 0 ? null : roundTo(1, effort.calls / effort.passed),
    latency: latency === null ? null : { p50_ms: latency.p50_ms, p90_ms: latency.p90_ms },
  };
}

function roundTo(digits: number, value: number): number {
  return Number(value.toFixed(digits));
}
