/** What an agent does that it should not. Each kind of case says what its failure would show. */
import { failedOf, fewestCases, found, likely, mostAlike, type Rule, short } from '../rule.ts';

export const conduct: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ sent, reply }) => sent.failing !== undefined && reply !== null);
  const those = mostAlike(failed, ({ sent }) => sent.failing ?? '');
  const [first] = those;
  if (first === undefined) return null;
  const { failing } = first.sent;
  const asked = seen.filter(({ sent }) => sent.failing === failing).length;
  const isCertain = those.length >= fewestCases;
  return found(
    those,
    `The agent ${failing} (${those.length} of ${asked} ${asked === 1 ? 'case' : 'cases'})${isCertain ? '' : ', or it slipped once'}: it says "${short(first.reply ?? '')}".`,
    'Look at the system prompt, and try another model.',
    isCertain ? {} : likely,
  );
};
