/** The facts of an area: how rules speak of each, and where it stands in the records of a case. */
import type { Attribute, ChoiceAttribute, QuestionSpec, Value } from '../manual/rules.ts';

/** Where a fact of a case is found. */
export type Place =
  | { readonly in: 'entry'; readonly field: string }
  /** The customer, supplier or colleague of the entry. */
  | { readonly in: 'party'; readonly field: string }
  /** Days from the case's day to the day in the field, or back if `sign` is -1. */
  | { readonly in: 'days'; readonly field: string; readonly sign: 1 | -1 }
  /** Full years from the day in the party's field to the case's day. */
  | { readonly in: 'years'; readonly field: string }
  /** The amount in one field of the entry less that in another. */
  | { readonly in: 'difference'; readonly of: string; readonly less: string }
  /** Known to the party only, which tells it when asked about the entry. */
  | { readonly in: 'reply'; readonly replies: Readonly<Record<string, string>> }
  /** A sentence of the note. */
  | { readonly in: 'note'; readonly sentences: Readonly<Record<string, readonly string[]>> }
  /** A sentence of the complaint that belongs to the entry. */
  | { readonly in: 'ticket'; readonly sentences: Readonly<Record<string, readonly string[]>> }
  /** Where an area with records of its own looks for it. */
  | { readonly in: 'elsewhere' };

export interface Fact {
  readonly attribute: Attribute;
  readonly place: Place;
}

export const elsewhere: Place = { in: 'elsewhere' };
export const entry = (field: string): Place => ({ in: 'entry', field });
export const party = (field: string): Place => ({ in: 'party', field });
export const since = (field: string): Place => ({ in: 'days', field, sign: -1 });
export const until = (field: string): Place => ({ in: 'days', field, sign: 1 });

/**
 * A number that rules compare.
 *
 * @param noun such as `the stay`
 * @param scale least and most, the step, how far a case stays away from a threshold, and the thresholds of rules
 */
export function measure(noun: string, unit: string, place: Place, scale: readonly number[]): Fact {
  const [min = 0, max = 0, step = 1, margin = 0, ...limits] = scale;
  const formsWith = (than: string) => [
    `${noun} is ${than} ${withUnit('{n}', unit)}`,
    `${noun} comes to ${than} ${withUnit('{n}', unit)}`,
    `the records have ${than} ${withUnit('{n}', unit)} as ${noun}`,
  ];
  const [over, under] = [formsWith('more than'), formsWith('less than')];
  return { attribute: { kind: 'number', min, max, step, limits, margin, over, under }, place };
}

/** @param who such as `the supplier` */
export function years(who: string, limits: readonly number[] = [3, 4, 6, 8, 10]): Fact {
  const noun = `the time since we first met ${who}`;
  return measure(noun, 'years', { in: 'years', field: 'since' }, [0, 14, 1, 1, ...limits]);
}

function withUnit(value: string, unit: string): string {
  return unit === '' ? value : `${value} ${unit}`;
}

function choiceOf(noun: string, values: readonly string[]): ChoiceAttribute {
  const is = [`${noun} is "{v}"`, `"{v}" is given as ${noun}`, `the records have "{v}" as ${noun}`];
  return { kind: 'choice', values, is };
}

export function choice(noun: string, place: Place, values: readonly string[]): Fact {
  return { attribute: choiceOf(noun, values), place };
}

/** A choice that the note tells in other words, by value. */
export function noted(noun: string, sentences: Readonly<Record<string, readonly string[]>>): Fact {
  return choice(noun, { in: 'note', sentences }, Object.keys(sentences));
}

export function segment(place: Place = party('segment')): Fact {
  return choice('the segment of the {customer}', place, ['private', 'trade', 'public body', 'reseller']);
}

export const productGroups = ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'] as const;

export function group(place: Place = entry('product_group')): Fact {
  return choice('the group of goods', place, productGroups);
}

export const desks = ['North desk', 'South desk', 'Export desk', 'Online desk'] as const;

/** A rule about a department is a difference between departments. */
export function department(
  noun: string,
  place: Place = entry('desk'),
  values: readonly string[] = desks,
): Fact {
  return { attribute: { ...choiceOf(noun, values), department: true }, place };
}

type Question = Omit<QuestionSpec, 'name'>;

/**
 * @param subject such as `the level of access`
 * @param unit of numbers
 * @param attributes those that its rules may use, with spaces between; all of the area by default
 */
export function question(
  subject: string,
  values: readonly Value[],
  attributes?: string,
  unit = '',
): Question {
  const value = typeof values[0] === 'string' ? '"{v}"' : withUnit('{v}', unit);
  const effects = [
    `${subject} is ${value}`,
    `${value} is entered as ${subject}`,
    `${subject} has to be ${value}`,
  ];
  return {
    subject,
    values,
    effects,
    ...(attributes === undefined ? {} : { attributes: attributes.split(' ') }),
  };
}

/** @param letter the codes are `K1`, `K2` and so on */
export function code(what: string, letter: string, count: number, attributes: string): Question {
  const values = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
  return question(`the code of ${what}`, values, attributes);
}

/** Nobody or the holder of a post. @param what has to be approved */
export function approver(what: string, posts: readonly string[], attributes: string): Question {
  const effects = [
    `{v} has to approve ${what}`,
    `${what} needs the approval of {v}`,
    `the approval of ${what} is up to {v}`,
  ];
  return {
    subject: `the approval of ${what}`,
    values: [nobody, ...posts],
    words: Object.fromEntries(posts.map((post) => [post, `the ${post}`])),
    effects,
    attributes: attributes.split(' '),
  };
}

/** The field `approver` is a post in outcomes, a person in truths, an approval in what the tool takes. */
export const nobody = 'nobody';
