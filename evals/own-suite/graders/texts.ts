/** Graders of the reply as a text: whole, in part, by expression, by length and by similarity. */
import { distance } from 'fastest-levenshtein';
import { RE2JS } from 're2js';
import { type TProperties, Type } from 'typebox';
import { normalizeText } from '#runtime/normalize-text.ts';
import type { Fault, Path } from '../fault.ts';
import { hasText } from '../find-text.ts';
import { compileExpression, type LinearExpression } from '../linear-expression.ts';
import {
  comparable,
  hiddenIn,
  Ignore,
  type Ignorable,
  lookAlike,
  plainForm,
  quoteText,
} from '../text-forms.ts';
import { TooMuchWorkError, type WorkBudget } from '../work-budget.ts';
import { type Grade, grader, verdict } from './grader.ts';
import { readAnswer } from './read-answer.ts';
import { spokenText } from './spoken.ts';

const maxText = 20_000;
const maxTexts = 100;
const Text = Type.String({ minLength: 1, maxLength: maxText });
const Texts = Type.Array(Text, { minItems: 1, maxItems: maxTexts });

const fields = <Own extends TProperties>(own: Own) =>
  Type.Object({ ...own, ignore: Type.Optional(Ignore) }, { additionalProperties: false });

/** `read: answer` compares what a label such as `Answer:` marks, or the last line, instead of the whole reply. */
const Read = Type.Optional(Type.Literal('answer'));

function compareWhole(
  accepted: readonly string[],
  ignore: readonly Ignorable[],
  read: 'answer' | undefined,
  prepareWork: WorkBudget,
): Grade {
  spendOn(accepted, prepareWork);
  const wanted = accepted.map((text) => comparable(text, ignore));
  const expected = accepted.map(quoteText).join(' or ');
  return ({ text }) => {
    const candidates = read === 'answer' ? answersIn(text) : [text];
    const found = candidates.map((candidate) => comparable(candidate, ignore));
    const passed = found.some((candidate) => wanted.includes(candidate));
    const [first = ''] = candidates;
    // The form of the candidate that is shown.
    const difference = passed ? '' : closest(wanted, found[0] ?? '');
    return verdict(passed, expected, `${quoteText(first)}${difference}`);
  };
}

/** How the found text differs from one of the wanted ones in what cannot be seen. */
function closest(wanted: readonly string[], found: string): string {
  for (const each of wanted) {
    const difference = lookAlike(each, found);
    if (difference !== '') return difference;
  }
  return hiddenIn(found);
}

/** Steps of a character that is brought into the form in which texts are compared. */
const formSteps = 8;

function spendOn(texts: readonly string[], work: WorkBudget): void {
  work.spend(formSteps * texts.reduce((sum, text) => sum + 1 + text.length, 0));
}

/** The answer in a reply, and the whole of it. */
function answersIn(text: string): readonly string[] {
  const spoken = spokenText(text);
  const answer = readAnswer(spoken);
  return answer === null ? [spoken] : [answer.text, spoken];
}

export const equals = grader({
  name: 'equals',
  stepsPerCharacter: 10,
  passes: 'the reply, or with `read: answer` the answer in it, is the text',
  schema: fields({ equals: Text, read: Read }),
  prepare: (spec, _inner, work) => compareWhole([spec.equals], spec.ignore ?? [], spec.read, work),
});

export const oneOf = grader({
  name: 'one_of',
  stepsPerCharacter: 10,
  passes: 'the reply, or with `read: answer` the answer in it, is one of the texts',
  schema: fields({ one_of: Texts, read: Read }),
  prepare: (spec, _inner, work) => compareWhole(spec.one_of, spec.ignore ?? [], spec.read, work),
});

