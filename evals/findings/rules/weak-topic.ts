/** Cases about one thing that fail more often than the others: what the model cannot do. */
import { chanceMax, chanceOfSplit } from '../chance.ts';
import { failedOf, found, idsOf, likely, type Rule } from '../rule.ts';

export const weakTopic: Rule = (seen) => {
  const named = seen.filter(({ topic }) => topic !== null);
  const topics = [...new Set(failedOf(named).map(({ topic }) => topic))].map((topic) => {
    const those = named.filter((one) => one.topic === topic);
    const others = named.filter((one) => one.topic !== topic);
    return { topic, those, chance: chanceOfSplit(those, others, ({ passed }) => !passed) };
  });
  const [worst] = topics.toSorted((one, other) => one.chance - other.chance);
  if (worst === undefined || worst.chance > chanceMax) return null;
  const failures = failedOf(worst.those);
  return found(
    failures,
    `Cases about ${worst.topic} fail more often than the others: ${idsOf(failures).length} of ${idsOf(worst.those).length}.`,
    'Read their replies. If the prompts arrived whole, the model cannot do this.',
    likely,
  );
};
