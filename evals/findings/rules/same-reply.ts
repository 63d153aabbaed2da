/** Replies that do not depend on what was asked: one text for all, the prompt itself, nothing, an error as a text. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import type { Observation } from '../observation.ts';
import { areSeveral, failedOf, found, idsOf, likely, mostAlike, type Rule, short } from '../rule.ts';
import { cleanSplit } from '../splits.ts';

const looksLikeError =
  /\b(?:internal server error|traceback|\w+exception|unhandled exception|rate limit|too many requests|overloaded|timed? ?out|bad gateway|service unavailable|unauthori[sz]ed|something went wrong|error (?:code|\d{3}))\b|^\s*\{?"?error\b/i;

/** A shorter one may be the answer to several prompts of a kind. */
const shortestText = 20;
/** Fewer do not show whether the agent has more to say than a few sentences. */
const fewestPrompts = 10;

export const sameReply: Rule = (seen) => {
  const failed = failedOf(seen).flatMap((one) =>
    one.reply === null ? [] : [{ ...one, text: one.reply.trim() }],
  );
  const those = mostAlike(failed, ({ text }) => text);
  if (those[0] === undefined) return null;
  const echoes = failed.filter(({ text, sent }) => text !== '' && text === sent.prompt.trim());
  if (areSeveral(echoes))
    return found(
      echoes,
      `Prompts come back as replies (${echoes.length} of ${seen.length} calls).`,
      'Check which field your agent returns: it may be the message that it received.',
    );
  const errors = failed.filter(({ text }) => looksLikeError.test(text.slice(0, 500)));
  if (areSeveral(errors))
    return found(
      errors,
      `Errors come back as replies: "${short(errors[0]?.text ?? '')}" (${errors.length} of ${seen.length} calls).`,
      'Return errors with a status of 500 or more, or end the program with an exit code other than 0, so that they count as errors.',
    );
  const { text } = those[0];
  const others = seen.filter(({ id }) => !those.some((one) => one.id === id));
  const replies = seen.filter(({ reply }) => reply !== null && reply.trim() !== text);
  const isVaried =
    replies.length === 0 || (idsOf(replies).length >= fewestPrompts && varietyOf(replies) > 80);
  const isRightElsewhere = seen.some(({ passed, reply }) => passed && reply?.trim() === text);
  if (text !== '' && !isVaried && (isRightElsewhere || varietyOf(replies) <= 50)) return null;
  const isOwnText = text === '' || text.length >= shortestText;
  const split = areSeveral(those) && isOwnText ? cleanSplit(those, others) : null;
  if (split !== null)
    return found(
      those,
      `${split} get ${text === '' ? 'an empty reply' : `the same reply: "${short(text)}"`}.`,
      'Look for a filter or a parser that fails on these prompts and replies instead of the model.',
      isRefusal(text) ? likely : {},
    );
  // Different questions may share a short answer.
  const prompts = idsOf(those).length;
  if (prompts < 5 || those.length < 0.2 * failed.length) return null;
  // A model may make the same mistake in cases about one or two things.
  const topics = new Set(those.map(({ topic }) => topic));
  if (!topics.has(null) && topics.size < 3) return null;
  if (text === '')
    return found(
      those,
      `${those.length} of ${seen.length} replies are empty.`,
      'Look for code that reads a field other than the text, or a model that stops at its token limit.',
    );
  if (those.every(({ sent }) => sent.group !== undefined)) return null;
  if (isRefusal(text))
    return found(
      those,
      `${prompts} different prompts are refused in the same words: "${short(text)}".`,
      'Check the system prompt and any filter. The model itself may also refuse.',
      likely,
    );
  const isClear = text.length >= shortestText && isVaried && idsOf(seen).length >= fewestPrompts;
  return found(
    those,
    `${prompts} different prompts get the same reply: "${short(text)}".`,
    `Look for a cache, a fallback or a filter that replies instead of the model.${isClear ? '' : ' The agent may also prefer one answer.'}`,
    isClear ? {} : likely,
  );
};

/** How many texts come for 100 prompts. An agent that decides, and replies with labels or fixed sentences, has few. */
function varietyOf(seen: readonly Observation[]): number {
  const texts = new Set(seen.map(({ reply }) => reply?.trim()));
  return (100 * texts.size) / idsOf(seen).length;
}
