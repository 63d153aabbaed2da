import { maxQuotedCharacters } from '../../limits.ts';

/** `text` for a message: in quotation marks, control characters escaped, cut to a readable length. */
export function quote(text: string, limit: number = maxQuotedCharacters): string {
  if (text.length <= limit) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, limit).toWellFormed())}… (${text.length} characters)`;
}
