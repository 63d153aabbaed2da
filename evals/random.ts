/**
 * The only source of randomness in the suite. Each stream depends on the run's seed and a label, so changing
 * one topic does not change the cases of the others.
 */
import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { JumpableRandomGenerator } from 'pure-rand/types/JumpableRandomGenerator';

/** One stream. The same stream gives the same values on every machine. */
export interface Random {
  /** A whole number from `min` to `max` inclusive. */
  int(min: number, max: number): number;
  /** True with the given probability, in steps of one millionth. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** `count` different elements of `items`, in random order. */
  sample<Item>(items: readonly Item[], count: number): Item[];
  shuffle<Item>(items: readonly Item[]): Item[];
  /** `length` characters of `alphabet`. */
  text(alphabet: string, length: number): string;
  /** A stream that goes on from here by itself. */
  copy(): Random;
}

/** @param seed 32 hex digits */
export function createRandom(seed: string, label: string): Random {
  const digest = createHash('sha256').update(`${seed}/${label}`).digest();
  const state = [0, 4, 8, 12].map((offset) => digest.readInt32BE(offset));
  return randomFrom(xoroshiro128plusFromState(state));
}

function randomFrom(generator: JumpableRandomGenerator): Random {
  function int(min: number, max: number): number {
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max) {
      throw new RangeError(`No whole number lies between ${min} and ${max}.`);
    }
    return uniformInt(generator, min, max);
  }

  /** The first `count` steps of a Fisher-Yates shuffle. */
  function sample<Item>(items: readonly Item[], count: number): Item[] {
    if (count > items.length) throw new RangeError(`Cannot take ${count} of ${items.length} items.`);
    const left = items.slice();
    for (let place = 0; place < count; place += 1) {
      const drawn = int(place, left.length - 1);
      // Both indices are inside the list, so both elements exist, even if Item includes undefined.
      [left[place], left[drawn]] = [left[drawn] as Item, left[place] as Item];
    }
    return left.slice(0, count);
  }

  function pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('Cannot pick from an empty list.');
    // The index is inside the list, so the element exists, even if Item includes undefined.
    return items[int(0, items.length - 1)] as Item;
  }

  return {
    int,
    pick,
    sample,
    shuffle: (items) => sample(items, items.length),
    chance: (probability) => int(0, 999_999) < probability * 1_000_000,
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet.charAt(int(0, alphabet.length - 1))).join(''),
    copy: () => randomFrom(generator.clone()),
  };
}
