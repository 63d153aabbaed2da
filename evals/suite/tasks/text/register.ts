/** A register of invented goods, to be selected and sorted by its columns. */
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../../random.ts';
import { compareText, type Sorting, type SortKey } from './sorting.ts';
import { inventVocabulary } from './words.ts';

interface Entry {
  readonly name: string;
  readonly crates: number;
  readonly hall: string;
  readonly owner: string;
}

/** The words of an entry as it is written. */
const wordsOfEntry = 5;
const minEntries = 8;

interface Register {
  readonly entries: readonly Entry[];
  readonly halls: readonly string[];
  readonly owners: readonly string[];
}

export function makeRegister(random: Random, wordCount: number): Register {
  const count = Math.max(minEntries, Math.round(wordCount / wordsOfEntry));
  const owners = inventNames(random, 5);
  const halls = random.sample('ABCDEFGH'.split(''), 4);
  // Few different numbers, so that there are ties and the second key matters.
  const numbers = random.sample(
    Array.from({ length: 90 }, (_, at) => at + 4),
    Math.min(60, Math.max(5, Math.round(count / 2))),
  );
  const entries = inventVocabulary(random, count).map((name) => ({
    name,
    crates: random.pick(numbers),
    hall: random.pick(halls),
    owner: random.pick(owners),
  }));
  return { entries, halls, owners };
}

export function drawRegisterRules(
  random: Random,
  { entries, halls, owners }: Register,
  filterCount: number,
  keyCount: number,
): Sorting<Entry> {
  const least = random.int(20, 50);
  const filters = random.sample(
    [
      { text: `are not in hall ${halls[0]}`, holds: ({ hall }: Entry) => hall !== halls[0] },
      {
        text: `belong to ${owners[0]}, ${owners[1]} or ${owners[2]}`,
        holds: ({ owner }: Entry) => owners.indexOf(owner) < 3,
      },
      { text: `have at least ${least} crates`, holds: ({ crates }: Entry) => crates >= least },
    ],
    filterCount,
  );
  return {
    heading: random.pick(['A register of goods:', 'The store holds these goods:', 'Goods as they came in:']),
    items: entries,
    write: random.pick([
      ({ name, crates, hall, owner }: Entry) => `${name}: ${crates} crates, hall ${hall}, ${owner}`,
      ({ name, crates, hall, owner }: Entry) => `${owner} | ${name} | hall ${hall} | ${crates} crates`,
      ({ name, crates, hall, owner }: Entry) => `- ${crates} crates of ${name} in hall ${hall} (${owner})`,
    ]),
    separator: '\n',
    noun: 'goods',
    nameOf: ({ name }) => name,
    filters,
    keys: [...random.sample(entryKeys, keyCount), byName],
  };
}

const entryKeys: readonly SortKey<Entry>[] = [
  { text: 'by the number of crates, most first', compare: (left, right) => right.crates - left.crates },
  { text: 'by hall, from A to Z', compare: (left, right) => compareText(left.hall, right.hall) },
  { text: 'by owner, from A to Z', compare: (left, right) => compareText(left.owner, right.owner) },
];

const byName: SortKey<Entry> = {
  text: 'by the name of the goods, from a to z',
  compare: (left, right) => compareText(left.name, right.name),
};
