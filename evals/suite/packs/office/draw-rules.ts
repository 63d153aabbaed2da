/**
 * Draws the rules of a private office: for each chapter of the public one, other facts, thresholds, outcomes and
 * sentences. What the tools of an office take stays as it is.
 */
import type {
  Attribute,
  ChoiceAttribute,
  NumberAttribute,
  PolicySpec,
  QuestionSpec,
  Value,
} from '../../../week/manual/rules.ts';
import type { Place, Places } from '../../../week/places.ts';
import { inventNames, inventWords } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';
import { choiceFacts, numberFacts, toldFacts } from './attributes.ts';

/** A fact as a noun in the singular, where the public chapter has none. */
const nouns: Readonly<Record<string, string>> = {
  years: 'the time with us',
  faults: 'the number of faults',
  notice: 'the time of notice',
  copies: 'the number of copies',
  courses: 'the number of courses',
  open: 'the number of open invoices',
  sold: 'the number of pieces sold in the last month',
  pieces: 'the number of pieces',
  guests: 'the number of guests from outside',
  last: 'the time since the last change',
  gap: 'the amount paid less the amount owed',
  'expenses/age': 'the time until the claim',
};
const subjects: Readonly<Record<string, string>> = {
  'meetings/days': 'the distance by which a meeting is moved',
  'meetings/stand_in': 'the stand-in at meetings',
  'files/days': 'the time for which a file is kept',
  'quotes/days': 'the time for which a quote is good',
  'drafts/terms': 'the time until payment is due',
  'access/days': 'the time of access',
  'repairs/charge': 'the share of the price when new that the owner pays',
  'stock/months': 'the reach of an order in months of sales',
  'refunds/share': 'the share of the price that goes back',
};

const compared = [
  '{N} is {cmp} {n}{u}',
  '{N} comes to {cmp} {n}{u}',
  '{N} has been put at {cmp} {n}{u}',
  '{N} was found to be {cmp} {n}{u}',
  '{N} adds up to {cmp} {n}{u}',
  '{N} runs to {cmp} {n}{u}',
  'the file gives {N} as {cmp} {n}{u}',
  '{N} amounts to {cmp} {n}{u}',
  '{N} stands at {cmp} {n}{u}',
  '{N} is reckoned at {cmp} {n}{u}',
  '{N} is entered with {cmp} {n}{u}',
  'the figure for {N} is {cmp} {n}{u}',
];
const overWords = ['more than', 'over', 'above'];
const underWords = ['less than', 'below', 'under'];
const chosen = [
  '{N} is "{v}"',
  '"{v}" is given as {N}',
  '{N} reads "{v}"',
  '{N} has been put down as "{v}"',
  '{N} was noted as "{v}"',
  'one finds "{v}" for {N}',
  '{N} carries the entry "{v}"',
  'the entry for {N} is "{v}"',
  'the file shows "{v}" for {N}',
  'for {N} the word is "{v}"',
];
const measured = [
  '{S} is {v}{u}',
  '{S} is set at {v}{u}',
  '{v}{u} is laid down as {S}',
  '{S} comes to {v}{u}',
  '{v}{u} holds as {S}',
  '{S} is fixed at {v}{u}',
  '{S} is to be {v}{u}',
  '{v}{u} counts as {S}',
];
const named = [
  'the entry for {S} is "{v}"',
  '"{v}" is entered for {S}',
  'for {S} the word is "{v}"',
  '"{v}" goes down as the entry for {S}',
  'what is entered for {S} is "{v}"',
  'for {S}, "{v}" is chosen',
];
const decided = [
  '{v} has the last word on {S}',
  '{v} decides on {S}',
  '{S} is in the hands of {v}',
  '{S} lies with {v}',
  '{S} falls to {v}',
  '{S} is a matter for {v}',
];

/** Facts of a bank that no chapter has yet. */
interface Bank {
  readonly numbers: string[];
  readonly choices: string[];
  readonly told: string[];
}

export function newBank(random: Random): Bank {
  return {
    numbers: random.shuffle(Object.keys(numberFacts)),
    choices: random.shuffle(Object.keys(choiceFacts)),
    told: random.shuffle(Object.keys(toldFacts)),
  };
}

