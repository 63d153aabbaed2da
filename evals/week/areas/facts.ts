/**
 * The facts and questions of an area, each in a line whose parts stand between bars: how rules speak of a fact, and
 * where it stands in the records of a case; what a question is about, its results, and the facts that its rules may use.
 */
import type { Random } from '../../random.ts';
import { dayAfter, daysBetween, yearsBetween } from '../days.ts';
import type { Attribute, ChoiceAttribute, Facts, PolicySpec, QuestionSpec, Value } from '../manual/rules.ts';
import { cents, number, type Row, text } from '../office.ts';

/** The records of a case, while they are written. */
export interface Written {
  readonly day: string;
  readonly random: Random;
  readonly entry: Record<string, Value>;
  readonly party: Record<string, Value>;
  /** Sentences of the note, or of the complaint that belongs to the entry. */
  readonly notes: string[];
}

/** The records of a case. */
export interface Sources {
  readonly day: string;
  readonly entry: Row;
  /** The customer, supplier or colleague of the entry. */
  readonly party: Row;
  /** The note, or the complaint. */
  readonly note: string;
}

/** Where a fact of a case stands. */
interface Place {
  write(value: Value, to: Written): void;
  read(from: Sources): Value;
}

export interface Fact extends Place {
  readonly attribute: Attribute;
  /** Of what only the party knows: the field, which is not shown, and what it says when asked about the entry. */
  readonly told?: { readonly field: string; readonly replies: Readonly<Record<string, string>> };
}

/** By value, several between bars. */
export type Sentences = Readonly<Record<string, string>>;

export function readFacts(facts: Readonly<Record<string, Fact>>, from: Sources): Facts {
  const found = Object.entries(facts).map(([name, fact]) => [name, fact.read(from)] as const);
  return { day: from.day, ...Object.fromEntries(found) };
}

export const parts = (line: string): readonly string[] => line.split(' | ');

/** @param at `field`, `party.field`, or `field less field` for the difference of two */
function fieldAt(at: string): Place {
  const [, party, name = '', less] = /^(party\.)?(\w+)(?: less (\w+))?$/.exec(at) ?? [];
  const side = party === undefined ? 'entry' : 'party';
  return {
    write(value, to) {
      to[side][name] = less === undefined ? value : cents(Number(to[side][less]) + Number(value));
    },
    read(from) {
      if (less !== undefined) return cents(number(from[side], name) - number(from[side], less));
      const cell = from[side][name];
      return typeof cell === 'number' ? cell : String(cell);
    },
  };
}

/**
 * @param unit of the number
 * @param scale least and most, the step, how far a case stays away from a threshold: the thresholds of rules
 */
function numeric(noun: string, unit: string, scale: string): Attribute {
  const [min = 0, max = 0, step = 1, margin = 0, ...limits] = scale.split(/:? /).map(Number);
  const formsWith = (than: string) => [
    `${noun} is ${than} ${withUnit('{n}', unit)}`,
    `${noun} comes to ${than} ${withUnit('{n}', unit)}`,
    `the records have ${than} ${withUnit('{n}', unit)} as ${noun}`,
  ];
  const [over, under] = [formsWith('more than'), formsWith('less than')];
  return { kind: 'number', min, max, step, limits, margin, over, under };
}

/** A number that rules compare. @param line noun, unit, field, scale */
export function measure(line: string): Fact {
  const [noun = '', unit = '', at = '', scale = ''] = parts(line);
  return { attribute: numeric(noun, unit, scale), ...fieldAt(at) };
}

/** @param line noun, field, scale */
const withUnitOf = (unit: string) => (line: string) => measure(line.replace(' | ', ` | ${unit} | `));
export const euros = withUnitOf('EUR');
export const count = withUnitOf('');

/** Days from the case's day to the day in a field, or back. @param line noun, field, scale */
const daysAway =
  (sign: 1 | -1) =>
  (line: string): Fact => {
    const [noun = '', field = '', scale = ''] = parts(line);
    return {
      attribute: numeric(noun, 'days', scale),
      write(value, { day, entry }) {
        entry[field] = dayAfter(day, sign * Number(value));
      },
      read: ({ day, entry }) => sign * daysBetween(day, text(entry, field)),
    };
  };
