/** Decides cases by the rules of a manual, and finds out which rules a decision hangs on. */
import {
  type Amendment,
  type Clause,
  clausesOf,
  type Facts,
  type Law,
  type Policy,
  type Question,
  type Test,
  termOf,
  type Value,
} from './rules.ts';

export interface Decision {
  readonly value: Value;
  /** From the root to the clause that prevails. */
  readonly path: readonly Clause[];
  readonly amendments: readonly Amendment[];
}

/** Parts of a manual that are left out, to see whether a decision depends on them. */
export interface Without {
  readonly clause?: string;
  readonly amendment?: string;
  /** Decides as if a case were on the other side of the term. */
  readonly term?: string;
}

export function decide(law: Law, question: Question, facts: Facts, without: Without = {}): Decision {
  const day = String(facts['day']);
  const amendments = law.amendments.filter(({ id, from }) => id !== without.amendment && day >= from);
  const used: Amendment[] = [];
  const path: Clause[] = [];
  const holds = (test: Test) => isMet(law.policy, test, facts, without);
  const prevails = (child: Clause) => {
    if (child.id === without.clause || !child.when.every(holds)) return false;
    const suspension = amendments.find(({ clause, change }) => {
      return clause === child.id && change.kind === 'suspend';
    });
    if (suspension !== undefined) used.push(suspension);
    return suspension === undefined;
  };
  let value = question.root.value;
  let reached: Clause | undefined = question.root;
  while (reached !== undefined) {
    path.push(reached);
    const { id, children }: Clause = reached;
    ({ value } = reached);
    const added: Clause[] = [];
    for (const amendment of amendments) {
      if (amendment.clause !== id) continue;
      if (amendment.change.kind === 'replace') ({ value } = amendment.change);
      if (amendment.change.kind === 'add') added.push(amendment.change.exception);
      used.push(amendment);
    }
    // Of several exceptions that apply, the one printed last prevails.
    reached = added.findLast(prevails) ?? children.findLast(prevails);
  }
  return { value, path, amendments: used };
}

export function isMet(policy: Policy, test: Test, facts: Facts, without: Without = {}): boolean {
  if ('term' in test) {
    const { tests, unless } = termOf(policy, test.term);
    const all = (list: readonly Test[]) => list.every((own) => isMet(policy, own, facts, without));
    const applies = all(tests) && !(unless.length > 0 && all(unless));
    return (test.term === without.term ? !applies : applies) === test.holds;
  }
  const value = facts[test.attribute];
  if (value === undefined) throw new RangeError(`The case has no ${test.attribute}.`);
  switch (test.op) {
    case 'over':
      return Number(value) > test.value;
    case 'under':
      return Number(value) < test.value;
    case 'is':
      return value === test.value;
  }
}

export type Outcome = Readonly<Record<string, Value>>;

/** The values of all questions of a policy. */
export function decideAll(law: Law, facts: Facts, without: Without = {}): Outcome {
  return Object.fromEntries(
    law.policy.questions.map((question) => [question.name, decide(law, question, facts, without).value]),
  );
}

export const ruleKinds = ['exception', 'deep', 'definition', 'amendment', 'void', 'department'] as const;
export type RuleKind = (typeof ruleKinds)[number];

export interface Decisive {
  readonly clauses: readonly Clause[];
  readonly terms: readonly string[];
  readonly amendments: readonly Amendment[];
  readonly kinds: ReadonlySet<RuleKind>;
}

/** The rules without which the case ends differently, and those of `voids` that would change it if they held. */
export function findDecisive(law: Law, facts: Facts, voids: readonly Amendment[]): Decisive {
  const decisions = law.policy.questions.map((question) => ({ question, ...decide(law, question, facts) }));
  const isOther = ({ question, value }: (typeof decisions)[number], without: Without, under = law) =>
    decide(under, question, facts, without).value !== value;
  // A clause and an amendment are of one question; terms may be in all of them.
  const clauses = decisions.flatMap((decision) => {
    return decision.path.slice(1).filter(({ id }) => isOther(decision, { clause: id }));
  });
  const isDeep = decisions.some(({ path }) => path.slice(2).some((clause) => clauses.includes(clause)));
  const terms = law.policy.terms
    .map(({ name }) => name)
    .filter((term) => decisions.some((decision) => isOther(decision, { term })));
  const amendments = decisions.flatMap((decision) => {
    return decision.amendments.filter(({ id }) => isOther(decision, { amendment: id }));
  });
  const isFooled = voids.some((amendment) => {
    const fooled = { ...law, amendments: [...law.amendments, amendment] };
    return decisions.some((decision) => isOther(decision, {}, fooled));
  });
  const byDepartment = clauses.some(({ when }) =>
    when.some((test) => {
      if (!('attribute' in test)) return false;
      const attribute = law.policy.spec.attributes[test.attribute];
      return attribute?.kind === 'choice' && attribute.department === true;
    }),
  );
  const found: Record<RuleKind, boolean> = {
    exception: clauses.length > 0,
    deep: isDeep,
    definition: terms.length > 0,
    amendment: amendments.length > 0,
    void: isFooled,
    department: byDepartment,
  };
  return { clauses, terms, amendments, kinds: new Set(ruleKinds.filter((kind) => found[kind])) };
}

/** Tells whether a case is at least the margin away from every threshold of the policy and every amendment's day. */
export function clearanceOf(law: Law, voids: readonly Amendment[]): (facts: Facts) => boolean {
  const { spec, questions, terms } = law.policy;
  const changes = [...law.amendments, ...voids];
  const added = changes.flatMap(({ change }) => (change.kind === 'add' ? clausesOf(change.exception) : []));
  const tests = [
    ...[...questions.flatMap(({ root }) => clausesOf(root)), ...added].flatMap(({ when }) => when),
    ...terms.flatMap((term) => [...term.tests, ...term.unless]),
  ];
  const thresholds = tests.flatMap((test) => {
    if (!('attribute' in test) || test.op === 'is') return [];
    const attribute = spec.attributes[test.attribute];
    const margin = attribute?.kind === 'number' ? attribute.margin : 0;
    return [{ name: test.attribute, value: test.value, margin: Math.max(margin, test.value * 0.02) }];
  });
  const days = changes.map(({ from }) => Date.parse(from));
  return (facts) => {
    const day = Date.parse(String(facts['day']));
    return (
      thresholds.every(({ name, value, margin }) => Math.abs(Number(facts[name]) - value) >= margin) &&
      days.every((from) => Math.abs(from - day) >= dayMargin)
    );
  };
}

const dayMargin = 3 * 86_400_000;
