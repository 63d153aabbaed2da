/** The people, things and places that zebra puzzles are told about. */
import type { Random } from '../../../random.ts';
import { firstNames } from '../../language/first-names.ts';

export interface Attribute {
  /** In a question: "their drinks". */
  readonly plural: string;
  readonly values: readonly string[];
  /** The person with `value`, as the subject of a sentence. */
  who(value: string): string;
}

/** A row of places. */
export interface Setting {
  readonly row: string;
  readonly place: string;
  /** Directly before in the row, and anywhere before. */
  readonly directlyBefore: string;
  readonly before: string;
  readonly ends: string;
  /** The order in which an answer lists things. */
  readonly order: string;
}

const words = (text: string) => text.split(' ');

const nameAttribute: Attribute = { plural: 'names', values: firstNames, who: (value) => value };

const otherAttributes: readonly Attribute[] = [
  {
    plural: 'drinks',
    values: words('tea coffee milk cider lemonade cocoa water beer juice punch'),
    who: (value) => `the person who drinks ${value}`,
  },
  {
    plural: 'pets',
    values: words('parrot tortoise ferret hamster goldfish cat pony rabbit gecko beagle'),
    who: (value) => `the owner of the ${value}`,
  },
  {
    plural: 'colours',
    values: words('red green blue yellow white purple orange grey brown pink'),
    who: (value) => `the person with the ${value} door`,
  },
  {
    plural: 'trades',
    values: words('potter baker weaver tailor surgeon plumber printer farmer lawyer pilot'),
    who: (value) => `the ${value}`,
  },
  {
    plural: 'instruments',
    values: words('flute cello harp drum banjo oboe trumpet organ guitar violin'),
    who: (value) => `the person who plays the ${value}`,
  },
  {
    plural: 'dishes',
    values: words('soup curry lasagne risotto goulash paella dumplings stew pancakes sushi'),
    who: (value) => `the one whose favourite dish is ${value}`,
  },
  {
    plural: 'hobbies',
    values: words('chess fencing sailing knitting archery pottery gardening cycling juggling origami'),
    who: (value) => `the one who spends the evenings on ${value}`,
  },
];

export const settings: readonly Setting[] = [
  {
    row: 'houses stand in a row, numbered from left to right',
    place: 'house',
    directlyBefore: 'directly to the left of',
    before: 'somewhere to the left of',
    ends: 'at one end of the row',
    order: 'from left to right',
  },
  {
    row: 'market stalls stand in a line, numbered from west to east',
    place: 'stall',
    directlyBefore: 'directly west of',
    before: 'further west than',
    ends: 'at one end of the line',
    order: 'from west to east',
  },
  {
    row: 'cabins lie along a corridor, numbered from the bow to the stern',
    place: 'cabin',
    directlyBefore: 'one cabin nearer the bow than',
    before: 'nearer the bow than',
    ends: 'at one end of the corridor',
    order: 'from the bow to the stern',
  },
  {
    row: 'flats lie one above the other, numbered from the bottom up',
    place: 'flat',
    directlyBefore: 'directly below',
    before: 'somewhere below',
    ends: 'at the very top or the very bottom',
    order: 'from the bottom up',
  },
];

/** `count` attributes with `size` values each; the first is the names. */
export function drawAttributes(random: Random, count: number, size: number): Attribute[] {
  return [nameAttribute, ...random.sample(otherAttributes, count - 1)].map((attribute) => ({
    ...attribute,
    values: random.sample(attribute.values, size),
  }));
}
