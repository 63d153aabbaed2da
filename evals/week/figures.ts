/** The figures of a run from the verdicts on its tasks. */
import { weekLevels } from './dials.ts';
import type { TaskVerdict } from './grade.ts';
import { type LevelVerdict, likeliestLevel, scoreWeek, type WeekScore } from './score.ts';

/** The verdict on a task of a run, without what was missed. */
export interface RunVerdict extends Omit<TaskVerdict, 'family' | 'missed'> {
  /** Null for a task that was not reached. */
  readonly family: string | null;
}

/** @param tasks in a week; a run with several trials has several verdicts on each */
export function figuresOf(verdicts: readonly RunVerdict[], tasks: number): WeekScore {
  return scoreWeek(sharesOf(verdicts, tasks));
}

/** The share of the weeks in which each task passed. */
function sharesOf(verdicts: readonly RunVerdict[], tasks: number): readonly LevelVerdict[] {
  return trialsOf(verdicts, tasks).map((trials) => ({
    level: trials[0]?.level ?? 1,
    share: trials.filter(({ passed }) => passed).length / trials.length,
  }));
}

/** The verdicts of each task, by its place in the week. */
function trialsOf(verdicts: readonly RunVerdict[], tasks: number): readonly (readonly RunVerdict[])[] {
  return [...Map.groupBy(verdicts, ({ n }) => (n - 1) % tasks).values()];
}

/** The verdict on a task, with what reports show of it. */
export interface StoredTask extends RunVerdict {
  readonly prompt: string;
  /** The calls that were refused. */
  readonly refused: number;
  /** The result of the first of them. */
  readonly refusal: string | null;
}

/**
 * The verdicts on all tasks of a run. Those that were not reached count as failed, at the level of the same task in the
 * first week, or at the one that such failures lead to, so that stopping early gains nothing.
 *
 * @param tasks in a week
 * @param levels of the tasks of a week, as far as they are known
 */
export function withUnreached(
  reached: readonly RunVerdict[],
  total: number,
  tasks: number,
  levels: readonly number[] = [],
): readonly RunVerdict[] {
  const all = [...reached];
  while (all.length < total) {
    const place = all.length % tasks;
    const known = levels[place] ?? (all.length < tasks ? undefined : all[place]?.level);
    const level = weekLevels.find((one) => one === known) ?? likeliestLevel(all.map(levelVerdictOf));
    all.push({ ...unreached, n: all.length + 1, level });
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
