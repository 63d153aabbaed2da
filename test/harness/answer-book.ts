/** Knows the cases of runs by their seeds, so that a test target can answer as well or as badly as a test needs. */
import { categories } from '#evals/suite/index.ts';
import { type Level, ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { makeTask, type PlannedCase, planRun } from '#evals/suite/plan-run.ts';
import type { Task, TaskLimits } from '#evals/suite/task.ts';

export interface BookedTurn {
  readonly planned: PlannedCase;
  readonly task: Task;
  /** From 0. */
  readonly turn: number;
  /** A reply to this turn that earns the full score. */
  readonly best: string;
}

export interface AnswerBook {
  /** @param prompts what the user has said so far */
  find(prompts: readonly string[]): BookedTurn | undefined;
  /** Fast: knows only the cases of an agent whose replies have all been right so far. */
  findPerfect(prompts: readonly string[]): BookedTurn | undefined;
}

/** The limit of test runs: longer prompts cost time and test nothing else. */
export const testPromptTokens = 8_000;

/** The levels of test runs of up to 120 cases: making the cases of the first level takes a third of the time. */
export const easyLevels: readonly number[] = Array.from({ length: 120 }, () => 1);

export interface BookedRuns {
  readonly maxPromptTokens?: TaskLimits['maxPromptTokens'] | undefined;
  /** As in the orders of the runs. By default, the levels depend on the verdicts. */
  readonly levels?: readonly number[] | null;
}

/** @param seeds of runs of 40 cases; may grow later */
export function openAnswerBook(
  seeds: () => Iterable<string>,
  { maxPromptTokens = testPromptTokens, levels = null }: BookedRuns = {},
): AnswerBook {
  const turns = new Map<string, BookedTurn>();
  /** The levels of each run whose cases are not yet known. Those of a perfect agent are known first. */
  const levelsLeft = new Map<string, Level[]>();

  function book(seed: string, planned: PlannedCase): void {
    const task = makeTask(categories, seed, planned, { maxPromptTokens });
    task.turns.forEach((_, turn) => {
      const best = task.accepted[0]?.[turn] ?? '';
      turns.set(keyOf(task.turns.slice(0, turn + 1)), { planned, task, turn, best });
    });
  }

  function learnPerfect(): void {
    for (const seed of seeds()) {
      if (levelsLeft.has(seed)) continue;
      levelsLeft.set(seed, levels === null ? [...ladderLevels] : []);
      for (const planned of planPerfectRun(seed, levels)) book(seed, planned);
    }
  }

  /** Slow, so it tries the newest seed and the highest level first, until the turn is known. */
  function learnUntilKnown(key: string): void {
    for (const seed of [...seeds()].toReversed()) {
      const levels = levelsLeft.get(seed) ?? [];
      while (!turns.has(key)) {
        const level = levels.pop();
        if (level === undefined) break;
        learnLevel(seed, level);
      }
    }
  }

  function learnLevel(seed: string, level: Level): void {
    for (const planned of planPerfectRun(seed)) {
      if (planned.stage === 2 && planned.level !== level) book(seed, { ...planned, level });
    }
  }

  return {
    find: (prompts) => {
      learnPerfect();
      const key = keyOf(prompts);
      learnUntilKnown(key);
      return turns.get(key);
    },
    findPerfect: (prompts) => {
      learnPerfect();
      return turns.get(keyOf(prompts));
    },
  };
}

export function planPerfectRun(
  seed: string,
  levels: readonly number[] | null = null,
): readonly PlannedCase[] {
  const everything = new Map(Array.from({ length: 40 }, (_, index) => [index, 1]));
  return planRun(categories, { seed, runSize: 40 }, everything, levels);
}

function keyOf(prompts: readonly string[]): string {
  return JSON.stringify(prompts);
}
