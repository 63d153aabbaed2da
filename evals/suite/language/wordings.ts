/**
 * Wordings of one thing. The first are used most often, so a program that knows those of some runs meets others in the
 * next. A wording is a text with places such as `{name}`.
 */
import type { Random } from '../../random.ts';

/** One of `wordings`: of ten, the first is drawn 19 times in 100, and the last once. */
export function drawWording<Wording>(random: Random, wordings: readonly Wording[]): Wording {
  // The lower of two draws.
  const drawn = wordings[Math.min(random.int(0, wordings.length - 1), random.int(0, wordings.length - 1))];
  if (drawn === undefined) throw new RangeError('A list of wordings has a gap.');
  return drawn;
}

/** The wordings that one writer uses throughout a text: at most `count` of `texts`, all different. */
export function drawStyle(random: Random, texts: readonly string[], count: number): readonly string[] {
  return [...new Set(Array.from({ length: count }, () => drawWording(random, texts)))];
}

/**
 * The text with a value in each of its places.
 *
 * @throws RangeError for a place without a value
 */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{([a-z_]+)\}/gi, (_, place: string) => {
    const value = values[place];
    if (value === undefined) throw new RangeError(`The wording ${JSON.stringify(text)} has no ${place}.`);
    return String(value);
  });
}
