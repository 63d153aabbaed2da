/**
 * Practice cases: two of every kind, the same for everybody, with replies that pass and replies that do not. Runs draw
 * from other random streams, so practice cases never appear in them.
 */
import { type Level, ladderLevels } from './ladder/ladder.ts';
import { createRandom } from '../random.ts';
import { suiteName, suiteVersion } from './suite-version.ts';
import type { Category, Kind, Task, TaskGrade, TaskLimits } from './task.ts';

export interface PracticeCase {
  /** Such as `practice-zebra-1`. */
  readonly caseId: string;
  readonly category: string;
  readonly kind: string;
  readonly level: Level;
  readonly task: Task;
}

/** Easy levels, because the cases only show what a kind looks like. */
const practiceLevels = ladderLevels.slice(0, 2);
const practiceLimits: TaskLimits = { maxPromptTokens: 8_000 };
/** Never the seed of a run, because those are random. */
const practiceSeed = '0'.repeat(32);

export function makePracticeCases(categories: readonly Category[]): readonly PracticeCase[] {
  return draftsOf(categories).map(makeCase);
}

/** Makes only the case that is asked for: making all of them takes seconds on a busy machine. */
export function makePracticeCase(categories: readonly Category[], caseId: string): PracticeCase | null {
  const found = draftsOf(categories).find((draft) => draft.caseId === caseId);
  return found === undefined ? null : makeCase(found);
}

interface PracticeDraft {
  readonly caseId: string;
  readonly category: string;
  readonly kind: Kind;
  readonly level: Level;
}

function draftsOf(categories: readonly Category[]): PracticeDraft[] {
  return categories.flatMap(({ name, kinds }) =>
    kinds.flatMap((kind) =>
      practiceLevels.map((level) => ({
        caseId: `practice-${kind.name}-${level}`,
        category: name,
        kind,
        level,
      })),
    ),
  );
}

function makeCase({ caseId, category, kind, level }: PracticeDraft): PracticeCase {
  const random = createRandom(practiceSeed, `${suiteName}/${suiteVersion}/${caseId}`);
  return { caseId, category, kind: kind.name, level, task: kind.make(random, level, practiceLimits) };
}

/** @param replies one per turn; missing ones count as empty */
export function gradePractice({ task }: PracticeCase, replies: readonly string[]): TaskGrade {
  return task.grade(task.turns.map((_, turn) => replies[turn] ?? ''));
}