function search(
  texts: readonly string[],
  ignore: readonly Ignorable[],
  quantifier: 'all' | 'any',
  prepareWork: WorkBudget,
): Grade {
  spendOn(texts, prepareWork);
  const wanted = texts.map((text) => comparable(text, ignore));
  const expected = `${quantifier === 'all' && texts.length > 1 ? 'all of ' : texts.length > 1 ? 'any of ' : ''}${texts.map(quoteText).join(', ')}`;
  return ({ text }, { work }) => {
    const reply = comparable(text, ignore);
    const present = wanted.map((part) => hasText(reply, part, work));
    const passed = quantifier === 'all' ? present.every(Boolean) : present.some(Boolean);
    const found = texts.filter((_, at) => present[at] === true);
    const shown = found.length === 0 ? 'none of it' : found.map(quoteText).join(', ');
    return verdict(passed, expected, passed ? shown : `${shown}${hiddenNote(reply)}`);
  };
}

function hiddenNote(reply: string): string {
  const note = hiddenIn(reply);
  return note === '' ? '' : ` in a reply${note}`;
}

/** A text of which nothing is left would be in every reply. */
function findBlank(
  texts: readonly string[],
  ignore: readonly Ignorable[] | undefined,
  path: Path,
  work: WorkBudget,
): Fault[] {
  spendOn(texts, work);
  const blank = texts.find((text) => comparable(text, ignore) === '');
  if (blank === undefined) return [];
  return [
    { path, message: `Nothing to look for is left of ${quoteText(blank)}, so every reply would pass.` },
  ];
}

export const contains = grader({
  name: 'contains',
  stepsPerCharacter: 10,
  passes: 'the reply contains the text',
  schema: fields({ contains: Text }),
  check: (spec, { path, work }) => findBlank([spec.contains], spec.ignore, [...path, 'contains'], work),
  prepare: (spec, _inner, work) => search([spec.contains], spec.ignore ?? [], 'all', work),
});

export const containsAll = grader({
  name: 'contains_all',
  stepsPerCharacter: 10,
  passes: 'the reply contains all of the texts',
  schema: fields({ contains_all: Texts }),
  check: (spec, { path, work }) => findBlank(spec.contains_all, spec.ignore, [...path, 'contains_all'], work),
  prepare: (spec, _inner, work) => search(spec.contains_all, spec.ignore ?? [], 'all', work),
});

export const containsAny = grader({
  name: 'contains_any',
  stepsPerCharacter: 10,
  passes: 'the reply contains at least one of the texts',
  schema: fields({ contains_any: Texts }),
  check: (spec, { path, work }) => findBlank(spec.contains_any, spec.ignore, [...path, 'contains_any'], work),
  prepare: (spec, _inner, work) => search(spec.contains_any, spec.ignore ?? [], 'any', work),
});

const flagValues = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL } as const;

function withFlags(source: string, flags: string, work: WorkBudget): LinearExpression {
  let value = 0;
  for (const flag of flags) value |= flagValues[flag as keyof typeof flagValues]; // The schema allows only these.
  return compileExpression(source, work, value);
}

