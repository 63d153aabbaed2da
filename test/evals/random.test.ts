import { describe, expect, test } from 'bun:test';
import { assert, array, integer, property, stringMatching } from 'fast-check';
import { createRandom } from '#evals/random.ts';

const seeds = stringMatching(/^[0-9a-f]{32}$/);

describe('createRandom', () => {
  test('gives the same draws on every machine', () => {
    const random = createRandom('0'.repeat(32), 'fixed');
    expect(Array.from({ length: 8 }, () => random.int(0, 999))).toEqual([
      630, 917, 439, 135, 661, 27, 820, 354,
    ]);
    expect(random.text('abcdef', 8)).toBe('cbbadddd');
  });

  test('gives different draws for a different seed or label', () => {
    const draw = (seed: string, label: string) => createRandom(seed, label).text('0123456789abcdef', 32);
    const drawn = [draw('0'.repeat(32), 'a'), draw('0'.repeat(32), 'b'), draw('1'.repeat(32), 'a')];
    expect(new Set(drawn).size).toBe(3);
  });

  test('stays within its bounds and reaches both ends', () => {
    assert(
      property(seeds, integer({ min: -50, max: 50 }), integer({ min: 0, max: 5 }), (seed, min, span) => {
        const random = createRandom(seed, 'bounds');
        const drawn = new Set(Array.from({ length: 200 }, () => random.int(min, min + span)));
        expect(drawn.size).toBe(span + 1);
        for (const number of drawn) expect(number >= min && number <= min + span).toBe(true);
      }),
    );
  });

  test('rejects bounds and sizes that are impossible to draw', () => {
    const random = createRandom('0'.repeat(32), 'refuse');
    expect(() => random.int(2, 1)).toThrow(RangeError);
    expect(() => random.int(0.5, 1)).toThrow(RangeError);
    expect(() => random.pick([])).toThrow(RangeError);
    expect(() => random.sample([1, 2], 3)).toThrow(RangeError);
  });

  test('shuffles and samples without losing or duplicating anything', () => {
    assert(
      property(seeds, array(integer(), { maxLength: 20 }), (seed, items) => {
        const random = createRandom(seed, 'shuffle');
        const ascending = (left: number, right: number) => left - right;
        expect(random.shuffle(items).toSorted(ascending)).toEqual(items.toSorted(ascending));
        const positions = [...items.keys()];
        const sample = random.sample(positions, Math.floor(items.length / 2));
        expect(new Set(sample).size).toBe(Math.floor(items.length / 2));
      }),
    );
  });
});
