/** What the ladder's statistics promise, shown by simulation: a slice in every run, 5,000 trials by `npm run test:suite`. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { compareAbilities, flagByHolm, twoSidedP } from '#domain/eval-suite/ladder/compare-abilities.ts';
import type { RunSize } from '#domain/eval-suite/ladder/ladder.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import { drawSeed } from '../draw-seeds.ts';
import { abilityOfScore, evenProfile, simulateRun, trueScore, unevenProfile } from './simulated-runs.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const trials = isLong ? 5_000 : 100;
/** Four standard errors of a share near 95 % over the trials, so that chance alone does not fail a test. */
const slack = isLong ? 0 : 4 * Math.sqrt((0.05 * 0.95) / trials) * 100;
/** Holm's rate is 4.9 % for eight independent tests, so a bound of exactly 5 % would fail by chance in every form. */
const holmSlack = 4 * Math.sqrt((0.05 * 0.95) / trials) * 100;
/** The long form takes minutes. */
setDefaultTimeout(isLong ? 900_000 : 60_000);
const runSizes: readonly RunSize[] = [40, 120];
const scores = [20, 40, 60, 80];
const random = createRandom(drawSeed('ladder statistics'), 'trials');

function percentOf(happens: (trial: number) => boolean): number {
  let count = 0;
  for (let trial = 0; trial < trials; trial += 1) if (happens(trial)) count += 1;
  return (100 * count) / trials;
}

describe.each(runSizes)('a run of %d cases', (runSize) => {
  test.each(['even', 'uneven'] as const)(
    'has an interval that holds the true score 92 to 98 times in 100, for %s profiles',
    (kind) => {
      const rows = scores.map((score) => {
        const ability = abilityOfScore(score);
        let errors = 0;
        let squares = 0;
        const coverage = percentOf(() => {
          const profile = kind === 'even' ? evenProfile(ability) : unevenProfile(random, ability);
          const truth = trueScore(profile);
          const { score: found, interval } = simulateRun(random, profile, runSize);
          errors += found - truth;
          squares += (found - truth) ** 2;
          return interval.low <= truth && truth <= interval.high;
        });
        return { score, coverage, bias: errors / trials, rmse: Math.sqrt(squares / trials) };
      });
      console.table(
        rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(2))])),
        ),
      );
      for (const { coverage, bias, rmse } of rows) {
        expect(coverage).toBeGreaterThanOrEqual(92 - slack);
        expect(coverage).toBeLessThanOrEqual(98 + slack);
        expect(Math.abs(bias)).toBeLessThanOrEqual(0.5 + (4 * rmse) / Math.sqrt(trials));
      }
    },
  );

  test('shows no difference between equal agents more than 5 times in 100', () => {
    const ability = evenProfile(abilityOfScore(60));
    const rate = percentOf(
      () =>
        compareAbilities(simulateRun(random, ability, runSize), simulateRun(random, ability, runSize)).p <
        0.05,
    );
    console.log(`false alarms, ${runSize} cases a side: ${rate.toFixed(1)} %`);
    expect(rate).toBeLessThanOrEqual(5 + slack);
  });
});

test('120 cases a side show a gain of 10 points two times in three, from a score of 60 on', () => {
  const rows = [20, 40, 60, 70, 80].map((before) => {
    const [from, to] = [evenProfile(abilityOfScore(before)), evenProfile(abilityOfScore(before + 10))];
    const power = percentOf(
      () => compareAbilities(simulateRun(random, from, 120), simulateRun(random, to, 120)).p < 0.05,
    );
    return { before, after: before + 10, power };
  });
  console.table(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(2))])),
    ),
  );
  const strong = rows.filter(({ before }) => before >= 60);
  const mean = strong.reduce((sum, { power }) => sum + power, 0) / strong.length;
  expect(mean).toBeGreaterThanOrEqual(65 - slack / 2);
});

describe('Holm', () => {
  test('flags one of eight equal pairs at most 5 times in 100', () => {
    const rate = percentOf(() =>
      flagByHolm(Array.from({ length: 8 }, () => random.int(1, 1_000_000) / 1_000_000)).includes(true),
    );
    console.log(`false flags by Holm: ${rate.toFixed(1)} %`);
    expect(rate).toBeLessThanOrEqual(5 + holmSlack);
  });

  test('compares the smallest p with the strictest bound, and stops at the first that fails', () => {
    expect(flagByHolm([0.04, 0.012, 0.2, 0.01])).toEqual([false, true, false, true]);
    expect(flagByHolm([0.04, 0.03])).toEqual([false, false]);
    expect(flagByHolm([])).toEqual([]);
  });
});

test.each([
  [0, 1],
  [1.959964, 0.05],
  [-2.575829, 0.01],
  [6, 1.97e-9],
])('the two-sided p of %p is %p', (z, p) => {
  expect(twoSidedP(z)).toBeCloseTo(p, 5);
});
