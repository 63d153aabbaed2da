/** Conversations: whether the earlier turns arrive, and whether the last one is the one that is replied to. */
import { chanceMax, chanceOfSplit } from '../chance.ts';
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';

export const turns: Rule = (seen) => {
  // A case that says itself what its failure shows is judged by the rule for conduct.
  const all = seen.filter(
    ({ sent, reply }) => sent.turns > 1 && reply !== null && sent.failing === undefined,
  );
  const listing = all.filter(({ sent }) => sent.earlier !== undefined);
  const long = listing.length > 0 ? listing : all;
  const failed = failedOf(long);
  if (failed.length < fewestCases || failed.length < long.length / 2) return null;
  if (listing.length === 0 && !isWorseThanOthers(long, seen)) return null;
  const cases = idsOf(failed);
  const isAll = (test: (one: Observation) => boolean) => listing.length > 0 && failed.every(test);
  if (isAll(({ sent, reply }) => names(sent.earlier, reply).every((is, at) => is === (at === 0)))) {
    return {
      sentence: 'In a conversation, the agent replies to the first message again and again.',
      look_at: 'Look for code that takes the first message instead of the last one.',
      cases,
      certainty: 'certain',
    };
  }
  const look_at = 'Pass all messages to the model, or read `messages` where the target reads only `prompt`.';
  if (isAll(({ sent, reply }) => !names(sent.earlier, reply).includes(true))) {
    return {
      sentence: 'In a conversation, only the last message arrives: earlier ones are forgotten.',
      look_at,
      cases,
      certainty: 'certain',
    };
  }
  if (isAll(knowsEnd)) {
    const counts = failed.map(({ sent, reply }) => names(sent.earlier, reply).filter(Boolean).length);
    return {
      sentence: `In a conversation, only the last messages arrive, or the model overlooks the others: it knows the last ${Math.max(...counts)} of ${failed[0]?.sent.earlier?.length ?? 0}.`,
      look_at: 'Look for a limit on messages or tokens of a conversation.',
      cases,
      certainty: 'likely',
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

/** Whether a reply has the last of the words only. */
function knowsEnd({ sent, reply }: Observation): boolean {
  const known = names(sent.earlier, reply);
  return known[0] === false && !known.slice(known.indexOf(true)).includes(false);
}

function counted(all: readonly Observation[]): { failed: number; total: number } {
  return { failed: failedOf(all).length, total: all.length };
}

/** Whether conversations fail more often than single messages, beyond chance. */
function isWorseThanOthers(long: readonly Observation[], seen: readonly Observation[]): boolean {
  const others = seen.filter((one) => one.sent.turns === 1 && one.reply !== null);
  return chanceOfSplit(counted(long), counted(others)) < chanceMax;
}

/** For each word, whether a reply has it. */
function names(words: readonly string[] = [], reply: string | null): readonly boolean[] {
  const text = (reply ?? '').toLowerCase();
  return words.map((word) => text.includes(word.toLowerCase()));
}
