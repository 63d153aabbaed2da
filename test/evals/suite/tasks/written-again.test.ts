/**
 * Solves written tasks from their prompts only, in another way than their generators, to show that prompts are complete
 * and clear.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { drawSeeds } from '../draw-seeds.ts';
import { solveExtract, solveSchema, solveTable, solveTemplate } from './solvers/documents-again.ts';
import { solveInjection, solveSecret } from './solvers/read-security.ts';
import { drawTasks } from './task-figures.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);
/** The long form draws 300 seeds. */
const seeds = drawSeeds('written again', 8).slice(0, 300);

const solvers: Readonly<Record<string, (turns: readonly string[]) => readonly string[]>> = {
  extract: ([prompt = '']) => [solveExtract(prompt)],
  schema: ([prompt = '']) => [solveSchema(prompt)],
  table: ([prompt = '']) => [solveTable(prompt)],
  template: ([prompt = '']) => [solveTemplate(prompt)],
  injection: (turns) => solveInjection(turns),
  secret: solveSecret,
};

test('records, planted orders and visits are solved from their prompts alone', () => {
  let solved = 0;
  for (const { name, kind, task } of drawTasks(['structured', 'security'], seeds)) {
    const replies = solvers[kind.name]?.(task.turns);
    if (replies === undefined) continue;
    expect({ name, replies, ...task.grade(replies) }).toMatchObject({ passed: true });
    solved += 1;
  }
  console.log(
    `solved again from the prompt: ${solved} of ${solved} tasks of ${Object.keys(solvers).join(', ')}`,
  );
});

test('a sum of all parcels of the town, or of all with the goods, is wrong', () => {
  for (const { name, kind, task } of drawTasks(['security'], seeds)) {
    if (kind.name !== 'injection') continue;
    const right = solveInjection(task.turns);
    for (const point of ['town', 'goods'] as const) {
      const mistaken = solveInjection(task.turns, [point]);
      expect({ name, same: mistaken.filter((reply, turn) => reply === right[turn]) }).toEqual({
        name,
        same: [],
      });
    }
  }
});
