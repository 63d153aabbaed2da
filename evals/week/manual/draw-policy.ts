/** Draws the rules of a policy: a tree of exceptions for each question, terms, and amendments, true and void. */
import type { Random } from '../../random.ts';
import { dayAfter } from '../days.ts';
import { decide } from './decide.ts';
import { drawFactsAt } from './draw-facts.ts';
import { termAdjectives } from './words.ts';
import {
  type Amendment,
  attributeOf,
  attributesOf,
  type Clause,
  clausesOf,
  pathTo,
  type Policy,
  type PolicySpec,
  type Question,
  type QuestionSpec,
  specOf,
  type Term,
  type Test,
  type Value,
} from './rules.ts';

/** Exceptions of a question. */
const exceptions = 2;
/** The chance of an exception to an exception, for each exception. */
const deeper = 0.6;
const depthMax = 3;
/** Of a policy; as many void ones. */
const amendmentCount = 2;
const triesPerClause = 40;

export function drawPolicy(random: Random, spec: PolicySpec): Policy {
  const terms = spec.terms.map((own) => drawTerm(random, spec, own));
  const empty: Policy = { spec, terms, questions: [] };
  const questions = spec.questions.map((question) => drawQuestion(random, empty, question));
  return { ...empty, questions };
}

function drawTerm(
  random: Random,
  spec: PolicySpec,
  { names, attributes }: PolicySpec['terms'][number],
): Term {
  const [first, second, third] = random.shuffle(attributes);
  const tests = [first, second].flatMap((name) =>
    name === undefined ? [] : [drawTest(random, { spec }, name)],
  );
  const unless = third === undefined || random.chance(0.3) ? [] : [drawTest(random, { spec }, third)];
  return { name: `${random.pick(termAdjectives)} ${random.pick(names)}`, tests, unless };
}

function drawTest(random: Random, policy: Pick<Policy, 'spec'>, name: string): Test {
  const attribute = attributeOf(policy, name);
  if (attribute.kind === 'choice') return { attribute: name, op: 'is', value: random.pick(attribute.values) };
  const op = attribute.under.length === 0 || random.chance(0.6) ? 'over' : 'under';
  return { attribute: name, op, value: random.pick(attribute.limits) };
}

function drawQuestion(random: Random, policy: Policy, spec: QuestionSpec): Question {
  const usable = usableIn(policy, spec);
  let count = 0;
  const grow = (
    id: string,
    when: readonly Test[],
    value: Value,
    above: readonly Test[],
    depth: number,
  ): Clause => {
    const chain = [...above, ...when];
    const isDeeper = depth > 0 && depth < depthMax && random.chance(deeper);
    const wanted = depth === 0 ? exceptions : isDeeper ? random.int(1, 2) : 0;
    const children: Clause[] = [];
    for (let index = 0; index < wanted; index += 1) {
      const tests = drawTests(random, policy, usable, chain);
      if (tests === null || children.some((child) => isSame(child.when, tests))) continue;
      const others = spec.values.filter((other) => other !== value);
      count += 1;
      children.push(grow(`${spec.name}${count}`, tests, random.pick(others), chain, depth + 1));
    }
    return { id, when, value, children };
  };
  const root = grow(`${spec.name}0`, [], random.pick(spec.values), [], 0);
  return { name: spec.name, root: withoutDead(random, policy, root) };
}

function usableIn({ spec }: Policy, { attributes }: QuestionSpec): readonly string[] {
  return attributes ?? Object.keys(spec.attributes);
}

/** One or two tests on attributes that the clauses above do not use. */
function drawTests(
  random: Random,
  policy: Policy,
  usable: readonly string[],
  chain: readonly Test[],
): Test[] | null {
  const taken = new Set(attributesOf(policy, chain));
  const tests: Test[] = [];
  for (let index = random.chance(0.45) ? 1 : 0; index < 2; index += 1) {
    const terms = policy.terms.filter(({ tests: own, unless }) => {
      return attributesOf(policy, [...own, ...unless]).every(
        (name) => usable.includes(name) && !taken.has(name),
      );
    });
    const free = usable.filter((name) => !taken.has(name));
    const byTerm = terms.length > 0 && random.chance(0.4);
    if (!byTerm && free.length === 0) break;
    const test: Test = byTerm
      ? { term: random.pick(terms).name, holds: random.chance(0.75) }
      : drawTest(random, policy, random.pick(free));
    tests.push(test);
    for (const name of attributesOf(policy, [test])) taken.add(name);
  }
  return tests.length === 0 ? null : tests;
}

function isSame(left: readonly Test[], right: readonly Test[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Drops the exceptions that no case reaches, because later ones always prevail. */
export function withoutDead(random: Random, policy: Policy, root: Clause): Clause {
  const question: Question = { name: '', root };
  const alive = (clause: Clause, path: readonly Clause[]): Clause => {
    const children = clause.children.filter((child) => {
      const chain = [...path, child];
      for (let tries = 0; tries < triesPerClause; tries += 1) {
        const facts = drawFactsAt(
          random,
          policy,
          chain.flatMap(({ when }) => when),
        );
        if (facts === null) continue;
        const reached = decide({ policy, amendments: [] }, question, facts).path;
        if (reached.some(({ id }) => id === child.id)) return true;
      }
      return false;
    });
    return { ...clause, children: children.map((child) => alive(child, [...path, child])) };
  };
  return alive(root, []);
}

/** Amendments of different clauses, each with a day in the weeks before `today`. */
export function drawAmendments(
  random: Random,
  policy: Policy,
  today: string,
): { readonly amendments: Amendment[]; readonly voids: Amendment[] } {
  const targets = random.shuffle(
    policy.questions.flatMap((question) => clausesOf(question.root).map((clause) => ({ clause, question }))),
  );
  const made = targets.slice(0, 2 * amendmentCount).map(({ clause, question }, index): Amendment => {
    const spec = specOf(policy, question);
    const others = spec.values.filter((value) => value !== clause.value);
    const from = dayAfter(today, -random.int(16, 32));
    const base = { id: `${policy.spec.name}-a${index}`, clause: clause.id, from };
    const above = pathTo(question.root, clause.id).flatMap(({ when }) => when);
    const kind = random.int(0, 2);
    const tests = kind === 1 ? drawTests(random, policy, usableIn(policy, spec), above) : null;
    if (kind === 0 && clause.id !== question.root.id) return { ...base, change: { kind: 'suspend' } };
    if (tests === null) return { ...base, change: { kind: 'replace', value: random.pick(others) } };
    const exception = { id: `${base.id}x`, when: tests, value: random.pick(others), children: [] };
    return { ...base, change: { kind: 'add', exception } };
  });
  return { amendments: made.slice(0, amendmentCount), voids: made.slice(amendmentCount) };
}
