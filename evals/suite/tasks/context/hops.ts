/**
 * A long text of small facts about many people, and a question along a chain of them. The question shares no content
 * word with the facts that it needs, so finding one requires its meaning, and all other sentences are of the same sorts.
 * Each text is about a few of the many trades, quirks, heirlooms and relations, in one writer's wordings.
 */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { drawGoods } from '../../language/goods.ts';
import { firstDraft } from '../../language/draft.ts';
import { inventManyNames } from '../../language/many-words.ts';
import { drawStyle, fillIn } from '../../language/wordings.ts';
import { maxGeneratorAttempts } from '../../../limits.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import { textLength } from './long-text.ts';
import wordings from './chronicle-wordings.json' with { type: 'json' };

/** Something true of one person. */
export interface Trait {
  /** What the text says, after the name. */
  readonly text: readonly string[];
  /** What the question says, after "who". */
  readonly question: string;
}

/** A person's one counterpart. `{a}` is the person, `{b}` the counterpart. */
export interface Relation {
  readonly text: readonly string[];
  /** With `{x}` for the person. */
  readonly question: string;
}

export const trades: readonly Trait[] = wordings.trades;
export const quirks: readonly Trait[] = wordings.quirks;
export const bonds: readonly Relation[] = wordings.bonds;
/** A person's place, in the town that `{b}` names. */
export const places: readonly Relation[] = wordings.places;

/** What a text is about, with the wordings of its writer. */
interface Chronicle {
  readonly trades: readonly Trait[];
  /** Besides what is true of a person, what somebody inherited. */
  readonly quirks: readonly Trait[];
  readonly bonds: readonly Relation[];
  readonly places: readonly Relation[];
}

/** More than the longest chain has. */
const bondsEach = 10;
const placesEach = 3;
/** A person's trade, quirk, bonds and places. */
const factsEach = 2 + bondsEach + placesEach;
const charactersAFact = 47;
const townsAPerson = 3;
const wordingsAFact = 2;
const tradesMax = 24;
const quirksMax = 30;
/** The share of the quirks that are heirlooms. */
const heirloomShare = 0.6;

/** About five people have a trade in common and three a quirk, so that neither of the two identifies a person. */
function drawChronicle(random: Random, people: number): Chronicle {
  const styled = <Fact extends Trait | Relation>(facts: readonly Fact[], count: number): Fact[] =>
    random
      .sample(facts, Math.min(count, facts.length))
      .map((fact) => ({ ...fact, text: drawStyle(random, fact.text, wordingsAFact) }));
  const second = Math.min(quirksMax, Math.ceil(people / 3) + 2);
  const inherited = Math.round(heirloomShare * second);
  return {
    trades: styled(trades, Math.min(tradesMax, Math.ceil(people / 5))),
    quirks: [...styled(quirks, second - inherited), ...drawHeirlooms(random, inherited)],
    bonds: styled(bonds, bondsEach),
    places: styled(places, placesEach),
  };
}

/** Goods that people inherited, as traits. */
function drawHeirlooms(random: Random, count: number): Trait[] {
  const { question, text } = wordings.heirlooms;
  const style = drawStyle(random, text, wordingsAFact);
  return drawGoods(random, count).map(({ name, phrases }) => ({
    question: fillIn(question, { what: name }),
    text: style.flatMap((said) => phrases.map((what) => fillIn(said, { what }))),
  }));
}

export interface Person {
  readonly name: string;
  readonly trade: number;
  readonly quirk: number;
  /** By relation: the index of another person. */
  readonly bonds: readonly number[];
  /** By relation: the name of a town. */
  readonly towns: readonly string[];
}

interface Chain {
  readonly people: readonly Person[];
  /** The relations that lead from the first person to the last. */
  readonly bonds: readonly number[];
  /** The place of the last person, if the question asks for it; null if it asks for the name. */
  readonly place: number | null;
}

export const hops: Kind = {
  name: 'hops',
  make(random, level, limits) {
    const length = textLength(level, limits);
    const count = Math.max(8, Math.ceil(length / (charactersAFact * factsEach)));
    const { chronicle, people, chain } = firstDraft(() => drawStory(random, count, level));
    const last = chain.people.at(-1);
    const value = valueOf(chain, last);
    const [question, what] = ask(random, chronicle, chain);
    const strangers = random.sample(people, 3);
    const others = [...chain.people.slice(0, -1), ...decoys(people, chain), ...strangers].map((person) =>
      valueOf(chain, person),
    );
    return exactTask({
      prompt: [
        random.pick([
          'Read what the chronicle of a district says about its people, then answer the question at the end.',
          'Below are notes about the people of a district. A question follows them.',
        ]),
        describe(random, chronicle, { people, chain, length }),
        `${question} ${askForAnswer(random, what)}`,
      ].join('\n\n'),
      type: 'word',
      value,
      skill: 'several-hops',
      mistakes: [...others, chain.people[0]?.name ?? ''],
    });
  },
};

/** Null if nobody has a trade and a quirk that no other has, or no chain starts there. */
function drawStory(random: Random, count: number, level: Level) {
  const chronicle = drawChronicle(random, count);
  const people = drawPeople(random, chronicle, count);
  const chain = drawChain(random, people, level);
  return chain === null ? null : { chronicle, people, chain };
}

