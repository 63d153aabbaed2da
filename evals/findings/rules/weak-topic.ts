/** Cases about one thing that fail more often than the others: what the model cannot do. */
import { chanceMax, chanceOfSplit } from '../chance.ts';
import { failedOf, idsOf, type Observation, type Rule } from '../observation.ts';

export const weakTopic: Rule = (seen) => {
  const named = seen.filter(({ topic }) => topic !== null);
  const failed = failedOf(named);
  let worst: { topic: string; chance: number } | null = null;
  for (const topic of new Set(failed.map((one) => one.topic ?? ''))) {
    const count = (all: readonly Observation[], isTopic: boolean) =>
      all.filter((one) => (one.topic === topic) === isTopic).length;
    const chance = chanceOfSplit(
      { failed: count(failed, true), total: count(named, true) },
      { failed: count(failed, false), total: count(named, false) },
    );
    if (worst === null || chance < worst.chance) worst = { topic, chance };
  }
  if (worst === null || worst.chance > chanceMax) return null;
  const those = named.filter(({ topic }) => topic === worst.topic);
  const failures = failedOf(those);
  return {
    sentence: `Cases about ${worst.topic} fail more often than the others: ${failures.length} of ${those.length}.`,
    look_at: 'Read their replies. If the prompts arrived whole, the model cannot do this.',
    cases: idsOf(failures),
    certainty: 'likely',
  };
};
