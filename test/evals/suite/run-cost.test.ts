import { expect, setDefaultTimeout, test } from 'bun:test';
import { categories } from '#evals/suite/index.ts';
import { makeTask, planRun } from '#evals/suite/plan-run.ts';
import { drawSeeds } from './draw-seeds.ts';
import { processorMs, slowdown } from './processor-time.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
setDefaultTimeout(isLong ? 900_000 : 60_000);
const mostMs = 60;
/** Other tests on the same core make even processor time longer; the long form runs alone. */
const slack = isLong ? 1 : 2;
/** The long form measures 100 runs. */
const seeds = drawSeeds('run cost', 3).slice(0, 100);
const attempts = 2;

/** The work of a runner in a run in which every reply is right, so that most cases have the highest levels. */
function perfectRun(seed: string): void {
  const everything = new Map(Array.from({ length: 40 }, (_, index) => [index, 1]));
  for (const planned of planRun(categories, { seed, runSize: 40 }, everything)) {
    const task = makeTask(categories, seed, planned, { maxPromptTokens: 32_000 });
    expect(task.grade(task.accepted[0] ?? []).score).toBe(1);
  }
}

test(`planning, making and grading a perfect run of 40 cases takes less than ${mostMs} ms of processor time`, () => {
  for (const seed of seeds.slice(0, 6)) perfectRun(seed);
  // Another process on the same core, compilation and garbage collection slow some attempts down, never all.
  const times = seeds
    .map((seed) => Math.min(...Array.from({ length: attempts }, () => processorMs(() => perfectRun(seed)))))
    .toSorted((left, right) => left - right);
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  console.log(
    `a perfect run of 40: ${mean.toFixed(1)} ms on average, ${times.at(-1)?.toFixed(1)} ms at most`,
  );
  expect(mean).toBeLessThan(slack * mostMs * (mean < slack * mostMs ? 1 : slowdown()));
});
