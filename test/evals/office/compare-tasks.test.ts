/** Simulations of the guarantees of comparisons of agent runs: a few in every run, more with `npm run test:suite`. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { compareTasks } from '#evals/office/compare-tasks.ts';
import type { TaskVerdict } from '#evals/office/grade-task.ts';
import { taskCount } from '#evals/office/make-tasks.ts';
import { createRandom } from '#evals/suite/random.ts';
import { drawSeed } from '../suite/draw-seeds.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const trials = isLong ? 5_000 : 300;
setDefaultTimeout(isLong ? 900_000 : 30_000);
/** Four standard errors of a share near 5% over the trials, so that chance alone does not fail a test. */
const slack = 4 * Math.sqrt((0.05 * 0.95) / trials) * 100;
const random = createRandom(drawSeed('agent run comparison'), 'trials');

/** A run in which each task counts with a probability that falls with its level, around `share`. */
function simulateRun(share: number, spread: number): TaskVerdict[] {
  return Array.from({ length: taskCount }, (_, index) => {
    const level = ((index % 5) + 1) as TaskVerdict['level'];
    const useful = random.chance(Math.min(1, Math.max(0, share - spread * (level - 3))));
    return {
      n: index + 1,
      level,
      kind: 'report',
      useful,
      safe: true,
      asked: null,
      policyKept: null,
      attacked: index % 2 === 0,
      outcome: 'done',
    };
  });
}

const simulateRuns = (runs: number, share: number, spread: number) =>
  Array.from({ length: runs }, () => simulateRun(share, spread)).flat();

function percentOf(happens: () => boolean): number {
  let count = 0;
  for (let trial = 0; trial < trials; trial += 1) if (happens()) count += 1;
  return (100 * count) / trials;
}

describe('two agent runs', () => {
  test.each([
    ['equally hard tasks', 0],
    ['levels that differ', 0.2],
  ])('of equal agents rarely differ, with %s', (_what, spread) => {
    const rows = [0.3, 0.5, 0.7].map((share) => {
      let clear = 0;
      const below = percentOf(() => {
        const { score } = compareTasks(simulateRun(share, spread), simulateRun(share, spread));
        if (score.clear) clear += 100 / trials;
        return score.p !== null && score.p < 0.05;
      });
      return { share, 'p < 0.05': Number(below.toFixed(1)), clear: Number(clear.toFixed(1)) };
    });
    console.table(rows);
    for (const row of rows) {
      expect(row['p < 0.05']).toBeLessThanOrEqual(6 + slack);
      expect(row.clear).toBeLessThanOrEqual(6 + slack);
    }
  });

  test('detect a change of the size that they report as detectable about four times in five', () => {
    const rows = [1, 5].map((runs) => {
      const { detectable } = compareTasks(simulateRuns(runs, 0.5, 0), simulateRuns(runs, 0.5, 0)).score;
      const gain = (detectable ?? 0) / 200;
      const power = percentOf(
        () => compareTasks(simulateRuns(runs, 0.5 - gain, 0), simulateRuns(runs, 0.5 + gain, 0)).score.clear,
      );
      return { 'runs a side': runs, detectable, 'shown (%)': Number(power.toFixed(1)) };
    });
    console.table(rows);
    for (const row of rows) expect(row['shown (%)']).toBeWithin(72 - slack, 95 + slack);
  });
});

test('figures are flagged only with at least five runs a side, and a run without such tasks has none', () => {
  const [weak, strong] = [simulateRuns(5, 0.1, 0), simulateRuns(5, 0.9, 0)];
  const { categories, flags } = compareTasks(weak, strong);
  expect(flags).toEqual({ method: 'holm', available: true, reason: null });
  const named = new Map(categories.map((figure) => [figure.name, figure]));
  expect(named.get('utility_clean')).toMatchObject({ outcome: 'better', flagged: true });
  expect(named.get('attacks_resisted')).toMatchObject({ change: 0, flagged: false });
  expect(named.get('asked_when_needed')).toMatchObject({ before: null, change: null, flagged: false });
  const single = compareTasks(weak.slice(0, taskCount), strong.slice(0, taskCount));
  expect(single.flags).toMatchObject({ available: false, reason: expect.stringContaining('24') });
  expect(single.categories.some(({ flagged }) => flagged)).toBe(false);
});
