/**
 * Wordings of one thing. The first are used most often, so a program that knows those of some runs meets others in the
 * next. A wording is a text with places such as `{name}`.
 */
import type { Random } from '../random.ts';

/** One of `texts`: of ten, the first is drawn 19 times in 100, and the last once. */
export function drawWording(random: Random, texts: readonly string[]): string {
  // The lower of two draws.
  const place = Math.min(random.int(0, texts.length - 1), random.int(0, texts.length - 1));
  return texts[place] ?? '';
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
