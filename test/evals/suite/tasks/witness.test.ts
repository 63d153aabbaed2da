/**
 * Every task can be solved: its own accepted replies pass, and its likely mistakes do not. `npm run test:suite` tries a
 * thousand seeds of each kind at each level.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { loadTaskCategories } from '#evals/suite/load-tasks.ts';
import { createRandom } from '#evals/random.ts';
import { drawSeeds } from '../draw-seeds.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 1_800_000 : 60_000);
const seeds = drawSeeds('witness', 1);

describe('a task has a reply that passes and mistakes that do not', () => {
  for (const { name: category, kinds } of loadTaskCategories()) {
    for (const kind of kinds) {
      test(`${category}/${kind.name}`, () => {
        for (const seed of seeds) {
          for (const level of ladderLevels) {
            const task = kind.make(createRandom(seed, `${kind.name}/${level}`), level, {
              maxPromptTokens: 8_000,
            });
            const verdicts = {
              turns: task.accepted.map((replies) => replies.length),
              accepted: task.accepted.map((replies) => task.grade(replies).passed),
              refused: task.refused.some((replies) => task.grade(replies).passed),
            };
            expect({ seed, level, ...verdicts }).toEqual({
              seed,
              level,
              turns: task.accepted.map(() => task.turns.length),
              accepted: task.accepted.map(() => true),
              refused: false,
            });
          }
        }
      });
    }
  }
});
