/** Conversations: whether the earlier turns arrive, and whether the last one is the one that is replied to. */
import { chanceMax, chanceOfSplit } from '../chance.ts';
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import type { Observation } from '../observation.ts';
import { areSeveral, failedOf, found, idsOf, likely, type Rule } from '../rule.ts';

export const turns: Rule = (seen) => {
  // A case that says itself what its failure shows is judged by the rule for conduct.
  const all = seen.filter(
    (one) => one.sent.turns > 1 && one.sent.failing === undefined && saysSomething(one),
  );
  const listing = all.filter(({ sent }) => sent.earlier !== undefined);
  const long = listing.length > 0 ? listing : all;
  const failed = failedOf(long);
  if (!areSeveral(failed) || failed.length < long.length / 2) return null;
  if (listing.length === 0 && !isWorseThanOthers(long, seen)) return null;
  const isAll = (test: (one: Observation) => boolean) => listing.length > 0 && failed.every(test);
  if (isAll((one) => knownIn(one).every((is, at) => is === (at === 0))))
    return found(
      failed,
      'In a conversation, the agent replies to the first message again and again.',
      'Look for code that takes the first message instead of the last one.',
    );
  if (isAll((one) => !knownIn(one).includes(true)))
    return found(
      failed,
      'In a conversation, only the last message arrives: earlier ones are forgotten.',
      'Pass all messages to the model, or read `messages` where the target reads only `prompt`.',
    );
  if (isAll(knowsEnd)) {
    const counts = failed.map((one) => knownIn(one).filter(Boolean).length);
    return found(
      failed,
      `In a conversation, only the last messages arrive, or the model overlooks the others: it knows the last ${Math.max(...counts)} of ${failed[0]?.sent.earlier?.length ?? 0}.`,
      'Look for a limit on messages or tokens of a conversation.',
      likely,
    );
  }
  return found(
    failed,
    `Conversations of several messages fail (${idsOf(failed).length} of ${idsOf(long).length}): some earlier messages do not arrive, or the model ignores them.`,
    'Look for a limit on messages, code that summarises the conversation, or messages in another order.',
    likely,
  );
};

/** An empty reply and a refusal do not show what has arrived. */
function saysSomething({ reply }: Observation): boolean {
  return reply !== null && reply.trim() !== '' && !isRefusal(reply);
}

/** Whether a reply has the last of the words only. */
function knowsEnd(one: Observation): boolean {
  const known = knownIn(one);
  return known[0] === false && !known.slice(known.indexOf(true)).includes(false);
}

/** Whether conversations fail more often than single messages, beyond chance. */
function isWorseThanOthers(long: readonly Observation[], seen: readonly Observation[]): boolean {
  const others = seen.filter((one) => one.sent.turns === 1 && one.reply !== null);
  return chanceOfSplit(long, others, ({ passed }) => !passed) < chanceMax;
}

/** For each word of the earlier turns, whether the reply has it. */
function knownIn({ sent: { earlier = [] }, reply }: Observation): readonly boolean[] {
  const text = (reply ?? '').toLowerCase();
  return earlier.map((word) => text.includes(word.toLowerCase()));
}
