/** Writes one plain sentence under constraints on its words. */
import type { WordPools } from '../../language/plain-words.ts';
import type { Random } from '../../../random.ts';

export interface LineWish {
  readonly wordCount: number;
  /** The first letter of the line, or its whole first word. */
  readonly firstLetter?: string;
  readonly firstWord?: string;
  /** Exactly one word must begin with it. */
  readonly initial?: string;
  /** A name that the line must mention. */
  readonly name?: string;
  /** A number that the line must mention. */
  readonly number?: number;
  /** The number of letters of the last word. */
  readonly lastLength?: number;
  readonly endsWithNoun?: boolean;
}

type Slot = 'adjective' | 'noun' | 'verb' | 'adverb' | 'preposition' | 'name' | 'number';

/** The words of a sentence, or null if the pools do not allow it. `used` words are not used again. */
export function writeLine(
  random: Random,
  pools: WordPools,
  wish: LineWish,
  used: ReadonlySet<string>,
): string[] | null {
  const slots = drawSlots(random, wish);
  if (slots === null) return null;
  const forced = wish.initial === undefined ? -1 : pickPlace(random, slots, wish);
  if (wish.initial !== undefined && forced < 0) return null;
  const taken = new Set(used);
  const words: string[] = [];
  for (const [at, slot] of slots.entries()) {
    const word = drawWord(random, pools, slot, wish, {
      isFirst: at === 0,
      isLast: at === slots.length - 1,
      isForced: at === forced,
      taken,
    });
    if (word === null) return null;
    words.push(word);
    taken.add(word.toLowerCase());
  }
  return words;
}

/** Subject, verb and object first, then words to fill the line. */
function drawSlots(random: Random, wish: LineWish): Slot[] | null {
  const subject: Slot[] = ['noun'];
  const object: Slot[] = [wish.name === undefined ? 'noun' : 'name'];
  const rest: Slot[] = [];
  let hasAdverb = false;
  let left = wish.wordCount - 3;
  if (wish.number !== undefined) {
    if (wish.name === undefined) object.unshift('number');
    else rest.push('preposition', 'number', 'noun');
    left = wish.wordCount - subject.length - 1 - object.length - rest.length;
  }
  const mustEndInNoun = wish.endsWithNoun === true || wish.lastLength !== undefined;
  if (mustEndInNoun && rest.length === 0 && wish.name !== undefined) {
    rest.push('preposition', 'noun');
    left -= 2;
  }
  if (left < 0) return null;
  while (left > 0) {
    const canAdverb = !hasAdverb && !mustEndInNoun;
    const choice = random.int(0, 3);
    if (choice === 0 && left >= 2) {
      rest.push('preposition', 'noun');
      left -= 2;
    } else if (choice === 1 && canAdverb) {
      hasAdverb = true;
      left -= 1;
    } else if (choice === 2 && wish.firstWord === undefined && subject.length < 3) {
      subject.unshift('adjective');
      left -= 1;
    } else if (choice === 3 || left === 1) {
      const place = rest.lastIndexOf('preposition');
      if (place >= 0 && random.chance(0.5)) rest.splice(place + 1, 0, 'adjective');
      else if (object.length < 4 && wish.name === undefined) object.splice(-1, 0, 'adjective');
      else if (place >= 0) rest.splice(place + 1, 0, 'adjective');
      else if (wish.firstWord === undefined) subject.unshift('adjective');
      else if (canAdverb) hasAdverb = true;
      else return null;
      left -= 1;
    }
  }
  return fixNumber([...subject, 'verb', ...object, ...rest, ...(hasAdverb ? (['adverb'] as const) : [])]);
}

/** A number stands before the adjectives of its noun. */
function fixNumber(slots: Slot[]): Slot[] {
  const place = slots.indexOf('number');
  if (place > 0 && slots[place - 1] === 'adjective') {
    slots.splice(place, 1);
    slots.splice(place - 1, 0, 'number');
  }
  return slots;
}

function pickPlace(random: Random, slots: readonly Slot[], wish: LineWish): number {
  const free = slots.flatMap((slot, at) => {
    const isBound = at === 0 && (wish.firstLetter !== undefined || wish.firstWord !== undefined);
    const isLast = at === slots.length - 1;
    return slot === 'name' || slot === 'number' || isBound || isLast ? [] : [at];
  });
  return free.length === 0 ? -1 : random.pick(free);
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isForced: boolean;
  readonly taken: ReadonlySet<string>;
}

function drawWord(random: Random, pools: WordPools, slot: Slot, wish: LineWish, place: Place): string | null {
  if (place.isFirst && wish.firstWord !== undefined) return wish.firstWord;
  if (slot === 'name') return wish.name ?? null;
  if (slot === 'number') return String(wish.number);
  const fits = (word: string) =>
    !place.taken.has(word) &&
    (!place.isFirst || wish.firstLetter === undefined || word.startsWith(wish.firstLetter)) &&
    (wish.initial === undefined || word.startsWith(wish.initial) === place.isForced) &&
    (!place.isLast || wish.lastLength === undefined || word.length === wish.lastLength);
  const pool = poolOf(pools, slot);
  // A few quick draws first, because searching the whole pool is only needed when few words fit.
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const word = pool.length === 0 ? '' : random.pick(pool);
    if (word !== '' && fits(word)) return word;
  }
  const fitting = pool.filter(fits);
  return fitting.length === 0 ? null : random.pick(fitting);
}

function poolOf(pools: WordPools, slot: Exclude<Slot, 'name' | 'number'>): readonly string[] {
  switch (slot) {
    case 'adjective':
      return pools.adjectives;
    case 'noun':
      return pools.nouns;
    case 'verb':
      return pools.verbs;
    case 'adverb':
      return pools.adverbs;
    case 'preposition':
      return pools.prepositions;
  }
}
