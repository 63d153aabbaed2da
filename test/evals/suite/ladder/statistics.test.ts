/**
 * What the ladder's statistics promise, shown by simulation: a slice in every run, 5,000 trials by `npm run
 * test:suite`.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { compareAbilities, flagByHolm, twoSidedP } from '#evals/suite/ladder/compare-abilities.ts';
import { type RunSize, slope } from '#evals/suite/ladder/ladder.ts';
import { meanOfRuns } from '#evals/mean-of-runs.ts';
import { createRandom } from '#evals/random.ts';
import { drawSeed } from '../draw-seeds.ts';
import {
  abilityOfScore,
  evenProfile,
  simulatePooled,
  simulateRun,
  trueScore,
  unevenProfile,
} from './simulated-runs.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const trials = isLong ? 5_000 : 100;
/** Four standard errors of a share near 95% over the trials, so that chance alone does not fail a test. */
const slack = isLong ? 0 : 4 * Math.sqrt((0.05 * 0.95) / trials) * 100;
/** Holm's rate is 4.9% for eight independent tests, so a bound of exactly 5% would fail by chance in every form. */
const holmSlack = 4 * Math.sqrt((0.05 * 0.95) / trials) * 100;
/** As `slack`, for shares near 50%. */
const powerSlack = isLong ? 0 : (4 * 50) / Math.sqrt(trials);
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
          const { score: found, interval } = simulateRun(random, profile, runSize).estimate;
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

  test('shows no difference between equal agents more than 5 times in 100, even near the ends of the scale', () => {
    const rows = [5, 20, 60, 95, 99].map((score) => {
      const ability = evenProfile(abilityOfScore(score));
      const alarms = percentOf(() => {
        const [one, other] = [simulateRun(random, ability, runSize), simulateRun(random, ability, runSize)];
        return compareAbilities(one, other).p < 0.05;
      });
      return { score, alarms };
    });
    console.table(rows);
    for (const { alarms } of rows) expect(alarms).toBeLessThanOrEqual(5 + slack);
  });

  test('gives an interval that contains the true change at least 92 times in 100', () => {
    const rows = [
      [20, 20],
      [50, 60],
      [80, 95],
      [70, 99.5],
    ].map(([before = 0, after = 0]) => {
      const [from, to] = [evenProfile(abilityOfScore(before)), evenProfile(abilityOfScore(after))];
      const coverage = percentOf(() => {
        const { interval } = compareAbilities(
          simulateRun(random, from, runSize),
          simulateRun(random, to, runSize),
        );
        return interval.low <= after - before && after - before <= interval.high;
      });
      return { before, after, coverage };
    });
    console.table(rows);
    for (const { coverage } of rows) expect(coverage).toBeGreaterThanOrEqual(92 - slack);
  });
});

/**
 * The power of the best choice of levels: a verdict is most informative where pass and fail are equally likely. In the
 * middle of the scale even this is below 70% for 120 cases a side, because ten points are a small step in ability there.
 */
function ceilingOf(before: number, cases: number): number {
  const change = abilityOfScore(before + 10) - abilityOfScore(before);
  const z = change / Math.sqrt(2 / ((cases * slope ** 2) / 4));
  // The far tail is negligible.
  return 100 * (1 - (z > 1.96 ? twoSidedP(z - 1.96) / 2 : 1 - twoSidedP(1.96 - z) / 2));
}

/** How often a gain of ten points is detected when each side is a run, or two, of 120 cases. */
function powerFrom(before: number, simulate: typeof simulateRun): number {
  const [from, to] = [evenProfile(abilityOfScore(before)), evenProfile(abilityOfScore(before + 10))];
  return percentOf(() => compareAbilities(simulate(random, from, 120), simulate(random, to, 120)).p < 0.05);
}

test('with 120 cases a side, one run detects 10 points at least 80% as often as the best test, two runs 70% of the time', () => {
  const starts = isLong ? [10, 20, 30, 40, 50, 60, 70, 80] : [20, 50, 70];
  const rows = starts.map((before) => ({
    before,
    after: before + 10,
    power: powerFrom(before, simulateRun),
    ceiling: ceilingOf(before, 120),
    pooled: powerFrom(before, simulatePooled),
  }));
  console.table(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(1))])),
    ),
  );
  for (const { before, power, ceiling, pooled } of rows) {
    const least = { single: 0.8 * ceiling - powerSlack, pooled: 70 - powerSlack };
    expect({ before, single: power >= least.single, pooled: pooled >= least.pooled }).toEqual({
      before,
      single: true,
      pooled: true,
    });
  }
});

test('the interval of the mean of three runs contains the true score 92 to 98 times in 100', () => {
  const own = createRandom(drawSeed('mean of three'), 'trials');
  const rows = scores.map((score) => {
    const profile = evenProfile(abilityOfScore(score));
    let width = 0;
    const coverage = percentOf(() => {
      const { interval } = meanOfRuns([1, 2, 3].map(() => simulateRun(own, profile, 40).estimate));
      width += (interval.high - interval.low) / trials;
      return interval.low <= score && score <= interval.high;
    });
    return { score, coverage, width };
  });
  console.table(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(2))])),
    ),
  );
  for (const { coverage } of rows) {
    expect(coverage).toBeGreaterThanOrEqual(92 - slack);
    expect(coverage).toBeLessThanOrEqual(98 + slack);
  }
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
