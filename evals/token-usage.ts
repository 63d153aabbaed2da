/** Tokens: those that a target or an agent reports to have used, which the hub does not check, and an estimate for texts. */

export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Of one report. */
const reportedTokensMax = 1_000_000_000;

/**
 * Reads `{input_tokens, output_tokens}`, or OpenAI's `{prompt_tokens, completion_tokens}`. Tokens that Anthropic's
 * models read from or write to a cache are reported beside `input_tokens`, and are added.
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
  return isCount(all) ? { input_tokens: all, output_tokens: output } : null;
}

export function addTokenUsage(one: TokenUsage | null, other: TokenUsage | null): TokenUsage | null {
  if (one === null || other === null) return one ?? other;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
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
