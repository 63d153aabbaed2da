import { describe, expect, test } from 'bun:test';
import { assert, property, stringMatching, array, integer } from 'fast-check';
import { compareRuns } from '#domain/eval-suite/compare-runs.ts';
import { generateCases, latencySummary, scoreRun, suiteCaseCount } from '#domain/eval-suite/index.ts';
import type { CaseResult } from '#domain/eval-suite/index.ts';
import { roundToTenth } from '#domain/eval-suite/score-run.ts';
import { differenceInterval, wilsonInterval } from '#domain/eval-suite/wilson-interval.ts';
import { answerAll } from './answering.ts';
import { drawSeed } from './draw-seeds.ts';

function result(changes: Partial<CaseResult>): CaseResult {
  return {
    index: 0,
    id: 'a-1',
    category: 'a',
    prompt: 'p',
    status: 'passed',
    score: 1,
    weight: 1,
    checks: [],
    response_text: 'r',
    error_code: null,
    attempts: 1,
    latency_ms: 10,
    ...changes,
  };
}

describe('scoreRun', () => {
  test('weights cases, categories and the total, with one decimal', () => {
    const score = scoreRun([
      result({ index: 0, weight: 3, score: 0.5, status: 'failed' }),
      result({ index: 1, weight: 1 }),
      result({ index: 2, weight: 2, category: 'b', score: 1 / 3, status: 'failed' }),
    ]);
    expect(score).toMatchObject({ score: 52.8, cases: 3, passed: 1, failed: 2, errors: 0, error_rate: 0 });
    expect(score.categories).toEqual([
      {
        name: 'a',
        weight: 4,
        score: 62.5,
        cases: 2,
        passed: 1,
        failed: 1,
        errors: 0,
        pass_rate: { strict: 50, loose: 100 },
      },
      {
        name: 'b',
        weight: 2,
        score: 33.3,
        cases: 1,
        passed: 0,
        failed: 1,
        errors: 0,
        pass_rate: { strict: 0, loose: 100 },
      },
    ]);
  });

  test('counts errors in every denominator with the score 0, whatever score they carry, and lists them separately', () => {
    const score = scoreRun([
      result({ index: 0 }),
      result({ index: 1, status: 'error', score: 1, response_text: null, error_code: 'target_timeout' }),
    ]);
    expect(score).toMatchObject({ score: 50, passed: 1, failed: 0, errors: 1, error_rate: 50 });
    expect(score.pass_rate).toMatchObject({ strict: 50, loose: 50 });
    expect(score.categories[0]).toMatchObject({ score: 50, errors: 1 });
  });

  test('distinguishes strict from loose passes', () => {
    const loose = { name: 'x', passed: false, message: 'm', passed_loose: true };
    const failed = { name: 'x', passed: false, message: 'm' };
    const score = scoreRun([
      result({ index: 0, checks: [{ name: 'x', passed: true, message: 'm' }] }),
      result({ index: 1, status: 'failed', score: 0, checks: [loose] }),
      result({ index: 2, status: 'failed', score: 0, checks: [loose, failed] }),
      result({ index: 3, status: 'failed', score: 0, checks: [failed] }),
    ]);
    expect(score.pass_rate).toMatchObject({ strict: 25, loose: 50 });
    expect(score.graders).toEqual([{ name: 'x', checks: 5, passed: 1, passed_loose: 3 }]);
  });

  test('sorts graders by failed checks, most first', () => {
    const checks = [
      { name: 'a', passed: true, message: '' },
      { name: 'b', passed: false, message: '' },
      { name: 'b', passed: false, message: '' },
      { name: 'c', passed: false, message: '' },
    ];
    expect(
      scoreRun([result({ status: 'failed', score: 0, checks })]).graders.map(({ name }) => name),
    ).toEqual(['b', 'c', 'a']);
  });

  test('scores each difficulty where it is known', () => {
    const score = scoreRun([
      result({ index: 0, difficulty: 'hard', score: 0, status: 'failed' }),
      result({ index: 1, difficulty: 'easy' }),
      result({ index: 2, difficulty: 'hard' }),
      result({ index: 3 }),
    ]);
    expect(score.difficulties.map(({ name, score: own, cases }) => [name, own, cases])).toEqual([
      ['easy', 100, 1],
      ['hard', 50, 2],
    ]);
  });

  test('returns a score for an empty run', () => {
    expect(scoreRun([])).toMatchObject({
      score: 0,
      interval: { low: 0, high: 100 },
      cases: 0,
      error_rate: 0,
      categories: [],
    });
  });

  test.each([1.1, -0.1, Number.NaN])('rejects a case score of %p', (score) => {
    expect(() => scoreRun([result({ score })])).toThrow(RangeError);
  });

  test('does not depend on the order of the results, and the interval contains the score', () => {
    assert(
      property(
        stringMatching(/^[0-9a-f]{32}$/),
        array(integer({ min: 0, max: 2 }), { minLength: suiteCaseCount, maxLength: suiteCaseCount }),
        (seed, choices) => {
          const results = answerAll(
            generateCases(seed),
            (evalCase) => [null, 'no idea', evalCase.expected][choices[evalCase.index] ?? 0] ?? null,
          );
          const score = scoreRun(results);
          expect(scoreRun(results.toReversed())).toEqual(score);
          expect(score.interval.low).toBeLessThanOrEqual(score.score);
          expect(score.interval.high).toBeGreaterThanOrEqual(score.score);
          expect(score.passed + score.failed + score.errors).toBe(suiteCaseCount);
          expect(score.errors).toBe(choices.filter((choice) => choice === 0).length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('wilsonInterval', () => {
  test.each([
    [0.5, 40, 0.352, 0.648],
    [1, 40, 0.9124, 1],
    [0, 40, 0, 0.0876],
    [0.9, 10, 0.5958, 0.9821],
  ])('of %p in %p trials is %p to %p', (share, count, low, high) => {
    const interval = wilsonInterval(share, count);
    expect(interval.low).toBeCloseTo(low, 3);
    expect(interval.high).toBeCloseTo(high, 3);
  });

  test('of no trials covers the whole range', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('differenceInterval', () => {
  // The examples of Newcombe's paper (1998, table II, method 10).
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [10, 10, 0, 10, 0.6075, 1],
  ])(
    'of %p in %p after and %p in %p before matches the published value',
    (passed, count, before, countBefore, low, high) => {
      const estimate = (successes: number, trials: number) => ({
        share: successes / trials,
        ...wilsonInterval(successes / trials, trials),
      });
      const interval = differenceInterval(estimate(before, countBefore), estimate(passed, count));
      expect(interval.low).toBeCloseTo(low, 4);
      expect(interval.high).toBeCloseTo(high, 4);
    },
  );
});

describe('roundToTenth', () => {
  test.each([
    [62.45, 62.5],
    [62.449, 62.4],
    [0.05, 0.1],
    [100, 100],
    [99.94, 99.9],
    [-1.25, -1.2],
  ])('%p is shown as %p', (value, shown) => {
    expect(roundToTenth(value)).toBe(shown);
  });
});

describe('latencySummary', () => {
  test('takes the nearest ranks over answered cases only', () => {
    const results = Array.from({ length: 10 }, (_, index) =>
      result({ index, latency_ms: (10 - index) * 10 + 0.4 }),
    );
    expect(latencySummary(results)).toEqual({ p50_ms: 50, p90_ms: 90, max_ms: 100 });
    const late = result({ status: 'error', latency_ms: 30_000 });
    expect(latencySummary([...results, late])).toEqual({ p50_ms: 50, p90_ms: 90, max_ms: 100 });
    expect(latencySummary([result({ latency_ms: 7 }), result({ latency_ms: null })])).toEqual({
      p50_ms: 7,
      p90_ms: 7,
      max_ms: 7,
    });
  });

  test('is null when no case was answered', () => {
    expect(latencySummary([])).toBeNull();
    expect(latencySummary([result({ status: 'error', latency_ms: 30_000 })])).toBeNull();
  });
});

describe('compareRuns', () => {
  const [before, after] = ['before', 'after'].map((label) => generateCases(drawSeed(label)));
  const silentIn = (cases: typeof before, categories: readonly string[]) =>
    answerAll(cases!, ({ category, expected }) => (categories.includes(category) ? 'no' : expected));

  test('reports the change of the total, of each category and of each grader, with the number of trials', () => {
    const comparison = compareRuns(silentIn(before, ['text']), silentIn(after, ['secrecy']));
    expect(comparison.score).toMatchObject({
      before: 90,
      after: 95,
      change: 5,
      outcome: 'better',
      clear: false,
    });
    expect(comparison.score.interval.low).toBeLessThan(0);
    expect(comparison.score.interval.high).toBeGreaterThan(5);
    expect(comparison.categories.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['instructions', 'same'],
      ['structured', 'same'],
      ['reasoning', 'same'],
      ['arithmetic', 'same'],
      ['text', 'better'],
      ['context', 'same'],
      ['injection', 'same'],
      ['secrecy', 'worse'],
    ]);
    expect(comparison.categories).toContainEqual({
      name: 'text',
      before: 0,
      after: 100,
      change: 100,
      outcome: 'better',
      clear: true,
      count: { before: 4, after: 4 },
    });
    expect(comparison.graders).toContainEqual({
      name: 'canary-absent',
      before: 100,
      after: 100,
      change: 0,
      outcome: 'same',
      clear: false,
      count: { before: 4, after: 4 },
    });
  });

  test('sorts graders from the greatest loss to the greatest gain', () => {
    const { graders } = compareRuns(silentIn(before, ['context']), silentIn(after, ['injection']));
    const changes = graders.map(({ change }) => change ?? 0);
    expect(changes).toEqual(changes.toSorted((left, right) => left - right));
    expect(changes[0]).toBeLessThan(0);
    expect(changes.at(-1)).toBeGreaterThan(0);
  });

  test('calls a change clear when its interval excludes 0, in either direction', () => {
    const [none, all] = [answerAll(before!, () => ''), silentIn(after, [])];
    expect(compareRuns(none, all).score).toMatchObject({ change: 100, outcome: 'better', clear: true });
    expect(compareRuns(all, none).score).toMatchObject({ change: -100, outcome: 'worse', clear: true });
    expect(compareRuns(all, all).score).toMatchObject({ change: 0, outcome: 'same', clear: false });
  });

  test('swapping the runs negates every change and its interval', () => {
    const runs = [silentIn(before, ['text', 'context']), silentIn(after, ['secrecy'])] as const;
    const [there, back] = [compareRuns(runs[0], runs[1]).score, compareRuns(runs[1], runs[0]).score];
    expect(back.change).toBe(-there.change);
    expect(back.interval.low).toBeCloseTo(-there.interval.high, 1);
    expect(back.interval.high).toBeCloseTo(-there.interval.low, 1);
  });

  test('reports null for what only one of the runs has', () => {
    const own = silentIn(after, []).filter(({ category }) => category === 'text');
    const { categories, graders } = compareRuns(silentIn(before, []), own);
    expect(categories[0]).toEqual({
      name: 'instructions',
      before: 100,
      after: null,
      change: null,
      outcome: null,
      clear: false,
      count: { before: 10, after: 0 },
    });
    expect(compareRuns(own, silentIn(before, [])).categories).toContainEqual(
      expect.objectContaining({ name: 'secrecy', before: null, after: 100, count: { before: 0, after: 3 } }),
    );
    expect(graders.find(({ name }) => name === 'secret-absent')).toMatchObject({ after: null, change: null });
  });
});
