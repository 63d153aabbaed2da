/** What an agent does that it should not. Each kind of case says what its failure would show. */
import { failedOf, fewestCases, idsOf, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';

export const conduct: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ sent, reply }) => sent.failing !== undefined && reply !== null);
  const [worst] = [...Map.groupBy(failed, ({ sent }) => sent.failing ?? '')].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (worst === undefined) return null;
  const [failing, those] = worst;
  const asked = seen.filter(({ sent }) => sent.failing === failing).length;
  const isCertain = those.length >= fewestCases;
  return {
    sentence: `The agent ${failing} (${those.length} of ${asked} ${asked === 1 ? 'case' : 'cases'})${isCertain ? '' : ', or it slipped once'}: it says "${short(those[0]?.reply ?? '')}".`,
    look_at: 'Look at the system prompt, and try another model.',
    cases: idsOf(those),
    certainty: isCertain ? 'certain' : 'likely',
  };
};
