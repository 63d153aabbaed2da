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
  const amendments = law.amendments.filter(({ id, from }) => {
    return id !== without.amendment && String(facts['day']) >= from;
  });
  const used: Amendment[] = [];
  const holds = (tests: readonly Test[]) => tests.every((test) => isMet(law.policy, test, facts, without));
  const settle = (clause: Clause, path: readonly Clause[]): Omit<Decision, 'amendments'> => {
    const own = amendments.filter((amendment) => amendment.clause === clause.id);
    let value = clause.value;
    const children = [...clause.children];
    for (const amendment of own) {
      if (amendment.change.kind === 'replace') value = amendment.change.value;
      if (amendment.change.kind === 'add') children.push(amendment.change.exception);
      used.push(amendment);
    }
    const reached = [...path, clause];
    // Of several exceptions that apply, the one printed last prevails.
    const prevailing = children.findLast((child) => {
      const suspension = amendments.find(({ clause: id, change }) => {
        return id === child.id && change.kind === 'suspend';
      });
      if (child.id === without.clause || !holds(child.when)) return false;
      if (suspension !== undefined) used.push(suspension);
      return suspension === undefined;
    });
    return prevailing === undefined ? { value, path: reached } : settle(prevailing, reached);
  };
  return { ...settle(question.root, []), amendments: used };
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
  const outcome = JSON.stringify(decideAll(law, facts));
  const changes = (without: Without) => JSON.stringify(decideAll(law, facts, without)) !== outcome;
  const decisions = law.policy.questions.map((question) => decide(law, question, facts));
  const reached = decisions.flatMap(({ path }) => path.slice(1));
  const clauses = reached.filter(({ id }) => changes({ clause: id }));
  const deep = decisions.flatMap(({ path }) => path.slice(2)).filter((clause) => clauses.includes(clause));
  const terms = law.policy.terms.map(({ name }) => name).filter((term) => changes({ term }));
  const amendments = decisions
    .flatMap((decision) => decision.amendments)
    .filter(({ id }) => changes({ amendment: id }));
  const isFooled = voids.some((amendment) => {
    const fooled = { ...law, amendments: [...law.amendments, amendment] };
    return JSON.stringify(decideAll(fooled, facts)) !== outcome;
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
    deep: deep.length > 0,
    definition: terms.length > 0,
    amendment: amendments.length > 0,
    void: isFooled,
    department: byDepartment,
  };
  return { clauses, terms, amendments, kinds: new Set(ruleKinds.filter((kind) => found[kind])) };
}

/** Whether a case is at least the margin away from every threshold of its policy and from every amendment's day. */
export function isClear(law: Law, facts: Facts, voids: readonly Amendment[]): boolean {
  const { spec, questions, terms } = law.policy;
  const added = [...law.amendments, ...voids].flatMap(({ change }) => {
    return change.kind === 'add' ? clausesOf(change.exception) : [];
  });
  const tests = [
    ...[...questions.flatMap(({ root }) => clausesOf(root)), ...added].flatMap(({ when }) => when),
    ...terms.flatMap((term) => [...term.tests, ...term.unless]),
  ];
  const isFar = tests.every((test) => {
    if (!('attribute' in test) || test.op === 'is') return true;
    const attribute = spec.attributes[test.attribute];
    const margin = attribute?.kind === 'number' ? attribute.margin : 0;
    return Math.abs(Number(facts[test.attribute]) - test.value) >= Math.max(margin, test.value * 0.02);
  });
  const day = Date.parse(String(facts['day']));
  return (
    isFar && [...law.amendments, ...voids].every(({ from }) => Math.abs(Date.parse(from) - day) >= dayMargin)
  );
}

const dayMargin = 3 * 86_400_000;