export const matches = grader({
  name: 'matches',
  stepsPerCharacter: 10,
  passes: 'the RE2 expression matches somewhere in the reply; `flags` are `i`, `m` and `s`',
  schema: Type.Object(
    {
      matches: Type.String({ minLength: 1, maxLength: 1_000 }),
      flags: Type.Optional(Type.String({ pattern: '^[ims]{1,3}$', 'x-rule': 'be made of i, m and s' })),
    },
    { additionalProperties: false },
  ),
  check(spec, { path, work }) {
    try {
      withFlags(spec.matches, spec.flags ?? '', work);
      return [];
    } catch (cause) {
      if (cause instanceof TooMuchWorkError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      return [
        {
          path: [...path, 'matches'],
          message: `\`matches\` must be an RE2 expression, which has no look-around and no back-references: ${reason.slice(0, 200)}.`,
        },
      ];
    }
  },
  prepare(spec, _inner, prepareWork) {
    const expression = withFlags(normalizeText(spec.matches, 'NFC'), spec.flags ?? '', prepareWork);
    return ({ text }, { work }) => {
      const reply = plainForm(text);
      const found = expression.find(reply, work);
      return verdict(
        found !== null,
        `a match of /${spec.matches}/${spec.flags ?? ''}`,
        found === null ? `none${hiddenNote(reply)}` : quoteText(found),
      );
    };
  },
});

const counters = {
  words: (text: string) => text.match(/\S+/g)?.length ?? 0,
  characters: (text: string) => Array.from(text).length,
  lines: (text: string) => (text === '' ? 0 : text.split('\n').length),
};

export const length = grader({
  name: 'length',
  stepsPerCharacter: 8,
  passes: 'the reply has between `min` and `max` words, characters (code points) or lines',
  schema: Type.Object(
    {
      length: Type.Enum(['words', 'characters', 'lines']),
      min: Type.Optional(Type.Integer({ minimum: 0, maximum: 262_144 })),
      max: Type.Optional(Type.Integer({ minimum: 0, maximum: 262_144 })),
    },
    { additionalProperties: false },
  ),
  check: (spec, { path }) =>
    (spec.min === undefined && spec.max === undefined) || (spec.min ?? 0) > (spec.max ?? Infinity)
      ? [{ path, message: '`length` needs `min`, `max` or both, and `min` must not exceed `max`.' }]
      : [],
  prepare: (spec) => (reply) => {
    const count = counters[spec.length](plainForm(reply.text));
    const passed = count >= (spec.min ?? 0) && count <= (spec.max ?? Infinity);
    return verdict(
      passed,
      `${spec.min ?? 0} to ${spec.max ?? 'any number of'} ${spec.length}`,
      `${count} ${spec.length}`,
    );
  },
});

/** Both measures compare every part with every other, so longer texts are not compared. */
const maxComparedCharacters = 8_000;
const maxComparedWords = 1_500;
/** Pairs of characters that one step compares, or of words of half as many. */
const pairsPerStep = 8;

export const similar = grader({
  name: 'similar',
  stepsPerCharacter: 8,
  passes:
    'the similarity to one of the texts in `to` (ROUGE-L over words, or edit similarity) is at least `at_least`',
  schema: fields({
    similar: Type.Enum(['rouge-l', 'edit']),
    to: Type.Array(Type.String({ minLength: 1, maxLength: maxComparedCharacters }), {
      minItems: 1,
      maxItems: 10,
    }),
    at_least: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
  }),
  prepare(spec, _inner, prepareWork) {
    const measure = spec.similar === 'edit' ? editSimilarity : rougeL;
    spendOn(spec.to, prepareWork);
    const wanted = spec.to.map((text) => comparable(text, spec.ignore));
    const expected = `a similarity of at least ${spec.at_least} (${spec.similar}) to ${spec.to.map(quoteText).join(' or ')}`;
    return ({ text }, { work }) => {
      const reply = comparable(text, spec.ignore);
      if (reply.length > maxComparedCharacters)
        return verdict(false, expected, `a reply of more than ${maxComparedCharacters} characters`);
      for (const { length } of wanted) work.spend((reply.length * length) / pairsPerStep);
      const best = Math.max(...wanted.map((other) => measure(reply, other)));
      return verdict(best >= spec.at_least, expected, `a similarity of ${best.toFixed(3)}`);
    };
  },
});

function editSimilarity(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  return longest === 0 ? 1 : 1 - distance(one, other) / longest;
}

/** The F-measure of the longest common subsequence of words (C.-Y. Lin, 2004, with β = 1). */
function rougeL(one: string, other: string): number {
  const words = one.match(/\S+/g)?.slice(0, maxComparedWords) ?? [];
  const others = other.match(/\S+/g)?.slice(0, maxComparedWords) ?? [];
  if (words.length === 0 || others.length === 0) return 0;
  let row = new Uint16Array(others.length + 1);
  for (const word of words) {
    const next = new Uint16Array(others.length + 1);
    for (let at = 1; at <= others.length; at += 1) {
      next[at] = word === others[at - 1] ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0);
    }
    row = next;
  }
  return (2 * (row[others.length] ?? 0)) / (words.length + others.length);
}
