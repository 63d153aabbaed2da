/**
 * Checks of a kind that are fast enough for every start of a process. `hub eval-pack check` repeats them with many
 * seeds.
 */
import { type Level, ladderLevels } from '../ladder/ladder.ts';
import { createRandom } from '../random.ts';
import type { Kind, Task, TaskLimits } from '../task.ts';

const limits: TaskLimits = { maxPromptTokens: 8_000 };
const turnsMax = 8;
const promptCharactersMax = 32_000;

/** @returns the problems found in one task of each level, as sentences */
export function findKindFaults(
  kind: Kind,
  seed: string,
  levels: readonly Level[] = ladderLevels,
): readonly string[] {
  return levels.flatMap((level) =>
    findTaskFaults(kind, seed, level).map((fault) => `${kind.name}, level ${level}, seed ${seed}: ${fault}`),
  );
}

export function drawPackTask(kind: Kind, seed: string, level: Level): Task {
  return kind.make(createRandom(seed, `${kind.name}/${level}`), level, limits);
}

function findTaskFaults(kind: Kind, seed: string, level: Level): string[] {
  try {
    const [task, again] = [drawPackTask(kind, seed, level), drawPackTask(kind, seed, level)];
    return [...findFormFaults(task, again), ...findVerdictFaults(task)];
  } catch (error) {
    return [`it throws ${error instanceof Error ? error.message : String(error)}`];
  }
}

function findFormFaults(task: Task, again: Task): string[] {
  const characters = task.turns.reduce((sum, turn) => sum + turn.length, 0);
  return [
    ...(JSON.stringify(task) === JSON.stringify(again) ? [] : ['the same stream generates different tasks.']),
    ...(task.turns.length >= 1 && task.turns.length <= turnsMax
      ? []
      : [`it has ${task.turns.length} turns.`]),
    ...(characters <= promptCharactersMax ? [] : [`its prompt has ${characters} characters.`]),
    ...(task.expected === '' ? ['`expected` is empty.'] : []),
    ...(task.accepted.length > 0 ? [] : ['`accepted` is empty.']),
    ...(task.refused.length > 0 ? [] : ['`refused` is empty.']),
  ];
}

function findVerdictFaults(task: Task): string[] {
  const named: readonly (readonly [string, readonly string[], boolean])[] = [
    ...task.accepted.map((replies) => ['an accepted reply', replies, true] as const),
    ...task.refused.map((replies) => ['a refused reply', replies, false] as const),
    ['its own prompt', task.turns, false],
    ['an empty reply', task.turns.map(() => ''), false],
  ];
  return named.flatMap(([name, replies, passes]) => {
    const { passed, score, checks } = task.grade(replies);
    if (checks.length === 0) return [`${name} is graded without a check.`];
    if (passed === passes && (score === 1) === passed && score >= 0 && score <= 1) return [];
    return [`${name} gets ${score}: ${JSON.stringify(replies.join('\n').slice(0, 200))}.`];
  });
}
