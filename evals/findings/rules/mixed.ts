/** Replies that belong to another prompt: conversations are mixed, or replies are cached by the opening of a prompt. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import type { Observation } from '../observation.ts';
import {
  areSeveral,
  commonEnd,
  commonStart,
  failedOf,
  type Found,
  found,
  idsOf,
  likely,
  type Rule,
  short,
} from '../rule.ts';

export const mixed: Rule = (seen) => {
  const owned = seen.filter(({ sent }) => sent.own !== undefined);
  const foreign = failedOf(owned).filter((one) => foreignOwn(one, owned) !== null);
  if (!areSeveral(foreign)) return wordsOfOthers(seen) ?? repliesOfOthers(seen);
  const returned = new Set(foreign.map((one) => foreignOwn(one, owned)));
  const count = idsOf(foreign).length;
  const of = idsOf(owned).length;
  if (foreign.every(({ sent }) => sent.atOnce))
    return found(
      foreign,
      `Conversations that run at once are mixed up: ${count} of ${of} prompts got the reply to another.`,
      'Look for state that is shared between calls, such as a global variable or one session for all.',
    );
  // A cache returns one reply for many prompts.
  return returned.size <= foreign.length / 2
    ? found(
        foreign,
        `Prompts with the same opening get the reply to an earlier one (${count} of ${of}).`,
        'Look for a cache whose key is the beginning of the prompt instead of all of it.',
      )
    : found(
        foreign,
        `${count} of ${of} prompts got the reply to another.`,
        'Look for state that is kept from call to call, such as a queue, a global variable or one session for all.',
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
const shortestKey = 20;
/** Two may get the same of few sentences by chance. */
const fewestRepeated = 3;

interface Repeated extends Observation {
  /** The first case that the reply was right for. */
  readonly first: Observation;
}

/** Replies that are right for an earlier case, word for word, and name what only that one asked about. */
function repliesOfOthers(seen: readonly Observation[]): Found {
  const replies = seen.filter(
    ({ reply }) => reply !== null && reply.length >= shortestReply && !isRefusal(reply),
  );
  const those = failedOf(replies).flatMap((one): Repeated[] => {
    const first = replies
      .slice(0, replies.indexOf(one))
      .find(({ passed, reply }) => passed && reply === one.reply);
    return first === undefined || !namesWordOf(first, one) ? [] : [{ ...one, first }];
  });
  if (idsOf(those).length < fewestRepeated) return null;
  const part = (
    [
      ['end', commonEnd, (text, length) => text.slice(-length)],
      ['opening', commonStart, (text, length) => text.slice(0, length)],
    ] as const satisfies readonly Part[]
  ).find((one) => isKey(one, those, replies));
  if (part === undefined) return null;
  const [name] = part;
  return found(
    those,
    `Prompts with the same ${name} get the reply to an earlier one (${idsOf(those).length} of ${idsOf(seen).length}).`,
    `Look for a cache whose key is the ${name} of the prompt. The agent may also take them for one question.`,
    likely,
  );
}

function namesWordOf(first: Observation, { reply, sent }: Observation): boolean {
  const [own, words] = [wordsOf(sent.prompt), wordsOf(reply ?? '')];
  return [...wordsOf(first.sent.prompt)].some((word) => words.has(word) && !own.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
}

type Part = readonly [
  name: string,
  common: (prompts: readonly string[]) => string,
  cut: (prompt: string, length: number) => string,
];

/**
 * Whether a cache by this part of prompts explains all replies: the same part has one reply, and what is repeated has
 * one part. An agent with few sentences repeats them across parts, and has several for one end of a template.
 */
function isKey([, common, cut]: Part, those: readonly Repeated[], replies: readonly Observation[]): boolean {
  const length = Math.min(...those.map(({ sent, first }) => common([sent.prompt, first.sent.prompt]).length));
  // What a template begins or ends with is no key.
  const prompts = new Set(replies.map(({ sent }) => sent.prompt));
  if (length < shortestKey + common([...prompts]).length) return false;
  const pairs = replies.map(({ sent, reply }) => ({ key: cut(sent.prompt, length), reply }));
  const repeated = new Set(those.map(({ reply }) => reply));
  const ofKeys = [...Map.groupBy(pairs, ({ key }) => key).values()];
  const ofTexts = [
    ...Map.groupBy(
      pairs.filter(({ reply }) => repeated.has(reply)),
      ({ reply }) => reply,
    ).values(),
  ];
  return (
    ofKeys.every((group) => new Set(group.map(({ reply }) => reply)).size === 1) &&
    ofTexts.every((group) => new Set(group.map(({ key }) => key)).size === 1)
  );
}
