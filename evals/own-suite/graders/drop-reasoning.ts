/** Removes a model's reasoning: thinking tags in the dialects that models and their servers use. */

const names =
  'think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|reflection|inner_monologue|inner_thoughts|antthinking|ant_thinking|seed:think|cot|internal|monologue|deliberation';

/** A pair of opening and closing forms; one alternation finds them all in one pass. */
const tag = new RegExp(
  [
    String.raw`(<(?:${names})(?: [^<>\n]{0,80})?>|\[(?:THINK|THINKING|REASONING|THOUGHT|BEGIN[ _]THINKING)\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<\|channel\|>(?:analysis|commentary)[^<>\n]{0,40}<\|message\|>|<unused94>thought)`,
    String.raw`(<\/(?:${names})>|\[\/(?:THINK|THINKING|REASONING|THOUGHT)\]|\[END[ _]THINKING\]|◁\/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<\|channel\|>final<\|message\|>|<unused95>)`,
  ].join('|'),
  'gi',
);

const fence = /^(?:```|~~~)[ ]?(?:thinking|think|thought|reasoning|scratchpad)[ ]*\n/gim;

/**
 * The reply without its reasoning, or null when the reasoning never ends. Blocks do not nest, because models mention
 * the tags inside their thoughts. A closing tag without an opening one drops everything before it, because servers cut
 * the opening off.
 */
export function dropReasoning(text: string): string | null {
  const withoutFences = dropReasoningFences(text);
  if (withoutFences === null) return null;
  let kept = '';
  let from = 0;
  let open = false;
  for (const match of withoutFences.matchAll(tag)) {
    if (match[1] !== undefined) {
      if (!open) kept += withoutFences.slice(from, match.index);
      open = true;
      continue;
    }
    if (!open) kept = '';
    open = false;
    from = match.index + match[0].length;
  }
  if (open) return null;
  return (kept + withoutFences.slice(from)).replaceAll(/<\|\/?[a-z_ ]{1,30}\|>/gi, '\n');
}

function dropReasoningFences(text: string): string | null {
  let kept = '';
  let from = 0;
  for (const match of text.matchAll(fence)) {
    if (match.index < from) continue;
    const end = text.indexOf(`\n${match[0].slice(0, 3)}`, match.index + match[0].length - 1);
    if (end < 0) return null;
    kept += text.slice(from, match.index);
    from = end + 4;
  }
  return kept + text.slice(from);
}
