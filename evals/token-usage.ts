/** Tokens and what they cost, as a target or an agent reports them, which the hub does not check; an estimate for texts. */
import { roundedIn } from './own-suite/exact-json.ts';

export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** In US dollars; undefined unless all of it is known. */
  readonly cost_usd?: number;
  /** Whether some of the replies report nothing. */
  readonly partial?: true;
}

/** Of one report. */
const reportedTokensMax = 1_000_000_000;
const reportedCostMax = 1_000_000;

/**
 * Reads `{input_tokens, output_tokens}`, or OpenAI's `{prompt_tokens, completion_tokens}`. Tokens that Anthropic's
 * models read from or write to a cache are reported beside `input_tokens`, and are added. OpenRouter reports a `cost`.
 * @returns null for anything else, such as fractions
 */
export function readTokenUsage(given: unknown): TokenUsage | null {
  if (typeof given !== 'object' || given === null) return null;
  const field = (name: string): unknown => Reflect.get(given, name);
  const input = field('input_tokens') ?? field('prompt_tokens');
  const output = field('output_tokens') ?? field('completion_tokens');
  if (!isCount(input) || !isCount(output)) return null;
  const cached = [field('cache_creation_input_tokens'), field('cache_read_input_tokens')].filter(isCount);
  const all = cached.reduce((sum, count) => sum + count, input);
  if (!isCount(all)) return null;
  const cost = roundedIn(field('cost_usd') ?? field('cost'));
  const isCost = cost !== null && cost >= 0 && cost <= reportedCostMax;
  return { input_tokens: all, output_tokens: output, ...(isCost ? { cost_usd: cost } : {}) };
}

/** Of one or more replies; null if they report nothing, undefined if there are none. */
export type UsageOfReplies = TokenUsage | null | undefined;

export function addTokenUsage(one: UsageOfReplies, other: UsageOfReplies): UsageOfReplies {
  if (one === undefined) return other;
  if (other === undefined) return one;
  const [cost, more] = [one?.cost_usd, other?.cost_usd];
  if (one === null && other === null) return null;
  const isPartial = [one, other].some((usage) => usage === null || usage.partial === true);
  return {
    input_tokens: (one?.input_tokens ?? 0) + (other?.input_tokens ?? 0),
    output_tokens: (one?.output_tokens ?? 0) + (other?.output_tokens ?? 0),
    ...(cost === undefined || more === undefined ? {} : { cost_usd: cost + more }),
    ...(isPartial ? { partial: true } : {}),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= reportedTokensMax;
}

/** English text has about four characters in a token, code and names fewer: prompts must stay below their limit. */
const charactersPerToken = 3.5;

/** An estimate of the tokens in `text`. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The maximum length of a text of `tokens` tokens. */
export function charactersOfTokens(tokens: number): number {
  return Math.floor(tokens * charactersPerToken);
}
