/** What the figures of a suite run promise, simulated. */
import { expect, test } from 'bun:test';
import { compareRuns, type PairedCase } from '#evals/own-suite/compare-runs.ts';
import { flakyCases, passAll, passRate, rateByTag } from '#evals/own-suite/statistics.ts';
import { createRandom } from '#evals/random.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;

const rates = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

/** Uniform in [0, 1), fast enough for millions of draws. */
function uniform(label: string): () => number {
  let state = createRandom('0'.repeat(32), label).int(1, 2 ** 31 - 1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The chance of a case, so that cases differ: a share of them always passes or fails, others are uncertain. */
function drawChance(rate: number, draw: () => number): number {
  const spread = Math.min(rate, 1 - rate);
  return rate + spread * (2 * draw() - 1);
}

/**
 * How often the interval holds the true rate. The number of cases varies, because for any fixed number the few possible
 * counts of passes make the coverage of every interval jump from rate to rate.
 */
function coverage(rate: number, trials: number, runs: number): number {
  const draw = uniform(`coverage ${rate} ${trials}`);
  let covered = 0;
  for (let run = 0; run < runs; run += 1) {
    const cases = 100 + Math.floor(150 * draw());
    const estimate = passRate(simulate(cases, trials, () => drawChance(rate, draw), draw));
    if (estimate !== null && estimate.low <= rate && rate <= estimate.high) covered += 1;
  }
  return covered / runs;
}

function simulate(cases: number, trials: number, chanceOf: () => number, draw: () => number) {
  return Array.from({ length: cases }, (_, at) => {
    const chance = chanceOf();
    const passes = Array.from({ length: trials }, () => draw() < chance);
    return { id: String(at), weight: 1, tags: [], passes };
  });
}

for (const trials of [1, 5]) {
  for (const rate of rates) {
    test(`with ${trials} trials, 94 to 96 % of the intervals hold a pass rate of ${rate}`, () => {
      const share = coverage(rate, trials, isLong ? 6_000 : 2_000);
      // 6,000 runs are exact to ±0.6 %, and 2,000 to ±1 %.
      const error = isLong ? 0.006 : 0.01;
      expect(share).toBeGreaterThan(0.94 - error);
      expect(share).toBeLessThan(0.96 + error);
    });
  }
}

for (const trials of [1, 3, 5]) {
  test(`with ${trials} trials, two runs of an agent with a fair coin in each case differ clearly in at most 5 %`, () => {
    const draw = uniform(`equal ${trials}`);
    const runs = isLong ? 1_500 : 500;
    let different = 0;
    for (let run = 0; run < runs; run += 1) {
      const pairs = pairsOf(40 + Math.floor(60 * draw()), trials, () => [0.5, 0.5], draw);
      if (compareRuns(pairs).verdict !== 'no clear change') different += 1;
    }
    expect(different / runs).toBeLessThan(0.05 + (isLong ? 0.012 : 0.02));
  });
}

test('five cases of 100 that broke are found with three trials in at least 90 %, beside flaky cases', () => {
  const draw = uniform('broken');
  const runs = isLong ? 400 : 150;
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    let made = 0;
    const pairs = pairsOf(100, 3, () => chancesOf((made += 1)), draw);
    const { verdict, broken } = compareRuns(pairs);
    if (verdict === 'worse' && broken.length >= 5) found += 1;
  }
  expect(found / runs).toBeGreaterThan(0.9);
});

/** Five cases break, two are flaky before and after, the others pass. */
function chancesOf(made: number): readonly [number, number] {
  return made <= 5 ? [1, 0] : made <= 7 ? [0.6, 0.6] : [1, 1];
}

function pairsOf(
  cases: number,
  trials: number,
  chances: () => readonly [number, number],
  draw: () => number,
): readonly PairedCase[] {
  return Array.from({ length: cases }, (_, at) => {
    const [before, after] = chances();
    const trialsAt = (chance: number) => Array.from({ length: trials }, () => draw() < chance);
    return { id: String(at), before: trialsAt(before), after: trialsAt(after) };
  });
}

const pair = (id: string, before: string, after: string): PairedCase => ({
  id,
  before: Array.from(before, (mark) => mark === '+'),
  after: Array.from(after, (mark) => mark === '+'),
});

const reached = { changed: [], added: 0, unasked: 0, gone: [], sample: 'same cases' } as const;

test('a comparison names what was fixed, broke, still fails and is flaky now', () => {
  expect(
    compareRuns([
      pair('fixed', '---', '+++'),
      pair('broken', '+++', '---'),
      pair('mostly passed, now fails', '++-', '---'),
      pair('now mostly fails', '+++', '+--'),
      pair('failing', '---', '---'),
      pair('flaky now', '+++', '+-+'),
      pair('flaky before and now', '+-+', '-+-'),
      pair('same', '+++', '+++'),
      pair('not graded', '', '+++'),
    ]),
  ).toEqual({
    fixed: ['fixed'],
    broken: ['broken', 'mostly passed, now fails'],
    still_failing: ['failing'],
    flaky_now: ['now mostly fails', 'flaky now'],
    verdict: 'no clear change',
    p: expect.any(Number),
    cases: 8,
    reach: { ...reached, compared: 8, cases: 9, ungraded: 1 },
  });
});

test('runs that share no case with a verdict in both are not comparable', () => {
  for (const pairs of [[], [pair('not graded', '', '+')]])
    expect(compareRuns(pairs, { ...reached, changed: ['c', 'd'] })).toMatchObject({
      verdict: 'not comparable',
      p: 1,
      cases: 0,
    });
});

test('the p-value is the share of all exchanges that make as large a difference', () => {
  const pairs = [pair('a', '++', '--'), pair('b', '+-', '++'), pair('c', '+-', '--'), pair('d', '+-', '-+')];
  const splits = pairs.map(({ before, after }) => {
    const [one, two, three, four] = [...before, ...after].map(Number) as [number, number, number, number]; // Two trials each.
    return [one + two, one + three, one + four, two + three, two + four, three + four].map(
      (first) => one + two + three + four - 2 * first,
    );
  });
  const sums = splits.reduce<number[]>(
    (all, own) => all.flatMap((sum) => own.map((each) => sum + each)),
    [0],
  );
  const observed = Math.abs(-2 + 1 - 1 + 0);
  const asLarge = sums.filter((sum) => Math.abs(sum) >= observed).length;
  expect(compareRuns(pairs).p).toBeCloseTo(asLarge / sums.length, 10);
});

test('runs with different numbers of trials are compared', () => {
  const { p, verdict } = compareRuns(Array.from({ length: 4 }, (_, at) => pair(String(at), '+++++', '--')));
  expect(p).toBeCloseTo((1 / 21) ** 4, 10);
  expect(verdict).toBe('worse');
});

test('the normal distribution takes over for large runs without a jump', () => {
  const pairs = (cases: number) =>
    Array.from({ length: cases }, (_, at) =>
      pair(String(at), '++++----', at % 20 === 0 ? '+++++++-' : '++++----'),
    );
  const { p: exact } = compareRuns(pairs(150));
  const { p: normal } = compareRuns(pairs(170));
  expect(Math.abs(Math.log(exact / normal))).toBeLessThan(0.6);
});

const made = [
  { id: 'a', weight: 2, tags: ['easy', 'x'], passes: [true, true] },
  { id: 'b', weight: 1, tags: ['easy'], passes: [true, false] },
  { id: 'c', weight: 1, tags: [], passes: [false, false] },
  { id: 'ungraded', weight: 5, tags: ['y'], passes: [] },
];

test('figures weigh cases and leave ungraded trials out', () => {
  expect(passRate(made)?.value).toBeCloseTo(2.5 / 4);
  expect(passAll(made)).toEqual({ k: 2, value: 0.5 });
  expect(flakyCases(made)).toEqual(['b']);
  expect(rateByTag(made)).toEqual({ easy: { value: 2.5 / 3, cases: 2 }, x: { value: 1, cases: 1 } });
});

test('a run without a graded trial has no figures', () => {
  expect(passRate([])).toBeNull();
  expect(passAll([{ id: 'a', weight: 1, tags: [], passes: [] }])).toBeNull();
});

test('only the ratios of weights count, however small they are', () => {
  const cases = [1, 2, 3].map((weight) => {
    return { id: `${weight}`, weight, tags: [], passes: [weight > 1, true] };
  });
  const tiny = cases.map((one) => ({ ...one, weight: one.weight * 2 ** -1_000 }));
  // As a fraction, a weight is what it is written as.
  const { exact: _, ...rate } = passRate(cases) ?? {};
  expect(passRate(tiny)).toMatchObject(rate);
});

test('an interval begins at exactly 0 if no case passed, and ends at exactly 1 if all did, for any number of cases', () => {
  for (let cases = 1; cases <= 300; cases += 1) {
    const of = (chance: number) =>
      passRate(
        simulate(
          cases,
          1,
          () => chance,
          () => 0.5,
        ),
      );
    expect([cases, of(0)?.low, of(1)?.high]).toEqual([cases, 0, 1]);
  }
});
