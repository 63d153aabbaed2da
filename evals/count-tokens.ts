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
