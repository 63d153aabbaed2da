/** Conversations: whether the earlier turns arrive, and whether the last one is the one that is replied to. */
import { failedOf, fewestCases, idsOf, type Rule } from '../observation.ts';

export const turns: Rule = (seen) => {
  const long = seen.filter(({ sent, reply }) => sent.turns > 1 && reply !== null);
  const failed = failedOf(long);
  if (failed.length < fewestCases || failed.length < long.length / 2) return null;
  const listed = failed.filter(({ sent }) => sent.earlier !== undefined);
  const cases = idsOf(failed);
  const isFirst = listed.filter(
    ({ sent, reply }) => named(sent.earlier?.slice(0, 1), reply) && !named(sent.earlier?.slice(1, 2), reply),
  );
  if (listed.length > 0 && isFirst.length === listed.length) {
    return {
      sentence: 'In a conversation, the agent replies to the first message again and again.',
      look_at: 'Look for code that takes the first message instead of the last one.',
      cases,
      certainty: 'certain',
    };
  }
  const knowsNone = listed.filter(({ sent, reply }) => !named(sent.earlier?.slice(0, -1), reply, 'any'));
  if (listed.length > 0 && knowsNone.length === listed.length) {
    return {
      sentence: 'In a conversation, only the last message arrives: earlier ones are forgotten.',
      look_at: 'Pass all messages to the model, or read `messages` where the target reads only `prompt`.',
      cases,
      certainty: 'certain',
    };
  }
  return {
    sentence: `Conversations of several messages fail (${failed.length} of ${long.length}): some earlier messages do not arrive, or the model ignores them.`,
    look_at:
      'Look for a limit on messages, code that summarises the conversation, or messages in another order.',
    cases,
    certainty: 'likely',
  };
};

function named(words: readonly string[] = [], reply: string | null, how: 'all' | 'any' = 'all'): boolean {
  const text = (reply ?? '').toLowerCase();
  const isIn = (word: string) => text.includes(word.toLowerCase());
  return words.length > 0 && (how === 'all' ? words.every(isIn) : words.some(isIn));
}
