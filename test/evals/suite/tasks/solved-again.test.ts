/** Every answer is found again in another way: from the prompt, or by another kind of search. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ladderLevels, type Level } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';
import { makeIsland } from '#evals/suite/tasks/reasoning/liars.ts';
import { makeSchedule } from '#evals/suite/tasks/reasoning/schedule.ts';
import { makeStory } from '#evals/suite/tasks/reasoning/story.ts';
import { makeZebra } from '#evals/suite/tasks/reasoning/zebra.ts';
import { drawSeeds } from '../draw-seeds.ts';
import { countSolutions } from './solvers/count-by-clauses.ts';
import { countIslands, countOrders } from './solvers/count-by-trial.ts';
import { executePrompt } from './solvers/execute-prompt.ts';
import { answerHops, answerTwins } from './solvers/read-context.ts';
import { answerDossier } from './solvers/read-dossier.ts';
import { drawTasks } from './task-figures.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
/** The long form draws 40 seeds: counting the solutions of a puzzle takes up to a second. */
const seeds = drawSeeds('tasks solved again', 1).slice(0, 40);
setDefaultTimeout(isLong ? 1_800_000 : 60_000);

function solveAll(name: string, isSolved: (seed: string, level: Level) => boolean): void {
  let tasks = 0;
  for (const seed of seeds) {
    for (const level of ladderLevels) {
      tasks += 1;
      expect({ name, seed, level, isSolved: isSolved(seed, level) }).toMatchObject({ isSolved: true });
    }
  }
  console.log(`solved again: ${tasks} of ${tasks} (${name})`);
}

describe('there is exactly one solution of', () => {
  test('each zebra puzzle, by clauses', () => {
    solveAll(
      'zebra',
      (seed, level) => countSolutions(makeZebra(createRandom(seed, 'zebra'), level).puzzle, 2) === 1,
    );
  });

  test('each story, by clauses', () => {
    solveAll(
      'story',
      (seed, level) => countSolutions(makeStory(createRandom(seed, 'story'), level).puzzle, 2) === 1,
    );
  });

  test('each schedule, by trying all orders', () => {
    solveAll(
      'schedule',
      (seed, level) => countOrders(makeSchedule(createRandom(seed, 'schedule'), level)) === 1,
    );
  });

  test('each island of liars, by trying all assignments', () => {
    solveAll('liars', (seed, level) => countIslands(makeIsland(createRandom(seed, 'liars'), level)) === 1);
  });
});

const again: readonly { category: string; kinds: readonly string[]; solve: (prompt: string) => unknown }[] = [
  { category: 'execution', kinds: ['ledgers', 'arithmetic', 'state'], solve: executePrompt },
  { category: 'context', kinds: ['hops'], solve: (prompt) => answerHops(prompt).join(' or ') },
  { category: 'context', kinds: ['twins'], solve: answerTwins },
  { category: 'calibration', kinds: ['answerable', 'missing', 'contradictory'], solve: answerDossier },
];

test.each(again)('the prompt of $category ($kinds) gives the answer to a program that reads it', (entry) => {
  let tasks = 0;
  for (const { name, kind, task } of drawTasks([entry.category], seeds)) {
    if (!entry.kinds.includes(kind.name)) continue;
    tasks += 1;
    const found = entry.solve(task.turns.join('\n'));
    const isSet = task.answer?.type === 'set';
    const said = (value: unknown) => (Array.isArray(value) && isSet ? new Set(value) : value);
    expect({ name, value: said(found) }).toEqual({ name, value: said(task.answer?.value) });
  }
  console.log(`solved again from the prompt: ${tasks} of ${tasks} (${entry.kinds.join(', ')})`);
});
