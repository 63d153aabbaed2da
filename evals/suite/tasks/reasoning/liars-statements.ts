/**
 * What islanders say about one another. Each is a knight, whose statements are true, or a knave, whose statements are
 * false.
 */
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';

/** `people` are indices; knights are given as a bit mask of them. */
export type Statement =
  | { readonly says: 'knave' | 'knight'; readonly people: readonly [number] }
  | {
      readonly says: 'same' | 'exactly one' | 'if then knave' | 'knave or knight' | 'would say knave';
      readonly people: readonly [number, number];
    }
  | { readonly says: 'exactly' | 'at least'; readonly people: readonly number[]; readonly count: number };

export function isTrue(statement: Statement, knights: number): boolean {
  const isKnight = (person = 0) => ((knights >> person) & 1) === 1;
  const [first, second] = statement.people;
  switch (statement.says) {
    case 'knave':
      return !isKnight(first);
    case 'knight':
      return isKnight(first);
    case 'same':
      return isKnight(first) === isKnight(second);
    case 'exactly one':
      return isKnight(first) !== isKnight(second);
    case 'if then knave':
      return !isKnight(first) || !isKnight(second);
    case 'knave or knight':
      return !isKnight(first) || isKnight(second);
    case 'would say knave':
      return isKnight(first) !== isKnight(second);
    case 'exactly':
      return count(statement.people, knights) === statement.count;
    case 'at least':
      return count(statement.people, knights) >= statement.count;
  }
}

function count(people: readonly number[], knights: number): number {
  let found = 0;
  for (const person of people) found += (knights >> person) & 1;
  return found;
}

type Says = Statement['says'];
const simple: readonly Says[] = ['knave', 'knight', 'same', 'exactly one'];
const compound: readonly Says[] = [
  'same',
  'exactly one',
  'if then knave',
  'knave or knight',
  'would say knave',
  'exactly',
  'at least',
];

export function drawStatement(random: Random, level: Level, speaker: number, everybody: number): Statement {
  const says = random.pick(level === 1 ? simple : level < 4 ? [...simple, ...compound] : compound);
  const others = Array.from({ length: everybody }, (_, person) => person).filter(
    (person) => person !== speaker,
  );
  if (says === 'exactly' || says === 'at least') {
    const size = random.int(3, Math.min(4, others.length));
    const people = random.sample(others, size);
    return { says, people, count: random.int(1, size - 1) };
  }
  const [first = 0, second = 0] = random.sample(others, 2);
  return says === 'knave' || says === 'knight'
    ? { says, people: [first] }
    : { says, people: [first, second] };
}

/** The names of the two sorts of people. */
export interface Sorts {
  readonly introduction: string;
  readonly knight: string;
  /** For a group: "two …", "exactly one …". */
  readonly oneKnight: string;
  readonly knights: string;
  readonly knave: string;
  readonly knaves: string;
}

export const sorts: readonly Sorts[] = [
  {
    introduction:
      'On an island everybody is either a knight, who only makes true statements, or a knave, who only makes false ones.',
    knight: 'a knight',
    oneKnight: 'knight',
    knights: 'knights',
    knave: 'a knave',
    knaves: 'knaves',
  },
  {
    introduction:
      'In a village some people are honest and say nothing but the truth; all the others are liars, and every sentence of theirs is false.',
    knight: 'honest',
    oneKnight: 'honest person',
    knights: 'honest people',
    knave: 'a liar',
    knaves: 'liars',
  },
  {
    introduction:
      'Each witness in a trial belongs to one of two families. What a Moss says is always true, and what a Thorn says is always false.',
    knight: 'a Moss',
    oneKnight: 'member of the Moss family',
    knights: 'members of the Moss family',
    knave: 'a Thorn',
    knaves: 'members of the Thorn family',
  },
];

export function tellStatement(names: readonly string[], sort: Sorts, statement: Statement): string {
  const [first = '', second = ''] = statement.people.map((person) => names[person] ?? '');
  const { knight, oneKnight, knights, knave } = sort;
  switch (statement.says) {
    case 'knave':
      return `${first} is ${knave}.`;
    case 'knight':
      return `${first} is ${knight}.`;
    case 'same':
      return `${first} and ${second} are of the same sort.`;
    case 'exactly one':
      return `Of ${first} and ${second}, exactly one is ${knave}.`;
    case 'if then knave':
      return `If ${first} is ${knight}, then ${second} is ${knave}.`;
    case 'knave or knight':
      return `${first} is ${knave}, or ${second} is ${knight}, or both.`;
    case 'would say knave':
      return `${first} would tell you that ${second} is ${knave}.`;
    case 'exactly':
    case 'at least': {
      const all = statement.people.map((person) => names[person] ?? '');
      const group = `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''}`;
      return statement.count === 1
        ? `Among ${group} there is ${statement.says} one ${oneKnight}.`
        : `Among ${group} there are ${statement.says} ${statement.count} ${knights}.`;
    }
  }
}
