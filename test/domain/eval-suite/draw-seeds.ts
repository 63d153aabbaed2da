/**
 * The seeds of the runs that the tests of the suite look at: new ones each time, so that over the months they see what no
 * fixed list would. They all come from one seed, which each file prints; `SUITE_SEED` set to it sees the same runs again, and
 * `npm run test:suite` looks at a thousand runs in each test.
 */
import { newSeed } from '#domain/eval-suite/index.ts';
import { createRandom } from '#domain/eval-suite/random.ts';

const source = process.env['SUITE_SEED'] ?? newSeed();
console.log(`SUITE_SEED=${source}`);

const leastRuns = Number(process.env['SUITE_RUNS'] ?? 0);

/** The seeds for one test or file; `label` keeps its runs apart from those of others. */
export function drawSeeds(label: string, count: number): string[] {
  const random = createRandom(source, label);
  return Array.from({ length: Math.max(count, leastRuns) }, () => random.text('0123456789abcdef', 32));
}

/** One seed, where a test needs any. */
export function drawSeed(label: string): string {
  return createRandom(source, label).text('0123456789abcdef', 32);
}
