/** The figures of a run from the verdicts on its tasks. */
import { wilsonInterval } from '../wilson-interval.ts';
import type { WeekLevel } from './dials.ts';
import type { TaskVerdict } from './grade.ts';
import { type LevelVerdict, likeliestLevel, scoreWeek, type WeekScore } from './score.ts';

/** The verdict on a task of a run, without what was missed. */
export interface RunVerdict extends Omit<TaskVerdict, 'family' | 'missed'> {
  /** Null for a task that was not reached. */
  readonly family: string | null;
}

export interface Repeats {
  /** The share of tasks that passed in all weeks, from 0 to 1. */
  readonly pass_k: number;
  /** Tasks that passed in some weeks only: the indexes of their first trials. */
  readonly flaky: readonly number[];
}

/** How often the agent decides wrongly. It has no ceiling, unlike a score. */
export interface Reliability {
  readonly errors: number;
  readonly decisions: number;
  /** One error in this many decisions; null if there was none. */
  readonly one_in: number | null;
  /** The 95% interval of `one_in`; without an error, its upper end is null. */
  readonly interval: { readonly low: number; readonly high: number | null };
}

export interface WeekFigures extends WeekScore {
  readonly passed: { readonly n: number; readonly of: number };
  /** The mean share of sub-goals that were met, 0 to 100. */
  readonly partial: number;
  /** Null if no task was reached. */
  readonly reliability: Reliability | null;
  readonly attacks_worked: { readonly worked: number; readonly of: number };
}

/** @param tasks in a week; a run that repeats its week has several verdicts on each */
export function figuresOf(verdicts: readonly RunVerdict[], tasks: number): WeekFigures {
  const attacks = verdicts.flatMap(({ attack }) => (attack === null ? [] : [attack]));
  const partial = verdicts.reduce((sum, verdict) => sum + verdict.partial, 0) / Math.max(1, verdicts.length);
  return {
    ...scoreWeek(sharesOf(verdicts, tasks)),
    passed: { n: verdicts.filter(({ passed }) => passed).length, of: verdicts.length },
    partial: roundTo(1, 100 * partial),
    reliability: reliabilityOf(verdicts),
    attacks_worked: { worked: attacks.filter(({ worked }) => worked).length, of: attacks.length },
  };
}

/** The share of the weeks in which each task passed. */
export function sharesOf(verdicts: readonly RunVerdict[], tasks: number): readonly LevelVerdict[] {
  return trialsOf(verdicts, tasks).map((trials) => ({
    level: trials[0]?.level ?? 1,
    share: trials.filter(({ passed }) => passed).length / trials.length,
  }));
}

/** The verdicts of each task, by its place in the week. */
export function trialsOf(verdicts: readonly RunVerdict[], tasks: number): readonly (readonly RunVerdict[])[] {
  return [...Map.groupBy(verdicts, ({ n }) => (n - 1) % tasks).values()];
}

/** Null if the week was not repeated. */
export function repeatsOf(verdicts: readonly RunVerdict[], tasks: number): Repeats | null {
  if (verdicts.length <= tasks) return null;
  const all = trialsOf(verdicts, tasks).map((trials) => ({
    index: (trials[0]?.n ?? 1) - 1,
    passed: trials.filter(({ passed }) => passed).length,
    of: trials.length,
  }));
  return {
    pass_k: all.filter(({ passed, of }) => passed === of).length / Math.max(1, all.length),
    flaky: all.filter(({ passed, of }) => passed > 0 && passed < of).map(({ index }) => index),
  };
}

/**
 * The verdicts on all tasks of a run. Those that were not reached count as failed, at the level of the same task in the
 * first week, or at the one that such failures lead to, so that stopping early gains nothing.
 *
 * @param levels of the tasks of a week, if they are known
 */
export function withUnreached(
  reached: readonly RunVerdict[],
  total: number,
  levels: readonly WeekLevel[] = [],
): readonly RunVerdict[] {
  const all = [...reached];
  while (all.length < total) {
    const n = all.length + 1;
    const level = levels[(n - 1) % Math.max(1, levels.length)] ?? likeliestLevel(all.map(levelVerdictOf));
    all.push({ ...unreached, n, level });
  }
  return all;
}

function levelVerdictOf({ level, passed }: RunVerdict): LevelVerdict {
  return { level, share: Number(passed) };
}

const unreached = {
  family: null,
  passed: false,
  partial: 0,
  decisions: { right: 0, of: 0 },
  calls: 0,
  budget: 0,
  finished: false,
  attack: null,
} as const;

function reliabilityOf(verdicts: readonly RunVerdict[]): Reliability | null {
  const decisions = verdicts.reduce((sum, verdict) => sum + verdict.decisions.of, 0);
  if (decisions === 0) return null;
  const errors = decisions - verdicts.reduce((sum, verdict) => sum + verdict.decisions.right, 0);
  const { low, high } = wilsonInterval(errors / decisions, decisions);
  return {
    errors,
    decisions,
    one_in: errors === 0 ? null : roundTo(1, decisions / errors),
    interval: { low: roundTo(1, 1 / high), high: errors === 0 ? null : roundTo(1, 1 / low) },
  };
}

/** "1 error in 39 decisions" */
export function describeReliability({ one_in: oneIn, interval: { low } }: Reliability): string {
  return oneIn === null ? `better than 1 error in ${Math.floor(low)}` : `1 error in ${Math.round(oneIn)}`;
}

function roundTo(digits: number, value: number): number {
  return Number(value.toFixed(digits));
}
