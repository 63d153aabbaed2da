/**
 * The seeds of the runs that the suite tests use. `TEST_SEED` works as in the property tests
 * (`test/preload.ts`): the same seeds in every run by default, others with `TEST_SEED=<n>`, new ones each
 * time with `TEST_SEED=random`. `npm run long -- graders` and `npm run long -- worlds` draw new seeds and check many runs per test.
 */
import { randomInt } from 'node:crypto';
import { createRandom } from '#evals/random.ts';

const source = chooseSource(process.env['TEST_SEED'] ?? 'fixed');
const leastRuns = Number(process.env['SUITE_RUNS'] ?? 0);

/** The seeds for one test or file; `label` keeps its runs separate from those of others. */
export function drawSeeds(label: string, count: number): string[] {
  const random = createRandom(source, label);
  return Array.from({ length: Math.max(count, leastRuns) }, () => random.text('0123456789abcdef', 32));
}

/** One seed, where a test needs any. */
export function drawSeed(label: string): string {
  return createRandom(source, label).text('0123456789abcdef', 32);
}

function chooseSource(setting: string): string {
  if (setting !== 'random') return setting;
  const drawn = String(randomInt(2 ** 31));
  console.log(`Eval suite tests: TEST_SEED=${drawn} repeats these runs.`);
  return drawn;
}
