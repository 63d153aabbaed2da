/** Replies that belong to another prompt: conversations are mixed, or replies are cached by the opening of a prompt. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import type { Observation } from '../observation.ts';
import {
  commonEnd,
  commonStart,
  failedOf,
  fewestCases,
  type Found,
  found,
  type Rule,
  short,
} from '../rule.ts';

export const mixed: Rule = (seen) => {
  const owned = seen.filter(({ sent }) => sent.own !== undefined);
  const foreign = failedOf(owned).filter((one) => foreignOwn(one, owned) !== null);
  if (foreign.length < fewestCases) return wordsOfOthers(seen) ?? repliesOfOthers(seen);
  const returned = new Set(foreign.map((one) => foreignOwn(one, owned)));
  // A cache returns one reply for many prompts, in a row as well.
  return foreign.some(({ sent }) => !sent.atOnce) && returned.size <= foreign.length / 2
    ? found(
        foreign,
        `Prompts with the same opening get the reply to an earlier one (${foreign.length} of ${owned.length}).`,
        'Look for a cache whose key is the beginning of the prompt instead of all of it.',
      )
    : found(
        foreign,
        `Conversations that run at once are mixed up: ${foreign.length} of ${owned.length} prompts got the reply to another.`,
        'Look for state that is shared between calls, such as a global variable or one session for all.',
      );
};

/** The word of another prompt that a reply has instead of its own. */
function foreignOwn({ reply, sent }: Observation, owned: readonly Observation[]): string | null {
  if (reply === null || (sent.own !== undefined && reply.includes(sent.own))) return null;
  const owner = owned.find((other) => other.sent.own !== sent.own && reply.includes(other.sent.own ?? '\0'));
  return owner?.sent.own ?? null;
}

/** A word that was said in another conversation only. No model can know it, so one case is enough. */
function wordsOfOthers(seen: readonly Observation[]): Found {
  const conversations = seen.filter(({ sent }) => sent.earlier !== undefined);
  const those = failedOf(conversations).flatMap((one) => {
    const known = (words: readonly string[] = []) =>
      words.filter((word) => !one.sent.earlier?.includes(word) && one.reply?.includes(word) === true);
    const other = conversations.find(({ sent }) => sent !== one.sent && known(sent.earlier).length > 1);
    return other === undefined ? [] : [{ ...one, words: known(other.sent.earlier) }];
  });
  const [example] = those;
  if (example === undefined) return null;
  return found(
    those,
    `A conversation knows what was said in another one: "${short(example.words.join(', '))}".`,
    'Look for a memory that is shared by all conversations, such as one session or thread for all.',
  );
}

/** Shorter ones may be the right reply to several prompts. */
const shortestReply = 20;
const shortestShared = 20;

/** Replies that are right for an earlier case, word for word. */
function repliesOfOthers(seen: readonly Observation[]): Found {
  const those = seen.flatMap((one, at) => {
    if (one.passed || one.reply === null || one.reply.length < shortestReply) return [];
    if (isRefusal(one.reply)) return [];
    const other = seen.slice(0, at).find(({ passed, reply }) => passed && reply === one.reply);
    return other === undefined ? [] : [{ ...one, prompts: [one.sent.prompt, other.sent.prompt] }];
  });
  if (those.length < fewestCases) return null;
  const share = (common: (prompts: readonly string[]) => string) =>
    those.every(({ prompts }) => common(prompts).length >= shortestShared);
  const alike = share(commonEnd)
    ? 'Prompts with the same end'
    : share(commonStart)
      ? 'Prompts with the same opening'
      : 'Some prompts';
  return found(
    those,
    `${alike} get the reply to an earlier one (${those.length} of ${seen.length}).`,
    'Look for a cache whose key is a part of the prompt, or a search for similar prompts.',
  );
}
