/** What an agent does that it should not. Each kind of case says what its failure would show. */
import { areSeveral, failedOf, found, idsOf, likely, mostAlike, type Rule, short } from '../rule.ts';

export const conduct: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ sent, reply }) => sent.failing !== undefined && reply !== null);
  const those = mostAlike(failed, ({ sent }) => sent.failing ?? '');
  const [first] = those;
  if (first === undefined) return null;
  const { failing } = first.sent;
  const cases = idsOf(those).length;
  const asked = idsOf(seen.filter(({ sent }) => sent.failing === failing)).length;
  const isCertain = areSeveral(those);
  return found(
    those,
    `The agent ${failing} (${cases} of ${asked} ${asked === 1 ? 'case' : 'cases'})${those.length === 1 ? ', or it slipped once' : ''}: it says "${short(first.reply ?? '')}".`,
    'Look at the system prompt, and try another model.',
    isCertain ? {} : likely,
  );
};
