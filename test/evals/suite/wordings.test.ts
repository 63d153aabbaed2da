/** How wordings are drawn and filled in. Whether they are clear is tested beside the kinds that use them. */
import { expect, test } from 'bun:test';
import { drawStyle, drawWording, fillIn } from '#evals/suite/language/wordings.ts';
import { createRandom } from '#evals/random.ts';

const ten = Array.from({ length: 10 }, (_, at) => `wording ${at}`);

test('of ten wordings, the first is drawn about 19 times in 100, and the last about once', () => {
  const random = createRandom('0'.repeat(32), 'wordings');
  const drawn = Map.groupBy(
    Array.from({ length: 20_000 }, () => drawWording(random, ten)),
    (text) => text,
  );
  const shares = ten.map((text) => (drawn.get(text) ?? []).length / 20_000);
  for (const [at, share] of shares.entries()) {
    expect(Math.abs(share - (19 - 2 * at) / 100)).toBeLessThan(0.01);
  }
  expect(() => drawWording(random, [])).toThrow(RangeError);
});

test('a style has at most as many wordings as asked for, all different', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const style = drawStyle(createRandom(String(seed), 'style'), ten, 3);
    expect(style.length).toBeGreaterThan(0);
    expect(style.length).toBeLessThanOrEqual(3);
    expect(new Set(style).size).toBe(style.length);
    expect(style.every((text) => ten.includes(text))).toBe(true);
  }
});

test('a place is filled in wherever it stands, and one without a value is an error', () => {
  expect(fillIn('{a} meets {b}, and {a} leaves.', { a: 'Ann', b: 2 })).toBe('Ann meets 2, and Ann leaves.');
  expect(() => fillIn('{a} meets {c}.', { a: 'Ann' })).toThrow('has no c');
});
