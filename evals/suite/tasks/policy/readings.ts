/** Ways to read a manual wrongly, and the rules on which a decision hangs. */
import { decide, decideAll, findDecisive, type Outcome, type RuleKind } from './manual/decide.ts';
import type { Facts } from './manual/rules.ts';
import type { Desk } from './desk.ts';

type Reading = (desk: Desk, facts: Facts) => Outcome;

export const rowUnder: readonly Reading[] = [
  // Believes every mail.
  ({ law, voids }, facts) => decideAll({ ...law, amendments: [...law.amendments, ...voids] }, facts),
  // Reads no mail.
  ({ law }, facts) => decideAll({ ...law, amendments: [] }, facts),
  // Reads general rules only.
  ({ law }) => Object.fromEntries(law.policy.questions.map(({ name, root }) => [name, root.value])),
  // Knows exceptions, but none to these.
  ({ law }, facts) =>
    Object.fromEntries(
      law.policy.questions.map((question) => {
        const { path } = decide({ ...law, amendments: [] }, question, facts);
        return [question.name, (path[1] ?? question.root).value];
      }),
    ),
];

/** From the rarest kind of rule to the most common one. */
const skills: readonly (readonly [RuleKind, string])[] = [
  ['void', 'void-amendment'],
  ['amendment', 'amendment'],
  ['deep', 'exception-to-exception'],
  ['department', 'department'],
  ['definition', 'definition'],
  ['exception', 'exception'],
];

/** What a request tests: the rarest kind of rule without which it ends differently. */
export function skillOf({ law, voids }: Desk, facts: Facts): string {
  const { kinds } = findDecisive(law, facts, voids);
  return skills.find(([kind]) => kinds.has(kind))?.[1] ?? 'general-rule';
}
