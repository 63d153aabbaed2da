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

const names =
  'think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|reflection|inner_monologue|inner_thoughts|antthinking|ant_thinking|seed:think|cot|internal|monologue|deliberation';

/** A pair of opening and closing forms, in the dialects of models and their servers, for one pass. */
const tag = new RegExp(
  [
    String.raw`(<(?:${names})(?: [^<>\n]{0,80})?>|\[(?:THINK|THINKING|REASONING|THOUGHT|BEGIN[ _]THINKING)\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<\|channel\|>(?:analysis|commentary)[^<>\n]{0,40}<\|message\|>|<unused94>thought)`,
    String.raw`(<\/(?:${names})>|\[\/(?:THINK|THINKING|REASONING|THOUGHT)\]|\[END[ _]THINKING\]|◁\/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<\|channel\|>final<\|message\|>|<unused95>)`,
  ].join('|'),
  'gi',
);

/**
 * The reply without its reasoning; empty if the reasoning never ends. Blocks do not nest, because models mention the
 * tags inside their thoughts. A closing tag without an opening one drops everything before it, because servers cut the
 * opening off.
 */
export function withoutReasoning(text: string): string {
  let kept = '';
  let from = 0;
  let open = false;
  for (const match of text.matchAll(tag)) {
    if (match[1] !== undefined) {
      if (!open) kept += text.slice(from, match.index);
      open = true;
      continue;
    }
    if (!open) kept = '';
    open = false;
    from = match.index + match[0].length;
  }
  if (open) return '';
  return from === 0 ? text : (kept + text.slice(from)).replaceAll(controlToken, '\n');
}

/** Steps of work for each character that is searched for reasoning. */
const reasoningSteps = 8;
const spokenReplies = new WeakMap<Reply, Reply>();

/** The reply without its reasoning, found once for all graders. */
export function spokenReply(reply: Reply, work: WorkBudget): Reply {
  const known = spokenReplies.get(reply);
  if (known !== undefined) return known;
  work.spend(reasoningSteps * reply.text.length);
  const spoken = { ...reply, text: withoutReasoning(reply.text) };
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