function drawPeople(random: Random, chronicle: Chronicle, count: number): Person[] {
  const townCount = Math.ceil(count / townsAPerson) + 4;
  const names = inventManyNames(random, count + townCount);
  const towns = names.slice(0, townCount);
  return names.slice(townCount).map((name, index) => ({
    name,
    trade: random.int(0, chronicle.trades.length - 1),
    quirk: random.int(0, chronicle.quirks.length - 1),
    bonds: chronicle.bonds.map(() => {
      const other = random.int(0, count - 2);
      return other >= index ? other + 1 : other;
    }),
    towns: chronicle.places.map(() => random.pick(towns)),
  }));
}

/** A chain of different people that starts with somebody whose combination of trade and quirk is unique. */
function drawChain(random: Random, people: readonly Person[], level: Level): Chain | null {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const start = random.pick(people);
    const alike = people.filter(({ trade, quirk }) => trade === start.trade && quirk === start.quirk);
    if (alike.length > 1) continue;
    const place = random.chance(0.5) ? random.int(0, placesEach - 1) : null;
    // Finding the start is the first hop, and a place is one more.
    const count = level + (place === null ? 0 : -1);
    const relations = random.sample(
      start.bonds.map((_, index) => index),
      count,
    );
    const met = [start];
    for (const relation of relations) {
      const next = people[met.at(-1)?.bonds[relation] ?? -1];
      if (next !== undefined && !met.includes(next)) met.push(next);
    }
    if (met.length === count + 1) return { people: met, bonds: relations, place };
  }
  return null;
}

function valueOf({ place }: Chain, person: Person | undefined): string {
  return (place === null ? person?.name : person?.towns[place]) ?? '';
}

/** Where the chain leads from somebody who has only the trade or only the quirk of its first person. */
function decoys(people: readonly Person[], chain: Chain): Person[] {
  const start = chain.people[0];
  const near = people.filter(
    (person) => person !== start && (person.trade === start?.trade || person.quirk === start?.quirk),
  );
  return near.slice(0, 2).flatMap((person) => {
    let at: Person | undefined = person;
    for (const relation of chain.bonds) at = people[at?.bonds[relation] ?? -1];
    return at === undefined ? [] : [at];
  });
}

function ask(
  random: Random,
  { trades, quirks, bonds, places }: Chronicle,
  { people, bonds: relations, place }: Chain,
): [string, string] {
  const start = people[0];
  const traits = random.shuffle([trades[start?.trade ?? 0], quirks[start?.quirk ?? 0]]);
  const who = `the person who ${traits.map((trait) => trait?.question ?? '').join(' and ')}`;
  const steps = relations.map((relation) => bonds[relation]?.question ?? '');
  const asked = place === null ? null : (places[place] ?? null);
  if (steps.length > 2 || random.chance(0.5)) {
    const walk = steps.map((step) => `Go on to ${step.replace('{x}', 'that person')}.`);
    const end = asked === null ? 'Who is that?' : `Which town is ${fill(asked, 'that person')}?`;
    return [`Start with ${who}. ${walk.join(' ')} ${end}`.replaceAll('  ', ' '), what(asked)];
  }
  const whole = steps.reduce((inner, step) => step.replace('{x}', inner), who);
  return [asked === null ? `Who is ${whole}?` : `Which town is ${fill(asked, whole)}?`, what(asked)];
}

function fill({ question }: Relation, person: string): string {
  return question.replace('{x}', person);
}

function what(asked: Relation | null): string {
  return asked === null ? 'the one name' : 'the name of the one town';
}

interface Told {
  readonly people: readonly Person[];
  readonly chain: Chain;
  /** In characters. */
  readonly length: number;
}

/** The facts in random order, including those of the chain, up to the length. */
function describe(
  random: Random,
  { trades, quirks, bonds, places }: Chronicle,
  { people, chain, length }: Told,
): string {
  const needed: string[] = [];
  const rest: string[] = [];
  const own = (name: string, trait: Trait | undefined) => `${name} ${random.pick(trait?.text ?? [])}.`;
  for (const [index, person] of people.entries()) {
    const at = chain.people.indexOf(person);
    const isLast = at === chain.people.length - 1;
    const keep = (wanted: boolean, text: string) => void (wanted ? needed : rest).push(text);
    keep(at === 0, own(person.name, trades[person.trade]));
    keep(at === 0, own(person.name, quirks[person.quirk]));
    for (const [relation, other] of person.bonds.entries()) {
      const wanted = at >= 0 && !isLast && chain.bonds[at] === relation;
      keep(wanted, state(random, bonds[relation], people[index]?.name, people[other]?.name));
    }
    for (const [place, town] of person.towns.entries()) {
      keep(isLast && chain.place === place, state(random, places[place], person.name, town));
    }
  }
  let left = length - needed.join(' ').length;
  const chosen = random.shuffle(rest).filter((text) => (left -= text.length + 1) >= 0);
  return inParagraphs(random, random.shuffle([...needed, ...chosen]));
}

function state(random: Random, relation: Relation | undefined, first = '', second = ''): string {
  return fillIn(random.pick(relation?.text ?? []), { a: first, b: second });
}

function inParagraphs(random: Random, sentences: readonly string[]): string {
  const paragraphs: string[] = [];
  for (let from = 0; from < sentences.length;) {
    const to = from + random.int(4, 9);
    paragraphs.push(sentences.slice(from, to).join(' '));
    from = to;
  }
  return paragraphs.join('\n\n');
}
