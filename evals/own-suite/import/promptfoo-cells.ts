/** Assertions as tables of tests write them: `contains: x`, `similar(0.8): y`, or the text that is expected. */
import type { Fields } from '../exact-json.ts';

/** Other words for kinds of assertions. */
const aliases: Readonly<Record<string, string>> = {
  fn: 'javascript',
  eval: 'javascript',
  grade: 'llm-rubric',
};

/** Kinds that may stand without a value. */
const bare = /^(?:not-)?(?:is-|contains-|guardrails|moderation|cost|latency|perplexity)/;

/** Those of promptfoo. */
export const kinds: ReadonlySet<string> = new Set(
  `agent-rubric answer-relevance assert-set bleu classifier contains contains-all contains-any contains-json contains-html
  contains-sql contains-xml context-faithfulness context-recall context-relevance conversation-relevance cost equals eval
  factuality finish-reason fn g-eval gleu grade guardrails human icontains icontains-all icontains-any is-html is-json
  is-refusal is-sql is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency
  levenshtein llm-rubric max-score meteor model-graded-closedqa model-graded-factuality moderation perplexity
  perplexity-score pi python regex rouge-n ruby search-rubric select-best similar skill-used starts-with tool-call-f1
  trace-error-spans trace-span-count trace-span-duration trajectory webhook word-count`.split(/\s+/),
);

/** Whether promptfoo has this kind; some are followed by a colon and a measure or plugin. */
export const isKind = (kind: string): boolean => kinds.has(kind) || /^[a-z-]+:/.test(kind);

/** Kinds that a table gives a threshold, unless it has its own. */
const withThreshold: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['cost', 'latency', 'levenshtein', 'rouge-n'].map((kind) => [kind, 0.75])),
  similar: 0.8,
};

/** Those whose values are separated by commas are split where they are converted. */
export function assertionOf(cell: string): Fields {
  const text = cell.trim();
  const [, ending] = /^file:\/\/\S+\.(py|[cm]?[jt]s)(?::\w+)?$/.exec(text) ?? [];
  if (ending !== undefined) return { type: ending === 'py' ? 'python' : 'javascript', value: text };
  const [, kind = '', threshold, rest] =
    /^((?:not-)?[a-z0-9-]{1,40})(?:\(([0-9.]{1,12})\))?(?::([^]*))?$/.exec(text) ?? [];
  const plain = kind.replace(/^not-/, '');
  const isAssertion = kinds.has(plain) && (rest !== undefined || threshold !== undefined || bare.test(kind));
  if (!isAssertion) return { type: 'equals', value: text };
  const type = Object.hasOwn(aliases, plain)
    ? `${kind.startsWith('not-') ? 'not-' : ''}${aliases[plain]}`
    : kind;
  const least = threshold === undefined ? withThreshold[plain] : Number(threshold);
  return {
    type,
    ...(rest === undefined || rest.trim() === '' ? {} : { value: rest.trim() }),
    ...(least === undefined ? {} : { threshold: least }),
  };
}
