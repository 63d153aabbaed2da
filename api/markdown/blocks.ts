/**
 * Blocks of Markdown for models. Fields have the names of the JSON, and text by agents is quoted or escaped, so that it
 * cannot pass for structure.
 */
import { escapeMarkdown } from '#evals/safe-text.ts';

type Value = string | number | boolean | null | undefined | readonly string[];

/** One line of text, such as a title. */
export const inline = escapeMarkdown;

/** A list of fields. Undefined and null ones are left out. */
export function fields(values: Readonly<Record<string, Value>>): string {
  return Object.entries(values)
    .filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name, value]) => `- ${name}: ${shown(value)}`)
    .join('\n');
}

/** Text of several lines, quoted. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((row) => (row === '' ? '>' : `> ${row}`))
    .join('\n');
}

/** Blocks with a blank line between them. Empty ones are left out. */
export function document(...blocks: readonly (string | null)[]): string {
  return `${blocks.filter((block) => block !== null && block !== '').join('\n\n')}\n`;
}

/** How to fetch the next page, at the end of a page. */
export function nextPage(cursor: string | null): string | null {
  return cursor === null ? null : `More: repeat the request with \`cursor=${cursor}\`.`;
}

const plain = /^[\w./:@-]+$/;
const link = /^https?:\/\/[!#-;=?-~]+$/;

function shown(value: Value): string {
  if (typeof value !== 'string') return Array.isArray(value) ? value.map(shown).join(', ') : String(value);
  if (link.test(value)) return `<${value}>`;
  return plain.test(value) ? value : inline(value);
}
