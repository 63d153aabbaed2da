/** What a reply says, without its reasoning, control tokens and questions. */
import { normalizeText } from '#runtime/normalize-text.ts';
import type { Reply } from '../document.ts';
import type { WorkBudget } from '../work-budget.ts';

const invisible =
  /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]|\u20e3|[\u{e0000}-\u{e007f}]/gu;
const stopToken =
  /<\/?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn|end_of_utterance)>|<\|(?:im_end|endoftext|eot_id|end_of_text|eom_id|return)\|>|\[\/?INST\]/g;

const controlToken = /<\|\/?[a-z_ ]{1,30}\|>/gi;

/** Does not use compatibility normalisation for all, which would turn 10² into 102. */
export function spokenText(reply: string): string {
  return reply
    .replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replaceAll(invisible, '')
    .replaceAll(/[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/(?:[\uff10-\uff19\uff1a\uff21-\uff3a\uff41-\uff5a]|[\u{1d400}-\u{1d7ff}])+/gu, (letters) =>
      normalizeText(letters, 'NFKC'),
    )
    .replaceAll(/(?<=\d)，(?=\d{3}(?!\d))/g, ',')
    .replaceAll(/[，、]/g, ', ')
    .replaceAll('。', '. ')
    .replaceAll(stopToken, '')
    .replaceAll(controlToken, '\n')
    .trim();
}

const names = 'think|thinking|thought|reasoning|seed:think';
const opening = String.raw`(?:<(?:${names})(?: [^<>\n]{0,80})?>|\[(?:THINK|THINKING|REASONING|THOUGHT|BEGIN[ _]THINKING)\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<\|channel\|>(?:analysis|commentary)[^<>\n]{0,40}<\|message\|>|<unused94>thought)`;
const closing = String.raw`(?:<\/(?:${names})>|\[\/(?:THINK|THINKING|REASONING|THOUGHT)\]|\[END[ _]THINKING\]|◁\/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<\|channel\|>final ?(?:<\|constrain\|>\w{1,20})? ?<\|message\|>|<unused95>)`;
const opened = new RegExp(
  String.raw`\s*(?:(?:${stopToken.source}|<\|(?:im_)?start\|>assistant)\s*){0,4}${opening}`,
  'iy',
);
const closed = new RegExp(closing, 'gi');
/** Servers cut the opening tag off. One that stands as a word, or in quotes, is part of a text about tags. */
const cutOff = new RegExp(
  String.raw`${opening}|(?:^[ \t]*|(?<=[^\s"'\x60“‘(*]["'\x60”’*)]{0,3}|[.!?…。！？:)] ))(${closing})(?!["'\x60”’](?:[\s.,;:)]|$))`,
  'im',
);

/** In a line of JSON and in a block of code, a tag is part of a text. */
function isQuoted(text: string, at: number): boolean {
  const isJson = text[at - 1] !== '\n' && /^\s*[{[]["{[\]}\s]/.test(text);
  return isJson || (hasOpenFence(text.slice(0, at)) && hasOpenFence(text.slice(at)));
}

function hasOpenFence(part: string): boolean {
  return (part.match(/^[ \t]*(?:```(?!.*```)|~~~)/gm) ?? []).length % 2 === 1;
}

/**
 * A reply behind its reasoning: only what stands at its start is reasoning, so that no tag hides a text from a grader.
 * Blocks do not nest, because models mention the tags inside their thoughts.
 */
function behindReasoning(text: string): { readonly rest: string; readonly isEnded: boolean } {
  const first = cutOff.exec(text);
  const isCutOff = first?.[1] !== undefined && !isQuoted(text, first.index);
  let from = isCutOff ? first.index + first[0].length : 0;
  for (;;) {
    opened.lastIndex = from;
    if (!opened.test(text)) return { rest: text.slice(from), isEnded: true };
    from = closed.lastIndex = opened.lastIndex;
    if (!closed.test(text)) return { rest: text.slice(from), isEnded: false };
    from = closed.lastIndex;
  }
}

/** The reply without its reasoning; null if the reasoning never ends. */
export function withoutReasoning(text: string): string | null {
  const { rest, isEnded } = behindReasoning(text);
  if (!isEnded) return null;
  return rest === text ? text : rest.replaceAll(controlToken, '\n');
}

/** What follows the opening of reasoning that never ends; null if there is none. */
export function unendedReasoning(text: string): string | null {
  const { rest, isEnded } = behindReasoning(text);
  return isEnded ? null : rest;
}

/** Steps of work for each character that is searched for reasoning. */
export const reasoningSteps = 8;
const spokenReplies = new WeakMap<Reply, Reply | null>();

/** The reply without its reasoning, found once for all graders; null if the reasoning never ends. */
export function spokenReply(reply: Reply, work: WorkBudget): Reply | null {
  const known = spokenReplies.get(reply);
  if (known !== undefined) return known;
  work.spend(reasoningSteps * reply.text.length);
  const text = withoutReasoning(reply.text);
  const spoken = text === null ? null : text === reply.text ? reply : { ...reply, text };
  spokenReplies.set(reply, spoken);
  return spoken;
}

const sentenceEnd = /(?<=[.!?？]["'”’*_)\]]{0,3})(?=\s)|(?=\n)/;
const question = /[?？]["'”’*_)\]]{0,3}\s*$/;

/** A question is not an answer. */
export function withoutQuestions(text: string): string {
  return text
    .split(sentenceEnd)
    .filter((sentence) => !question.test(sentence))
    .join('')
    .trim();
}
