/** Draws the facts of cases: at random, or so that they reach a given clause. */
import type { Random } from '../../random.ts';
import { clearanceOf, findDecisive, isMet, type RuleKind } from './decide.ts';
import {
  type Amendment,
  attributeOf,
  clausesOf,
  findClause,
  drawValue,
  type Facts,
  type Law,
  pathTo,
  type Policy,
  type Test,
  termOf,
  type Value,
} from './rules.ts';

const triesMax = 400;
/** How many possible facts are looked at in search of the kind of rule that was wished for. */
const possibleMax = 60;

/** Facts that meet all `tests`, or null if these facts happen not to. */
export function drawFactsAt(random: Random, policy: Policy, tests: readonly Test[], day = ''): Facts | null {
  const facts: Record<string, Value> = { day };
  for (const [name, attribute] of Object.entries(policy.spec.attributes))
    facts[name] = drawValue(random, attribute);
  for (const test of tests) meet(random, policy, facts, test);
  return tests.every((test) => isMet(policy, test, facts)) ? facts : null;
}

function meet(random: Random, policy: Policy, facts: Record<string, Value>, test: Test): void {
  if ('term' in test) {
    const { tests } = termOf(policy, test.term);
    if (test.holds) for (const own of tests) meet(random, policy, facts, own);
    return;
  }
  const attribute = attributeOf(policy, test.attribute);
  if (test.op === 'is') facts[test.attribute] = test.value;
  else if (attribute.kind === 'number') {
    const { min, max, step } = attribute;
    const [low, high] = test.op === 'over' ? [test.value + step, max] : [min, test.value - step];
    if (low > high) return;
    facts[test.attribute] = low + step * random.int(0, Math.floor((high - low) / step));
  }
}

export interface CaseWish {
  /** The kind of rule that should decide the case, if possible. */
  readonly kind: RuleKind | null;
  /** Rules of other kinds do not decide the case. */
  readonly allowed: ReadonlySet<RuleKind>;
  readonly drawDay: () => string;
  /** Whether facts can be those of a case at all; all can by default. */
  readonly isPossible?: (facts: Facts) => boolean;
}

/**
 * The facts of one case, away from every threshold.
 *
 * @param fixed facts that the case has in any event
 */
export function drawCase(
  random: Random,
  law: Law,
  voids: readonly Amendment[],
  { kind, allowed, drawDay, isPossible = () => true }: CaseWish,
  fixed: Facts = {},
): Facts {
  const { policy } = law;
  const targets = policy.questions.flatMap(({ root }) => clausesOf(root).map((clause) => ({ root, clause })));
  const added = [...law.amendments, ...voids].map((amendment) => {
    const path = findClause(policy, amendment.clause).path.flatMap(({ when }) => when);
    return amendment.change.kind === 'add' ? [...path, ...amendment.change.exception.when] : path;
  });
  const isClear = clearanceOf(law, voids);
  let second: Facts | null = null;
  let possible = 0;
  let third: { readonly facts: Facts; readonly excess: number } | null = null;
  for (let tries = 0; tries < triesMax && possible < possibleMax; tries += 1) {
    const { root, clause } = random.pick(targets);
    const byMemo = (kind === 'amendment' || kind === 'void') && added.length > 0;
    const tests = byMemo ? random.pick(added) : pathTo(root, clause.id).flatMap(({ when }) => when);
    const drawn = drawFactsAt(random, policy, kind === null ? [] : tests, drawDay());
    if (drawn === null) continue;
    const facts = { ...drawn, ...fixed };
    if (!isPossible(facts) || !isClear(facts)) continue;
    possible += 1;
    const { kinds } = findDecisive(law, facts, voids);
    const excess = [...kinds].filter((own) => !allowed.has(own)).length;
    if (excess > 0) {
      if (third === null || excess < third.excess) third = { facts, excess };
      continue;
    }
    if (kind === null || kinds.has(kind)) return facts;
    second ??= facts;
  }
  const facts = second ?? third?.facts;
  if (facts === undefined) throw new Error(`No clear case of ${policy.spec.name} was found.`);
  return facts;
}