interface DrawnChapter {
  readonly policy: PolicySpec;
  /** Null if the records of the chapter keep their places. */
  readonly places: Places | null;
}

/** @param places where the facts of the public chapter stand; null if its records have a form of their own */
export function drawChapter(
  random: Random,
  bank: Bank,
  spec: PolicySpec,
  places: Places | null,
): DrawnChapter {
  const kept = Object.entries(spec.attributes).filter(([name, own]) =>
    isKept(name, own, places?.[name] ?? null),
  );
  const attributes: Record<string, Attribute> = {};
  for (const [name, attribute] of kept) attributes[name] = reword(random, spec.name, name, attribute);
  const own: Record<string, Place> = {};
  if (places !== null) {
    for (const [name] of kept) own[name] = places[name] ?? { in: 'entry', field: name };
    const wanted = Math.max(4, Object.keys(spec.attributes).length - kept.length);
    for (const [name, attribute, place] of drawFacts(random, bank, wanted)) {
      attributes[name] = attribute;
      own[name] = place;
    }
  }
  const names = Object.keys(attributes);
  return {
    places: places === null ? null : own,
    policy: {
      ...spec,
      attributes,
      terms: drawTerms(random, spec, names, places !== null),
      questions: spec.questions.map((question) =>
        drawQuestion(random, spec.name, question, names, places !== null),
      ),
    },
  };
}

/** What the reckoning or the tools of the office need, and the department. */
function isKept(name: string, attribute: Attribute, place: Place | null): boolean {
  if (place === null || name === 'desk' || place.in === 'reply' || place.in === 'difference') return true;
  return place.in === 'entry' && attribute.kind === 'number';
}

function drawFacts(random: Random, { numbers, choices, told }: Bank, count: number) {
  const drawn: (readonly [string, Attribute, Place])[] = [];
  for (let index = 0; index < count; index += 1) {
    const from =
      index === 0 && told.length > 0 ? 'told' : index % 2 === 1 && choices.length > 0 ? 'choice' : 'number';
    const place = (name: string): Place => ({ in: random.chance(0.35) ? 'party' : 'entry', field: name });
    if (from === 'told') {
      const name = told.pop() ?? '';
      const { noun, told: sentences } = toldFacts[name] ?? { noun: '', told: {} };
      drawn.push([name, choiceOf(random, noun, Object.keys(sentences)), { in: 'note', sentences }]);
    } else if (from === 'choice') {
      const name = choices.pop() ?? '';
      const { noun, values } = choiceFacts[name] ?? { noun: '', values: [] };
      const own =
        values.length === 0 ? inventNames(random, 5) : random.sample(values, Math.min(4, values.length));
      drawn.push([name, choiceOf(random, noun, own), place(name)]);
    } else {
      const name = numbers.pop();
      const fact = name === undefined ? undefined : numberFacts[name];
      if (name === undefined || fact === undefined) break;
      const { min, max, step } = fact;
      const span = (max - min) / step;
      const cuts = [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75];
      const limits = cuts.map((cut) => min + step * Math.round(span * cut));
      const margin = step * Math.max(1, Math.round(span / 200));
      const base: NumberAttribute = {
        kind: 'number',
        noun: fact.noun,
        min,
        max,
        step,
        limits,
        margin,
        over: [],
        under: [],
      };
      drawn.push([name, { ...numberOf(random, base, fact.unit), limits: jitter(random, base) }, place(name)]);
    }
  }
  return drawn;
}

function choiceOf(random: Random, noun: string, values: readonly string[]): ChoiceAttribute {
  return { kind: 'choice', noun, values, is: sentencesOf(random, chosen, { N: noun }) };
}

function reword(random: Random, policy: string, name: string, attribute: Attribute): Attribute {
  const noun = nouns[`${policy}/${name}`] ?? nouns[name] ?? attribute.noun;
  if (attribute.kind === 'choice') {
    const { words: _, ...rest } = attribute;
    // "The confirmation is "confirms"" would be no English.
    const words = attribute.words === undefined || name === 'confirmed' ? {} : { words: attribute.words };
    return { ...rest, ...words, noun, is: sentencesOf(random, chosen, { N: noun }) };
  }
  const unit = /\{n\}( (?:EUR|days|years|minutes|hours|months))\b/.exec(attribute.over[0] ?? '')?.[1] ?? '';
  return { ...numberOf(random, { ...attribute, noun }, unit), limits: jitter(random, attribute) };
}

