/** What runs of an agent come to: their mean score with its interval, and what they took. */
import { roundRate } from './rates.ts';
import type { TokenUsage } from './token-usage.ts';

export interface RunFigures {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
}

/**
 * The intervals of independent runs combine like standard errors, each side separately, because both are bounded.
 * @param runs at least one
 */
export function meanOfRuns(runs: readonly RunFigures[]): RunFigures {
  const score = mean(runs.map((run) => run.score));
  return {
    score,
    interval: {
      low: score - spread(runs.map((run) => run.score - run.interval.low)),
      high: score + spread(runs.map((run) => run.interval.high - run.score)),
    },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The standard error of a mean, from the errors of the values. */
function spread(errors: readonly number[]): number {
  return Math.hypot(...errors) / errors.length;
}

/** What agents did in the items of a run with tools. */
export interface RunEffort {
  readonly calls: number;
  /** Items that passed. */
  readonly passed: number;
}

export interface RunCost {
  /** Null unless every reply reported its tokens. */
  readonly score_per_1000_tokens: number | null;
  /** Of a run; null as above. */
  readonly tokens: number | null;
  /** Of tools; null if items have none. */
  readonly calls: number | null;
  /** Null if no item passed, or without tools. */
  readonly calls_per_passed_task: number | null;
  /** Of the items, with all their turns or calls; null if none has a reply. */
  readonly latency: { readonly p50_ms: number; readonly p90_ms: number } | null;
}

/** What one of the runs took. */
export interface RunTaken {
  readonly score: number;
  readonly usage: TokenUsage | null;
  readonly effort: RunEffort | null;
  readonly latency: RunCost['latency'];
}

/**
 * What the score of a run, or the mean of several, took: figures that some of the runs do not have are null, because the others would stand for all.
 * @param runs at least one
 */
export function costOfRuns(runs: readonly RunTaken[]): RunCost {
  const tokens = sumOfAll(runs, ({ usage }) =>
    usage === null || usage.partial === true ? null : usage.input_tokens + usage.output_tokens,
  );
  const calls = sumOfAll(runs, ({ effort }) => effort?.calls ?? null);
  const passed = sumOfAll(runs, ({ effort }) => effort?.passed ?? null);
  const score = runs.reduce((sum, run) => sum + run.score, 0);
  const middle = sumOfAll(runs, ({ latency }) => latency?.p50_ms ?? null);
  const late = sumOfAll(runs, ({ latency }) => latency?.p90_ms ?? null);
  return {
    score_per_1000_tokens:
      tokens === null || tokens === 0 ? null : roundRate((1_000 * score) / tokens, 3, Infinity),
    tokens: tokens === null ? null : tokens / runs.length,
    calls: calls === null ? null : Math.round(calls / runs.length),
    calls_per_passed_task:
      calls === null || passed === null || passed === 0 ? null : Number((calls / passed).toFixed(1)),
    latency:
      middle === null || late === null
        ? null
        : { p50_ms: Math.round(middle / runs.length), p90_ms: Math.round(late / runs.length) },
  };
}

/** Null if one of the runs has no such figure. */
function sumOfAll(runs: readonly RunTaken[], figureOf: (run: RunTaken) => number | null): number | null {
  let sum = 0;
  for (const run of runs) {
    const figure = figureOf(run);
    if (figure === null) return null;
    sum += figure;
  }
  return sum;
}
