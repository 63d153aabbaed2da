import { describe, expect, test } from 'bun:test';
import { assert, property, stringMatching } from 'fast-check';
import { createHash } from 'node:crypto';
import { countWords } from '#domain/eval-suite/graders/count-units.ts';
import {
  categories,
  generateCases,
  gradeReply,
  newSeed,
  suiteCaseCount,
  suiteVersion,
} from '#domain/eval-suite/index.ts';
import { drawSeed, drawSeeds } from './draw-seeds.ts';
import { processorMs } from './processor-time.ts';

const seeds = stringMatching(/^[0-9a-f]{32}$/);

describe('generateCases', () => {
  test('returns byte-identical cases for the same seed', () => {
    assert(
      property(seeds, (seed) => {
        expect(JSON.stringify(generateCases(seed))).toBe(JSON.stringify(generateCases(seed)));
      }),
      { numRuns: 50 },
    );
  });

  test('returns the same cases as always in this suite version; changed cases need a new version', () => {
    const digest = createHash('sha256');
    for (const seed of ['0'.repeat(32), '0123456789abcdef'.repeat(2), 'f'.repeat(32)]) {
      digest.update(JSON.stringify(generateCases(seed)));
    }
    expect({ suiteVersion, digest: digest.digest('hex') }).toEqual({
      suiteVersion: '1',
      digest: 'c23afbdb1c734d0353e479c1bde5a51f0755f5b4eec61bab319fc292565f8d05',
    });
  });

  test('returns 40 cases in eight categories whose weights sum to 100', () => {
    const cases = generateCases(drawSeed('any'));
    expect([cases.length, suiteCaseCount]).toEqual([40, 40]);
    expect(categories.map(({ name, caseCount, weight }) => [name, caseCount, weight])).toEqual([
      ['instructions', 10, 25],
      ['structured', 5, 15],
      ['reasoning', 5, 15],
      ['arithmetic', 5, 10],
      ['text', 4, 10],
      ['context', 4, 10],
      ['injection', 4, 10],
      ['secrecy', 3, 5],
    ]);
    expect(cases.reduce((sum, evalCase) => sum + evalCase.weight, 0)).toBeCloseTo(100, 9);
  });

  test('numbers the cases from 0 and gives each category its count and its weight', () => {
    const cases = generateCases(drawSeed('any'));
    expect(cases.map((evalCase) => evalCase.index)).toEqual(cases.map((_, position) => position));
    expect(new Set(cases.map((evalCase) => evalCase.id)).size).toBe(cases.length);
    for (const category of categories) {
      const own = cases.filter((evalCase) => evalCase.category === category.name);
      expect(own).toHaveLength(category.caseCount);
      expect(own.reduce((sum, evalCase) => sum + evalCase.weight, 0)).toBeCloseTo(category.weight, 9);
    }
  });

  test('varies the difficulty inside every category', () => {
    const cases = generateCases(drawSeed('any'));
    for (const category of categories) {
      const levels = new Set(
        cases.filter((one) => one.category === category.name).map((one) => one.difficulty),
      );
      expect({ category: category.name, levels: levels.size }).toEqual({
        category: category.name,
        levels: 3,
      });
    }
  });

  test('returns cases that survive a round trip through JSON', () => {
    for (const evalCase of generateCases(drawSeed('any'))) {
      expect(JSON.parse(JSON.stringify(evalCase))).toEqual(evalCase);
    }
  });

  test('returns prompts of at most 16,000 characters whose expected reply passes, without repeats outside instructions', () => {
    const seen = new Set<string>();
    for (const seed of drawSeeds('fulfilled', 150)) {
      for (const evalCase of generateCases(seed)) {
        const grade = gradeReply(evalCase, evalCase.expected);
        if (grade.score !== 1 || !grade.passed)
          expect({ seed, id: evalCase.id, ...grade }).toMatchObject({ score: 1, passed: true });
        expect(evalCase.prompt.length).toBeLessThanOrEqual(16_000);
        expect(evalCase.prompt).not.toMatch(/undefined|NaN|\[object/);
        const repeated = seen.has(evalCase.prompt);
        if (repeated && evalCase.category !== 'instructions')
          expect({ seed, id: evalCase.id, repeated: evalCase.prompt }).toMatchObject({ repeated: 'never' });
        seen.add(evalCase.prompt);
      }
    }
  });

  test('keeps the texts of the context category between 500 and 2,000 words', () => {
    for (const seed of drawSeeds('words', 100)) {
      for (const evalCase of generateCases(seed).filter((one) => one.category === 'context')) {
        const text = evalCase.prompt.split('Text:\n\n')[1]?.split('\n\nQuestion:')[0] ?? '';
        const words = countWords(text);
        expect({ seed, id: evalCase.id, enough: words >= 500, few: words <= 2_000 }).toEqual({
          seed,
          id: evalCase.id,
          enough: true,
          few: true,
        });
      }
    }
  });

  test('uses every kind of instruction over many runs, and nearly all of them in any one run', () => {
    for (const seed of drawSeeds('kinds', 20)) {
      const kinds = generateCases(seed)
        .filter((evalCase) => evalCase.category === 'instructions')
        .flatMap((evalCase) => evalCase.graders.map((spec) => spec.name));
      expect(new Set(kinds).size).toBeGreaterThanOrEqual(15);
    }
  });

  test('takes a few milliseconds of processor time', () => {
    const times = drawSeeds('time', 20).map((seed) => processorMs(() => generateCases(seed)));
    expect(Math.min(...times)).toBeLessThan(50);
  });

  test.each(['', 'abc', 'G'.repeat(32), 'A'.repeat(32), '0'.repeat(33)])('rejects %p as a seed', (seed) => {
    expect(() => generateCases(seed)).toThrow(RangeError);
  });
});

describe('newSeed', () => {
  test('returns 32 hex digits, different each time', () => {
    const drawn = Array.from({ length: 100 }, newSeed);
    for (const seed of drawn) expect(seed).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(drawn).size).toBe(100);
  });
});
