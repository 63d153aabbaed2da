/** Assertions as tables of tests write them: `contains: x`, `similar(0.8): y`, or the text that is expected. */
import type { Fields } from './imported.ts';

/** Other words for kinds of assertions. */
const aliases: Readonly<Record<string, string>> = {
  fn: 'javascript',
  eval: 'javascript',
  grade: 'llm-rubric',
};

/** Kinds that may stand without a value. */
const bare = /^(?:not-)?(?:is-|contains-|guardrails|moderation|cost|latency|perplexity)/;

const kinds = new Set(
  `answer-relevance bleu classifier contains contains-all contains-any contains-json contains-html contains-sql contains-xml
  context-faithfulness context-recall context-relevance conversation-relevance cost equals eval factuality finish-reason fn
  g-eval gleu grade guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql
  is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency levenshtein
  llm-rubric meteor model-graded-closedqa model-graded-factuality moderation perplexity perplexity-score pi python regex
  rouge-n ruby search-rubric similar starts-with tool-call-f1 trajectory webhook word-count`.split(/\s+/),
);

/** Those whose values are separated by commas are split where they are converted. */
export function assertionOf(cell: string): Fields {
  const text = cell.trim();
  const [, kind = '', threshold, rest] =
    /^((?:not-)?[a-z0-9-]{1,40})(?:\(([0-9.]{1,12})\))?(?::([^]*))?$/.exec(text) ?? [];
  const plain = kind.replace(/^not-/, '');
  const isKind = kinds.has(plain) && (rest !== undefined || threshold !== undefined || bare.test(kind));
  if (!isKind) return { type: 'equals', value: text };
  const type = Object.hasOwn(aliases, plain)
    ? `${kind.startsWith('not-') ? 'not-' : ''}${aliases[plain]}`
    : kind;
  return {
    type,
    ...(rest === undefined || rest.trim() === '' ? {} : { value: rest.trim() }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  };
}
