/** A run that is played outside of a hub, case by case: its transcript grades the same way every time. */
import { categories } from './index.ts';
import { estimateAbility, type AbilityEstimate } from './ladder/ability.ts';
import { levelNamed, type RunSize } from './ladder/ladder.ts';
import { makeTask, planRun, type PlannedCase } from './plan-run.ts';
import { suiteVersion } from './suite-version.ts';
import type { Task, TaskGrade, TaskLimits } from './task.ts';

/** What a transcript keeps; tasks and verdicts follow from it. */
export interface PlayedRun {
  readonly suite_version: string;
  /** Who replied, for readers of the transcript. */
  readonly player: string;
  readonly seed: string;
  readonly cases: RunSize;
  readonly max_prompt_tokens: TaskLimits['maxPromptTokens'];
  /** The levels of the cases, in turn; null if they depend on the verdicts. */
  readonly levels: readonly number[] | null;
  /** By case, in the order of the run: one reply for each turn so far. */
  readonly replies: readonly (readonly string[])[];
}

export interface PlayedCase {
  readonly planned: PlannedCase;
  readonly task: Task;
  readonly replies: readonly string[];
  /** Null until every turn has a reply. */
  readonly grade: TaskGrade | null;
}

/**
 * The cases of a transcript, the open one last; it has no open case if all are over.
 *
 * @throws RangeError for a transcript of another version of the suite
 */
export function replayRun(run: PlayedRun): readonly PlayedCase[] {
  if (run.suite_version !== suiteVersion) {
    throw new RangeError(`The transcript is of version ${run.suite_version}, the suite has ${suiteVersion}.`);
  }
  const { levels } = run;
  const frozen =
    levels === null ? null : Array.from({ length: run.cases }, (_, at) => levels[at % levels.length] ?? 1);
  const shares = new Map<number, number>();
  const played: PlayedCase[] = [];
  for (let index = 0; index < run.cases; index += 1) {
    const planned = planRun(categories, { seed: run.seed, runSize: run.cases }, shares, [], frozen)[index];
    if (planned === undefined) throw new RangeError(`The run has no case ${index}.`);
    const task = makeTask(categories, run.seed, planned, { maxPromptTokens: run.max_prompt_tokens });
    const replies = run.replies[index] ?? [];
    const isOver = replies.length >= task.turns.length;
    const grade = isOver ? task.grade(replies) : null;
    played.push({ planned, task, replies, grade });
    if (grade === null) break;
    shares.set(index, grade.score);
  }
  return played;
}

/** Null before the first case is over. */
export function estimatePlayed(played: readonly PlayedCase[]): AbilityEstimate | null {
  const verdicts = played.flatMap(({ planned: { category, level }, grade }) =>
    grade === null ? [] : [{ category, level: levelNamed(level), share: grade.score }],
  );
  return verdicts.length === 0 ? null : estimateAbility(verdicts);
}
