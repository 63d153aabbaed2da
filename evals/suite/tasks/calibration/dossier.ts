/** The facts of a dossier and the questions about them. Entities are numbered from 0. */
import { capital } from '../../language/sentence.ts';
import { fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import { describeReceiver, type Gifts } from './gifts.ts';
import type { Theme } from './themes.ts';

/** Sums of two stay below 1,000, so that no thousands separator is needed. */
export const leastNumber = 11;
export const greatestNumber = 489;

export interface Entity {
  readonly name: string;
  readonly head: string;
  /** Somebody who works there without running it. */
  readonly helper: string;
  /** The entity that this one follows; null for the first one, so that there is no circle. */
  readonly follows: number | null;
  /** By number attribute of the theme. */
  readonly numbers: readonly number[];
}

export interface Dossier {
  /** In the words of one writer. */
  readonly theme: Theme;
  readonly entities: readonly Entity[];
  readonly gifts: Gifts;
  /** How the writer corrects a statement, with the places `{wrong}` and `{right}`. */
  readonly corrections: readonly string[];
}

/** A fact that questions need: a number of an entity, or the entity that it follows. */
export interface Fact {
  readonly entity: number;
  readonly attribute: number | 'follows';
}

/** How the text treats a fact. */
export type Status =
  | { readonly is: 'stated' }
  | { readonly is: 'missing' }
  /** A second statement gives `other`, and nothing says which one is right. */
  | { readonly is: 'contradicted'; readonly other: number }
  /** The text first gives `other` and then retracts it. */
  | { readonly is: 'corrected'; readonly other: number };

export interface Question {
  readonly text: string;
  /** The same for questions that ask the same in other words. */
  readonly key: string;
  /** The facts that the question depends on. */
  readonly facts: readonly Fact[];
  /** The answer if all the facts are settled. */
  readonly value: number;
  /** The answer if `entity` followed `other`; null if that cannot be determined. */
  readonly valueIf: (entity: number, other: number) => number | null;
  /** Whether the question names somebody who runs nothing or goods that nobody received, so that it has no answer. */
  readonly isBaseless: boolean;
}

export function keyOf({ entity, attribute }: Fact): string {
  return `${entity}/${attribute}`;
}

export function entityOf({ theme, entities }: Dossier, entity: number): string {
  return fillIn(theme.entity, { name: entities[entity]?.name ?? '' });
}

export function numberOf({ entities }: Dossier, entity: number, attribute: number): number {
  return entities[entity]?.numbers[attribute] ?? 0;
}

/** The probability that a description is about a gift and not about who runs the entity. */
const byGift = 2 / 3;

interface Start {
  readonly entity: number;
  readonly subject: string;
  /** The same for all wordings. */
  readonly key: string;
}

/** @param byName the probability of the mere name */
function drawStart(random: Random, dossier: Dossier, byName: number): Start {
  const { theme, entities, gifts } = dossier;
  const entity = random.int(0, entities.length - 1);
  const key = String(entity);
  if (random.chance(byName)) return { entity, subject: entityOf(dossier, entity), key };
  const goods = gifts.given[entity];
  if (goods !== undefined && random.chance(byGift))
    return { entity, subject: describeReceiver(random, gifts, theme.noun, goods), key };
  const p = entities[entity]?.head ?? '';
  return { entity, subject: fillIn(random.pick(theme.headedBy), { p }), key };
}

/** A description that fits nothing, with the entity at which somebody who misreads the text would start. */
function drawBaselessStart(random: Random, { theme, entities, gifts }: Dossier): Start {
  if (random.chance(byGift)) {
    const { entity, goods } = random.pick(gifts.near);
    return { entity, subject: describeReceiver(random, gifts, theme.noun, goods), key: goods.name };
  }
  const entity = random.int(0, entities.length - 1);
  const p = entities[entity]?.helper ?? '';
  return { entity, subject: fillIn(random.pick(theme.headedBy), { p }), key: p };
}

/** @param hops the maximum number of relations that lead to the entity */
export function drawQuestion(random: Random, dossier: Dossier, hops: number, isBaseless: boolean): Question {
  const { theme, entities } = dossier;
  const attribute = random.int(0, theme.numbers.length - 1);
  const wording = theme.numbers[attribute];
  if (wording === undefined) throw new RangeError('The theme has no such attribute.');
  const start = isBaseless
    ? drawBaselessStart(random, dossier)
    : drawStart(random, dossier, hops < 2 ? 0.4 : 0.15);
  const other = random.int(0, entities.length - 1);
  const links: Fact[] = [];
  let at = start.entity;
  let asked = start.subject;
  for (let hop = 1; hop < hops && random.chance(0.6); hop += 1) {
    const next = entities[at]?.follows ?? null;
    if (next === null) break;
    links.push({ entity: at, attribute: 'follows' });
    at = next;
    asked = fillIn(random.pick(theme.followedBy), { x: asked });
  }
  const facts: Fact[] = [...links, { entity: at, attribute }];
  const isSingle = hops === 0 || facts.some(({ entity }) => entity === other) || random.chance(0.6);
  const added = isSingle ? 0 : numberOf(dossier, other, attribute);
  const valueIf = (entity: number, followed: number) => {
    let reached: number | null = start.entity;
    for (let hop = 0; hop < links.length && reached !== null; hop += 1) {
      reached = reached === entity ? followed : (entities[reached]?.follows ?? null);
    }
    return reached === null ? null : numberOf(dossier, reached, attribute) + added;
  };
  const value = numberOf(dossier, at, attribute) + added;
  const key = [attribute, start.key, links.length, isSingle ? 'alone' : other].join('/');
  const known = { key, value, valueIf, isBaseless };
  if (isSingle)
    return { ...known, text: capital(fillIn(random.pick(wording.question), { x: asked })), facts };
  // The name comes first, because after a description it could be read as part of it.
  const pair = { x: entityOf(dossier, other), y: asked };
  const text = capital(fillIn(random.pick(wording.together), pair));
  return { ...known, text, facts: [...facts, { entity: other, attribute }] };
}

/** The sentences about one fact, according to its `status`. */
export function stateFact(random: Random, dossier: Dossier, fact: Fact, status: Status): string[] {
  const { theme, entities } = dossier;
  const { entity, attribute } = fact;
  const x = entityOf(dossier, entity);
  const value =
    attribute === 'follows' ? (entities[entity]?.follows ?? 0) : numberOf(dossier, entity, attribute);
  const say = (stated: number) =>
    attribute === 'follows'
      ? fillIn(random.pick(theme.follows), { x, y: entityOf(dossier, stated) })
      : fillIn(random.pick(theme.numbers[attribute]?.text ?? []), { x, n: stated });
  switch (status.is) {
    case 'stated':
      return [say(value)];
    case 'missing':
      return [];
    case 'contradicted':
      return random.shuffle([say(value), say(status.other)]);
    case 'corrected':
      return [fillIn(random.pick(dossier.corrections), { wrong: say(status.other), right: say(value) })];
  }
}

/** A sentence that sounds like the fact but is not about it. */
export function stateNear(random: Random, dossier: Dossier, entity: number, attribute: number): string {
  const near = random.pick(dossier.theme.numbers[attribute]?.near ?? []);
  return fillIn(near, { x: entityOf(dossier, entity), n: random.int(leastNumber, greatestNumber) });
}
