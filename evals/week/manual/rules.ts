/**
 * Rules as data. A policy has questions; each question is a tree: its root states what holds in general, its children
 * are exceptions, their children are exceptions to these. The same data decides cases and is rendered as prose.
 */
import type { Random } from '../../random.ts';

export type Value = string | number;
/** What is known about a case. `day` is the day that decides which version of a rule holds, as YYYY-MM-DD. */
export type Facts = Readonly<Record<string, Value>>;

export type Test =
  | { readonly attribute: string; readonly op: 'over' | 'under'; readonly value: number }
  | { readonly attribute: string; readonly op: 'is'; readonly value: string }
  | { readonly term: string; readonly holds: boolean };

/** A word of the manual with a meaning of its own. */
export interface Term {
  readonly name: string;
  /** All must hold. */
  readonly tests: readonly Test[];
  /** If all of these hold, the word does not apply. */
  readonly unless: readonly Test[];
}

export interface Clause {
  readonly id: string;
  readonly when: readonly Test[];
  readonly value: Value;
  readonly children: readonly Clause[];
}

export interface Question {
  readonly name: string;
  readonly root: Clause;
}

/** A change of the manual by a memo, for cases from a day on. */
export interface Amendment {
  readonly id: string;
  readonly clause: string;
  readonly from: string;
  readonly change:
    | { readonly kind: 'replace'; readonly value: Value }
    | { readonly kind: 'suspend' }
    | { readonly kind: 'add'; readonly exception: Clause };
}

export interface Policy {
  readonly spec: PolicySpec;
  readonly terms: readonly Term[];
  readonly questions: readonly Question[];
}

export interface NumberAttribute {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The thresholds that a rule may use. */
  readonly limits: readonly number[];
  /** How far a case stays away from a threshold. */
  readonly margin: number;
  /** Sentences with `{n}`. */
  readonly over: readonly string[];
  readonly under: readonly string[];
}

export interface ChoiceAttribute {
  readonly kind: 'choice';
  readonly values: readonly string[];
  /** Sentences with `{v}`. */
  readonly is: readonly string[];
  /** The value is a department, so that a rule about it is a difference between departments. */
  readonly department?: true;
}

export type Attribute = NumberAttribute | ChoiceAttribute;

export interface QuestionSpec {
  readonly name: string;
  /** "what share of the price is paid back" */
  readonly subject: string;
  readonly values: readonly Value[];
  /** Sentences with `{v}` that state the value. */
  readonly effects: readonly string[];
  /** How the values are worded. */
  readonly words?: Readonly<Record<string, string>>;
  /** The attributes that its rules may use; all of the policy by default. */
  readonly attributes?: readonly string[];
}

export interface PolicySpec {
  readonly name: string;
  /** One or two words for the subject of mails, "refunds". */
  readonly topic: string;
  readonly titles: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly terms: readonly { readonly names: readonly string[]; readonly attributes: readonly string[] }[];
  readonly questions: readonly QuestionSpec[];
  /** Sentences that are true of every manual: which day decides, what is reckoned in which order. */
  readonly readings: readonly (readonly string[])[];
}

/** Everything that decides the cases of one policy. */
export interface Law {
  readonly policy: Policy;
  readonly amendments: readonly Amendment[];
}

const below = new WeakMap<Clause, readonly Clause[]>();

/** The clause and all exceptions below it. */
export function clausesOf(clause: Clause): readonly Clause[] {
  const known = below.get(clause);
  if (known !== undefined) return known;
  const all = [clause, ...clause.children.flatMap(clausesOf)];
  below.set(clause, all);
  return all;
}

export function termOf(policy: Policy, name: string): Term {
  const term = policy.terms.find((other) => other.name === name);
  if (term === undefined) throw new RangeError(`The manual has no term ${name}.`);
  return term;
}

export function specOf({ spec }: Policy, { name }: Question): QuestionSpec {
  const found = spec.questions.find((question) => question.name === name);
  if (found === undefined) throw new RangeError(`The policy has no question ${name}.`);
  return found;
}

export function attributeOf(policy: Pick<Policy, 'spec'>, name: string): Attribute {
  const attribute = policy.spec.attributes[name];
  if (attribute === undefined) throw new RangeError(`The policy has no attribute ${name}.`);
  return attribute;
}

/** Every attribute that a test looks at, through terms. */
export function attributesOf(policy: Policy, tests: readonly Test[]): string[] {
  return tests.flatMap((test) => {
    if ('attribute' in test) return [test.attribute];
    const { tests: own, unless } = termOf(policy, test.term);
    return attributesOf(policy, [...own, ...unless]);
  });
}

/** A value of an attribute, anywhere in its range. */
export function drawValue(random: Random, attribute: Attribute): Value {
  if (attribute.kind === 'choice') return random.pick(attribute.values);
  const { min, max, step } = attribute;
  return min + step * random.int(0, Math.floor((max - min) / step));
}

/** The clauses from `root` down to the one with this id; empty if there is none. */
export function pathTo(root: Clause, id: string): Clause[] {
  if (root.id === id) return [root];
  for (const child of root.children) {
    const below = pathTo(child, id);
    if (below.length > 0) return [root, ...below];
  }
  return [];
}

/** The question of a clause, and the clauses from its root down to it. */
export function findClause(
  { questions }: Policy,
  id: string,
): { readonly question: Question; readonly clause: Clause; readonly path: readonly Clause[] } {
  for (const question of questions) {
    const path = pathTo(question.root, id);
    const clause = path.at(-1);
    if (clause !== undefined) return { question, clause, path };
  }
  throw new RangeError(`The policy has no clause ${id}.`);
}
