/** The mean of an agent's runs, with its interval. */
import type { LevelEstimate } from './level-estimate.ts';

export interface RunFigures {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  /** Null for runs without levels. */
  readonly level: LevelEstimate | null;
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
    level: meanLevel(runs.flatMap(({ level }) => level ?? [])),
  };
}

function meanLevel(levels: readonly LevelEstimate[]): LevelEstimate | null {
  if (levels.length === 0) return null;
  return {
    value: mean(levels.map(({ value }) => value)),
    se: spread(levels.map(({ se }) => se)),
    // A value that is a lower bound in one run makes the mean one.
    top: levels.some(({ top }) => top),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The standard error of a mean, from the errors of the values. */
function spread(errors: readonly number[]): number {
  return Math.hypot(...errors) / errors.length;
}
