/** Replies that belong to another prompt: conversations are mixed, or replies are cached by the opening of a prompt. */
import { fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';

export const mixed: Rule = (seen) => {
  const owned = seen.filter(({ sent }) => sent.own !== undefined);
  const foreign = owned.filter((one) => !one.passed && foreignOwn(one, owned) !== null);
  if (foreign.length < fewestCases) return null;
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
