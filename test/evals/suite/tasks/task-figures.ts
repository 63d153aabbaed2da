/** Measurements for the tests of the categories, by kind and level. */
import { loadTaskCategories } from '#evals/suite/load-tasks.ts';
import { ladderLevels, type Level } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';
import type { Kind, Task, TaskLimits } from '#evals/suite/task.ts';

export const limits: TaskLimits = { maxPromptTokens: 32_000 };

export interface Drawn {
  readonly name: string;
  readonly kind: Kind;
  readonly level: Level;
  readonly seed: string;
  readonly task: Task;
}

export function kindsOf(names: readonly string[]): { category: string; kind: Kind }[] {
  return loadTaskCategories()
    .filter(({ name }) => names.includes(name))
    .flatMap((category) => category.kinds.map((kind) => ({ category: category.name, kind })));
}

export function drawTask(kind: Kind, level: Level, seed: string): Task {
  return kind.make(createRandom(seed, `${kind.name}/${level}`), level, limits);
}

/** One task for each seed, kind and level. */
export function* drawTasks(names: readonly string[], seeds: readonly string[]): Generator<Drawn> {
  for (const { category, kind } of kindsOf(names)) {
    for (const seed of seeds) {
      for (const level of ladderLevels) {
        yield {
          name: `${category}/${kind.name} at level ${level} of seed ${seed}`,
          kind,
          level,
          seed,
          task: drawTask(kind, level, seed),
        };
      }
    }
  }
}