export const daysSince = daysAway(-1);
export const daysUntil = daysAway(1);

/** Full years since the party is known. @param who such as `the supplier` */
export function years(who: string, limits = '3 4 6 8 10'): Fact {
  return {
    attribute: numeric(`the time since we first met ${who}`, 'years', `0 14 1 1: ${limits}`),
    write(value, { day, party, random }) {
      party['since'] = dayAfter(day, -Math.ceil(Number(value) * 365.25) - random.int(20, 330));
    },
    read: ({ day, party }) => yearsBetween(text(party, 'since'), day),
  };
}

function withUnit(value: string, unit: string): string {
  return unit === '' ? value : `${value} ${unit}`;
}

function choiceOf(noun: string, values: readonly string[]): ChoiceAttribute {
  const is = [`${noun} is "{v}"`, `"{v}" is given as ${noun}`, `the records have "{v}" as ${noun}`];
  return { kind: 'choice', values, is };
}

/** @param line noun, field, values */
export function choice(line: string): Fact {
  const [noun = '', at = '', values = ''] = parts(line);
  return { attribute: choiceOf(noun, values.split(', ')), ...fieldAt(at) };
}

/** A choice that the note or the complaint tells in other words. */
export function noted(noun: string, sentences: Sentences): Fact {
  return {
    attribute: choiceOf(noun, Object.keys(sentences)),
    write(value, { notes, random }) {
      const [only = '', ...more] = parts(sentences[value] ?? '');
      // A list of one takes nothing from the stream.
      notes.push(more.length === 0 ? only : random.pick([only, ...more]));
    },
    read: ({ note }) =>
      Object.entries(sentences).find(([, own]) => parts(own).some((one) => note.includes(one)))?.[0] ?? '',
  };
}

/** A choice that only the party knows. */
export function told(noun: string, field: string, replies: Readonly<Record<string, string>>): Fact {
  return { attribute: choiceOf(noun, Object.keys(replies)), ...fieldAt(field), told: { field, replies } };
}

export function segment(): Fact {
  return choice('the segment of the {customer} | party.segment | private, trade, public body, reseller');
}

export const productGroups = ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'] as const;

export function group(): Fact {
  return choice(`the group of goods | product_group | ${productGroups.join(', ')}`);
}

export const desks = ['North desk', 'South desk', 'Export desk', 'Online desk'] as const;

/** A rule about a department is a difference between departments. @param line noun, field, values */
export function department(line: string): Fact {
  const [noun, at = 'desk', values = desks.join(', ')] = parts(line);
  const fact = choice(`${noun} | ${at} | ${values}`);
  return { ...fact, attribute: { ...fact.attribute, department: true } as ChoiceAttribute };
}

/** @param line nouns, facts */
export function termOf(line: string): PolicySpec['terms'][number] {
  const [names = '', attributes = ''] = parts(line);
  return { names: names.split(', '), attributes: attributes.split(' ') };
}

type Question = Omit<QuestionSpec, 'name'>;

/** A question whose results are words. @param line subject, values; the facts of its rules, all of the area by default */
export function option(line: string): Question {
  const [subject = '', values = '', attributes] = parts(line);
  return questionOf(subject, values.split(', '), '"{v}"', attributes);
}

/** A question whose results are numbers. @param line subject, unit, values; facts as of `option` */
export function figure(line: string): Question {
  const [subject = '', unit = '', values = '', attributes] = parts(line);
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
  const used = attributes === undefined ? {} : { attributes: attributes.split(' ') };
  return { subject, values, effects, ...used };
}

/** @param line what it is the code of, letter and number of the codes (`K 6`), facts */
export function code(line: string): Question {
  const [what, codes = '', attributes] = parts(line);
  const [letter, most] = codes.split(' ');
  const values = Array.from({ length: Number(most) }, (_, index) => `${letter}${index + 1}`);
  return option(`the code of ${what} | ${values.join(', ')} | ${attributes}`);
}

/** Nobody or the head of a department. @param line what has to be approved, departments, facts */
export function approver(line: string): Question {
  const [what = '', heads = '', attributes = ''] = parts(line);
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
