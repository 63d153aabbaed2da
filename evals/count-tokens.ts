/**
 * A tokeniser counts 3.6 to 3.8 characters per token in the long prompts of this suite, which are full of invented
 * names. The figure below is a little lower, so that prompts stay below their limit.
 */
const charactersPerToken = 3.5;

/** An estimate of the tokens in `text`. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The maximum length of a text of `tokens` tokens. */
export function charactersOfTokens(tokens: number): number {
  return Math.floor(tokens * charactersPerToken);
}
