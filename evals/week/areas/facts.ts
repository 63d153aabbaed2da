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
  /** A sentence of the note, or of the complaint that belongs to the entry. */
  | { readonly in: 'note' | 'ticket'; readonly sentences: Sentences }
  /** Where an area with records of its own looks for it. */
  | { readonly in: 'elsewhere' };

/** By value. */
export type Sentences = Readonly<Record<string, readonly string[]>>;

export interface Fact {
  readonly attribute: Attribute;
  readonly place: Place;
}

export const elsewhere: Place = { in: 'elsewhere' };
export const party = (field: string): Place => ({ in: 'party', field });

/** @param place a field of the entry, or another place */
function placeOf(place: Place | string): Place {
  return typeof place === 'string' ? { in: 'entry', field: place } : place;
}

/**
 * A number that rules compare.
 *
 * @param noun such as `the stay`
 * @param scale least and most, the step, how far a case stays away from a threshold: the thresholds of rules
 */
export function measure(noun: string, unit: string, place: Place | string, scale: string): Fact {
  const [min = 0, max = 0, step = 1, margin = 0, ...limits] = scale.split(/:? /).map(Number);
  const formsWith = (than: string) => [
    `${noun} is ${than} ${withUnit('{n}', unit)}`,
    `${noun} comes to ${than} ${withUnit('{n}', unit)}`,
    `the records have ${than} ${withUnit('{n}', unit)} as ${noun}`,
  ];
  const [over, under] = [formsWith('more than'), formsWith('less than')];
  const attribute = { kind: 'number', min, max, step, limits, margin, over, under } as const;
  return { attribute, place: placeOf(place) };
}

export const euros = (noun: string, place: Place | string, scale: string) =>
  measure(noun, 'EUR', place, scale);
export const count = (noun: string, place: Place | string, scale: string) => measure(noun, '', place, scale);
export const daysSince = (noun: string, field: string, scale: string) =>
  measure(noun, 'days', { in: 'days', field, sign: -1 }, scale);
export const daysUntil = (noun: string, field: string, scale: string) =>
  measure(noun, 'days', { in: 'days', field, sign: 1 }, scale);

/** @param who such as `the supplier` */
export function years(who: string, limits = '3 4 6 8 10'): Fact {
  const noun = `the time since we first met ${who}`;
  return measure(noun, 'years', { in: 'years', field: 'since' }, `0 14 1 1: ${limits}`);
}

function withUnit(value: string, unit: string): string {
  return unit === '' ? value : `${value} ${unit}`;
}

function choiceOf(noun: string, values: readonly string[]): ChoiceAttribute {
  const is = [`${noun} is "{v}"`, `"{v}" is given as ${noun}`, `the records have "{v}" as ${noun}`];
  return { kind: 'choice', values, is };
}

/** @param values separated by commas */
export function choice(noun: string, place: Place | string, values: string): Fact {
  return { attribute: choiceOf(noun, values.split(', ')), place: placeOf(place) };
}

/** A choice that the note tells in other words. */
export function noted(noun: string, sentences: Sentences, place: 'note' | 'ticket' = 'note'): Fact {
  return { attribute: choiceOf(noun, Object.keys(sentences)), place: { in: place, sentences } };
}

/** A choice that only the party knows, and what it replies when asked. */
export function told(noun: string, replies: Readonly<Record<string, string>>): Fact {
  return { attribute: choiceOf(noun, Object.keys(replies)), place: { in: 'reply', replies } };
}

export function segment(): Fact {
  return choice('the segment of the {customer}', party('segment'), 'private, trade, public body, reseller');
}

export const productGroups = ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'] as const;

export function group(): Fact {
  return choice('the group of goods', 'product_group', productGroups.join(', '));
}

export const desks = ['North desk', 'South desk', 'Export desk', 'Online desk'] as const;

/** A rule about a department is a difference between departments. */
export function department(noun: string, place: Place | string = 'desk', values = desks.join(', ')): Fact {
  return { attribute: { ...choiceOf(noun, values.split(', ')), department: true }, place: placeOf(place) };
}

type Question = Omit<QuestionSpec, 'name'>;

/**
 * A question whose results are words.
 *
 * @param subject such as `the level of access`
 * @param values separated by commas
 * @param attributes those that its rules may use, with spaces between; all of the area by default
 */
export function option(subject: string, values: string, attributes?: string): Question {
  return questionOf(subject, values.split(', '), '"{v}"', attributes);
}

/** A question whose results are numbers. */
export function figure(subject: string, unit: string, values: string, attributes?: string): Question {
  return questionOf(subject, values.split(' ').map(Number), withUnit('{v}', unit), attributes);
}

function questionOf(
  subject: string,
  values: readonly Value[],
  value: string,
  attributes: string | undefined,
): Question {
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
export function code(what: string, letter: string, most: number, attributes: string): Question {
  const values = Array.from({ length: most }, (_, index) => `${letter}${index + 1}`);
  return option(`the code of ${what}`, values.join(', '), attributes);
}

/**
 * Nobody or the head of a department.
 *
 * @param what has to be approved
 * @param heads of these departments
 */
export function approver(what: string, heads: string, attributes: string): Question {
  const posts = heads.split(' ').map((department) => `Head of ${department}`);
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
