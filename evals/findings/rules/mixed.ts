/** Replies that belong to another prompt: conversations are mixed, or replies are cached by the opening of a prompt. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';

export const mixed: Rule = (seen) => {
  const owned = seen.filter(({ sent }) => sent.own !== undefined);
  const foreign = owned.filter((one) => !one.passed && foreignOwn(one, owned) !== null);
  if (foreign.length < fewestCases) return wordsOfOthers(seen) ?? repliesOfOthers(seen);
  const inARow = foreign.filter(({ sent }) => !sent.atOnce);
  const returned = new Set(foreign.map((one) => foreignOwn(one, owned)));
  const found = { cases: idsOf(foreign), certainty: 'certain' } as const;
  // A cache returns one reply for many prompts, in a row as well.
  if (inARow.length > 0 && returned.size <= foreign.length / 2) {
    return {
      ...found,
      sentence: `Prompts with the same opening get the reply to an earlier one (${foreign.length} of ${owned.length}).`,
      look_at: 'Look for a cache whose key is the beginning of the prompt instead of all of it.',
    };
  }
  return {
    ...found,
    sentence: `Conversations that run at once are mixed up: ${foreign.length} of ${owned.length} prompts got the reply to another.`,
    look_at: 'Look for state that is shared between calls, such as a global variable or one session for all.',
  };
};

/** The word of another prompt that a reply has instead of its own. */
function foreignOwn({ reply, sent }: Observation, owned: readonly Observation[]): string | null {
  if (reply === null || (sent.own !== undefined && reply.includes(sent.own))) return null;
  return (
    owned.find((other) => other.sent.own !== sent.own && reply.includes(other.sent.own ?? '\0'))?.sent.own ??
    null
  );
}

/** A word that was said in another conversation only. No model can know it, so one case is enough. */
function wordsOfOthers(seen: readonly Observation[]): ReturnType<Rule> {
  const conversations = seen.filter(({ sent }) => sent.earlier !== undefined);
  const pairs = failedOf(conversations).flatMap((one) => {
    const known = (words: readonly string[] = []) =>
      words.filter((word) => !one.sent.earlier?.includes(word) && one.reply?.includes(word) === true);
    const other = conversations.find(({ sent }) => sent !== one.sent && known(sent.earlier).length > 1);
    return other === undefined ? [] : [{ one, words: known(other.sent.earlier) }];
  });
  const [example] = pairs;
  if (example === undefined) return null;
  return {
    sentence: `A conversation knows what was said in another one: "${short(example.words.join(', '))}".`,
    look_at: 'Look for a memory that is shared by all conversations, such as one session or thread for all.',
    cases: idsOf(pairs.map(({ one }) => one)),
    certainty: 'certain',
  };
}

/** Shorter ones may be the right reply to several prompts. */
const shortestReply = 20;
const shortestShared = 20;

/** Replies that are right for an earlier case, word for word. */
function repliesOfOthers(seen: readonly Observation[]): ReturnType<Rule> {
  const pairs = seen.flatMap((one, at) => {
    if (one.passed || one.reply === null || one.reply.length < shortestReply) return [];
    if (isRefusal(one.reply)) return [];
    const other = seen.slice(0, at).find(({ passed, reply }) => passed && reply === one.reply);
    return other === undefined ? [] : [{ one, other }];
  });
  if (pairs.length < fewestCases) return null;
  const shares = (count: (one: string, other: string) => number) =>
    pairs.every(({ one, other }) => count(one.sent.prompt, other.sent.prompt) >= shortestShared);
  const alike = shares(sameEnd)
    ? 'Prompts with the same end'
    : shares(sameStart)
      ? 'Prompts with the same opening'
      : 'Some prompts';
  return {
    sentence: `${alike} get the reply to an earlier one (${pairs.length} of ${seen.length}).`,
    look_at: 'Look for a cache whose key is a part of the prompt, or a search for similar prompts.',
    cases: idsOf(pairs.map(({ one }) => one)),
    certainty: 'certain',
  };
}

function sameStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function sameEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}