function numberOf(random: Random, attribute: NumberAttribute, unit: string): NumberAttribute {
  const forms = random.sample(compared, 4);
  const write = (words: readonly string[]) =>
    forms.map((form) => put(form, { N: attribute.noun, u: unit, cmp: random.pick(words) }));
  return { ...attribute, over: write(overWords), under: write(underWords) };
}

function sentencesOf(
  random: Random,
  forms: readonly string[],
  values: Readonly<Record<string, string>>,
): string[] {
  return random.sample(forms, Math.min(4, forms.length)).map((form) => put(form, values));
}

/** Fills the parts that are known now, and leaves the others. */
function put(form: string, values: Readonly<Record<string, string>>): string {
  return form.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Other thresholds in the same range, as many as still differ. */
function jitter(random: Random, { limits, min, max, step, margin }: NumberAttribute): number[] {
  const room = margin + step;
  const moved = limits.map((limit) => {
    const near = limit * (0.75 + random.int(0, 50) / 100);
    return Math.min(max - room, Math.max(min + room, min + step * Math.round((near - min) / step)));
  });
  return [...new Set(moved)].toSorted((left, right) => left - right);
}

/** Two words of the manual, with three facts each. */
function drawTerms(
  random: Random,
  spec: PolicySpec,
  names: readonly string[],
  isNew: boolean,
): PolicySpec['terms'] {
  const shuffled = isNew ? random.shuffle(names) : [];
  return spec.terms
    .map((term, index) => ({
      names: inventWords(random, 3, 2),
      attributes: isNew ? shuffled.slice(3 * index, 3 * index + 3) : term.attributes,
    }))
    .filter(({ attributes }) => attributes.length >= 2);
}

function drawQuestion(
  random: Random,
  policy: string,
  question: QuestionSpec,
  names: readonly string[],
  isNew: boolean,
): QuestionSpec {
  const { name, values } = question;
  const subject = subjects[`${policy}/${name}`] ?? question.subject;
  const { attributes: _, words: __, ...rest } = question;
  const used =
    question.attributes === undefined
      ? {}
      : { attributes: isNew ? pickAttributes(random, names) : question.attributes };
  const base = { ...rest, ...used, subject };
  if (values.includes('nobody')) {
    return { ...base, ...wordsOf(question), effects: sentencesOf(random, decided, { S: subject }) };
  }
  if (name === 'stand_in')
    return {
      ...base,
      ...wordsOf(question),
      effects: sentencesOf(random, measured.slice(0, 1), { S: subject, u: '' }),
    };
  if (values.every((value) => typeof value === 'number')) {
    const unit = /\{v\}( (?:%|EUR|days|months))/.exec(question.effects[0] ?? '')?.[1] ?? '';
    return {
      ...base,
      values: otherNumbers(random, values.map(Number)),
      effects: sentencesOf(random, measured, { S: subject, u: unit }),
    };
  }
  if (name === 'code')
    return {
      ...base,
      values: inventCodes(random, values.length),
      effects: sentencesOf(random, measured, { S: subject, u: '' }),
    };
  return { ...base, effects: sentencesOf(random, named, { S: subject }) };
}

function wordsOf({ words }: QuestionSpec): Pick<QuestionSpec, 'words'> {
  return words === undefined ? {} : { words };
}

/** Always with the department, so that departments can differ. */
function pickAttributes(random: Random, names: readonly string[]): string[] {
  const others = names.filter((name) => name !== 'desk');
  return [...names.filter((name) => name === 'desk'), ...random.sample(others, Math.min(4, others.length))];
}

function otherNumbers(random: Random, values: readonly number[]): Value[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const moved = values.map((value) =>
    value === low || value === high
      ? value
      : Math.min(high, Math.max(low, Math.round(value * (0.8 + random.int(0, 40) / 100)))),
  );
  return [...new Set(moved)].toSorted((left, right) => left - right);
}

function inventCodes(random: Random, count: number): string[] {
  const codes = new Set<string>();
  while (codes.size < count) codes.add(`${random.text('BCDFGHJKLMNPQRSTVWXZ', 2)}${random.int(2, 9)}`);
  return [...codes];
}
