import { describe, expect, test } from 'bun:test';
import { describeLevel, estimateAbility } from '#evals/suite/ladder/ability.ts';
import { compareAbilities } from '#evals/suite/ladder/compare-abilities.ts';
import { adaptiveLevels, casesInPart, type Part, routingLevels } from '#evals/suite/ladder/choose-levels.ts';
import {
  drawCategories,
  ladderCategories,
  ladderLevels,
  type Level,
  type RunSize,
} from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';

const runSizes: readonly RunSize[] = [40, 120];
const verdictsOf = (shareOf: (level: Level) => number) =>
  drawCategories(createRandom('00', 'categories'), 120).map((category, index) => {
    const level = ((index % 8) + 1) as Level;
    return { category, level, share: shareOf(level) };
  });
const count = (levels: readonly number[]) =>
  Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8].map((level) => [level, levels.filter((other) => other === level).length]),
  );

/** The categories of the cases of a part. */
const inPart = (runSize: RunSize, part: Part) => {
  const before = ([0, 1, 2] as const).filter((other) => other < part);
  const start = before.reduce<number>((sum, other) => sum + casesInPart(runSize, other), 0);
  const categories = drawCategories(createRandom('01', 'order'), runSize);
  return categories.slice(start, start + casesInPart(runSize, part));
};

describe.each(runSizes)('a run of %d cases', (runSize) => {
  test('asks every category as often as its share, and the heavy ones in the first stage', () => {
    const categories = drawCategories(createRandom('01', 'order'), runSize);
    expect(categories).toHaveLength(runSize);
    for (const { name, cases } of ladderCategories) {
      expect(categories.filter((other) => other === name)).toHaveLength((cases * runSize) / 40);
      if (cases > 1) expect(categories.slice(0, casesInPart(runSize, 0))).toContain(name);
    }
    expect(drawCategories(createRandom('01', 'order'), runSize)).toEqual(categories);
  });

  test('asks every level equally often in the first stage', () => {
    const each = casesInPart(runSize, 0) / ladderLevels.length;
    expect(count(routingLevels(createRandom('02', 'stage'), inPart(runSize, 0)))).toEqual(
      Object.fromEntries(ladderLevels.map((level) => [level, each])),
    );
    expect(casesInPart(runSize, 0) + casesInPart(runSize, 1) + casesInPart(runSize, 2)).toBe(runSize);
  });

  test('then asks two thirds of a batch at the level nearest the ability, and the rest at the next', () => {
    const levels = adaptiveLevels(
      createRandom('03', 'batch'),
      inPart(runSize, 1),
      verdictsOf((level) => (level <= 3 ? 1 : 0)),
    );
    const size = casesInPart(runSize, 1);
    const [most = 0, rest = 0] = Object.values(count(levels)).toSorted((left, right) => right - left);
    expect([most, most + rest]).toEqual([Math.round((2 * size) / 3), size]);
    expect(Math.min(...levels)).toBeGreaterThanOrEqual(3);
    const strongest = adaptiveLevels(
      createRandom('03', 'batch'),
      inPart(runSize, 2),
      verdictsOf(() => 1),
    );
    expect(new Set(strongest)).toEqual(new Set<Level>([7, 8]));
    const weakest = adaptiveLevels(
      createRandom('03', 'batch'),
      inPart(runSize, 2),
      verdictsOf(() => 0),
    );
    expect(new Set(weakest)).toEqual(new Set<Level>([1, 2]));
  });
});

test('a category whose levels are easy gets the harder level of a batch, so that its cases are more informative', () => {
  const categories = ['security', 'execution', 'security', 'execution', 'security', 'execution'];
  const verdicts = verdictsOf((level) => (level <= 3 ? 1 : 0));
  const levels = adaptiveLevels(createRandom('04', 'batch'), categories, verdicts);
  const meanOf = (name: string) => {
    const own = levels.filter((_, index) => categories[index] === name);
    return own.reduce((sum, level) => sum + level, 0) / own.length;
  };
  expect(meanOf('security')).toBeGreaterThan(meanOf('execution'));
});

describe('the estimate', () => {
  test('is 100 for a run without a fault, and 0 for one without a right reply', () => {
    const best = estimateAbility(verdictsOf(() => 1));
    expect(best.score).toBeCloseTo(100, 1);
    expect(best.interval.high).toBeCloseTo(100, 1);
    expect(best.interval.low).toBeLessThan(99.9);
    expect(best.level.value).toBe(9);
    const worst = estimateAbility(verdictsOf(() => 0));
    expect(worst.score).toBeCloseTo(0, 1);
    expect(worst.interval.low).toBeCloseTo(0, 1);
    expect(worst.level.value).toBe(0);
  });

  test.each([
    ['every case, against two thirds', 1, 2 / 3, true],
    ['no case, against one third', 0, 1 / 3, true],
    ['every case, twice', 1, 1, false],
    ['no case, twice', 0, 0, false],
  ])('is compared soundly at the ends of the scale: %s', (_name, share, otherShare, differs) => {
    const rate = (each: number) => {
      const verdicts = verdictsOf(() => each);
      return { estimate: estimateAbility(verdicts), verdicts };
    };
    for (const [before, after] of [
      [share, otherShare],
      [otherShare, share],
    ] as const) {
      const { p, change, interval } = compareAbilities(rate(before), rate(after));
      expect({ p: p < 0.01, interval: interval.low > 0 || interval.high < 0 }).toEqual({
        p: differs,
        interval: differs,
      });
      expect(Math.sign(Math.round(change))).toBe(Math.sign(after - before));
    }
  });

  test('rises with every better verdict, in score and level', () => {
    const estimates = [0, 0.25, 0.5, 0.75, 1].map((share) => estimateAbility(verdictsOf(() => share)));
    for (const [index, estimate] of estimates.entries()) {
      const previous = estimates[index - 1];
      if (previous !== undefined) expect(estimate.score).toBeGreaterThan(previous.score);
      expect(estimate.interval.low).toBeLessThanOrEqual(estimate.score);
      expect(estimate.interval.high).toBeGreaterThanOrEqual(estimate.score);
    }
  });

  test('needs a verdict and a category of the ladder', () => {
    expect(() => estimateAbility([])).toThrow(RangeError);
    expect(() => estimateAbility([{ category: 'cooking', level: 1, share: 1 }])).toThrow(RangeError);
  });
});

test('the level of an agent that breaks down nowhere is a lower bound', () => {
  const passed = ladderLevels.flatMap((level) =>
    Array.from({ length: 2 }, () => ({ category: 'context', level, share: 1 })),
  );
  const { level, score } = estimateAbility(passed);
  expect(level.top).toBe(true);
  expect(level.value).toBeGreaterThan(6);
  expect(level.value).toBeLessThan(9);
  expect(describeLevel(level)).toBe(`level ≥ ${level.value.toFixed(1)} (top)`);
  expect(score).toBeGreaterThan(99);
  const failing = passed.map((verdict) => ({ ...verdict, share: verdict.level === 8 ? 0.5 : 1 }));
  const broken = estimateAbility(failing).level;
  expect(broken.top).toBe(false);
  expect(describeLevel(broken)).toMatch(/^level \d\.\d ± \d\.\d$/);
});
