/** Renders rules as sentences. Each company has its own words for things, so manuals differ in wording. */
import type { Random } from '../../random.ts';
import { capital } from '../../safe-text.ts';
import { longDay } from '../days.ts';
import {
  type Amendment,
  attributeOf,
  type Clause,
  type Policy,
  type QuestionSpec,
  type Term,
  type Test,
  type Value,
} from './rules.ts';
import * as words from './words.ts';

export interface Voice {
  readonly random: Random;
  readonly lexicon: ReadonlyMap<string, string>;
}

export function drawVoice(random: Random): Voice {
  const entries = Object.entries(words.lexicon).map(
    ([word, options]) => [word, random.pick(options)] as const,
  );
  return { random, lexicon: new Map(entries) };
}

/** Fills `{name}` from the given values, then from the company's words. */
export function fill(voice: Voice, template: string, values: Readonly<Record<string, string>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? voice.lexicon.get(name);
    if (value !== undefined) return value;
    const lower = name.toLowerCase();
    const small = values[lower] ?? voice.lexicon.get(lower);
    return small === undefined ? whole : capital(small);
  });
}

/** "the case in which ..." as a finite clause, such as "the goods came more than 5 days late". */
export function renderTests(voice: Voice, policy: Policy, tests: readonly Test[]): string {
  const parts = tests.map((test) => renderTest(voice, policy, test));
  const [first = 'always', second] = parts;
  if (second === undefined) return first;
  return fill(voice, voice.random.pick(words.andForms), { a: first, b: second });
}

function renderTest(voice: Voice, policy: Policy, test: Test): string {
  const { random } = voice;
  if ('term' in test) {
    const form = random.pick(test.holds ? words.termHolds : words.termFails);
    return fill(voice, form, { t: withArticle(test.term) });
  }
  const attribute = attributeOf(policy, test.attribute);
  if (test.op === 'is') {
    if (attribute.kind !== 'choice') throw new TypeError('Only a choice can be one of its values.');
    return fill(voice, random.pick(attribute.is), { v: test.value });
  }
  if (attribute.kind !== 'number') throw new TypeError('Only a number has a threshold.');
  return fill(voice, random.pick(attribute[test.op]), { n: test.value.toLocaleString('en') });
}

function withArticle(term: string): string {
  return `${/^[aeiou]/.test(term) ? 'an' : 'a'} ${term}`;
}

export function renderEffect(voice: Voice, question: QuestionSpec, value: Value): string {
  const worded = question.words?.[value] ?? (typeof value === 'number' ? value.toLocaleString('en') : value);
  return fill(voice, voice.random.pick(question.effects), { v: worded });
}

export function renderTerm(voice: Voice, policy: Policy, { name, tests, unless }: Term): string {
  const { random } = voice;
  const meaning = fill(voice, random.pick(words.termForms), {
    t: withArticle(name),
    c: renderTests(voice, policy, tests),
  });
  if (unless.length === 0) return capital(meaning);
  return `${capital(meaning)} ${fill(voice, random.pick(words.termUnless), { c: renderTests(voice, policy, unless) })}`;
}

/** @param reference how the clause names the one to which it is an exception */
export function renderClause(
  voice: Voice,
  policy: Policy,
  question: QuestionSpec,
  clause: Clause,
  reference: string | null,
): string {
  const { random } = voice;
  const e = renderEffect(voice, question, clause.value);
  if (reference === null) return fill(voice, random.pick(words.rootLeads), { e });
  return fill(voice, random.pick(words.exceptionForms), {
    e,
    ref: reference,
    c: renderTests(voice, policy, clause.when),
  });
}

/** A sentence or two without any effect. */
export function renderRemark({ random }: Voice): string {
  const { bodies, occasions, tails, verbs } = words.remarkParts;
  const remark = `${capital(random.pick(bodies))} ${random.pick(verbs)} ${random.pick(occasions)}.`;
  return random.chance(0.4) ? `${remark} ${random.pick(tails)}` : remark;
}

export function renderHouseRule(voice: Voice): string {
  const { random } = voice;
  return fill(voice, random.pick(words.houseForms), {
    t: random.pick(words.houseTopics),
    y: String(random.int(1988, 2029)),
    n: String(random.int(12, 90)),
    m: String(random.int(1, 11)),
  });
}

export function renderAmendment(
  voice: Voice,
  policy: Policy,
  question: QuestionSpec,
  { change, from }: Amendment,
  reference: string,
): string {
  const { random } = voice;
  const start = fill(voice, random.pick(words.amendStarts), { d: longDay(from) });
  const values = { s: start, ref: reference };
  switch (change.kind) {
    case 'replace': {
      const e = renderEffect(voice, question, change.value);
      return fill(voice, words.replaceForm, { ...values, e });
    }
    case 'suspend':
      return fill(voice, words.suspendForm, values);
    case 'add': {
      const c = renderTests(voice, policy, change.exception.when);
      const e = renderEffect(voice, question, change.exception.value);
      return fill(voice, words.addForm, { ...values, c, e });
    }
  }
}
