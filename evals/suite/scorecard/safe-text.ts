/** Makes text that targets and agents wrote safe to show. */
import { showControlCharacters } from '../control-characters.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * For element content and double-quoted attributes. Control characters are shown by their code, so that a reply cannot
 * reorder or hide the words around it.
 */
export function escapeHtml(text: string): string {
  return showControlCharacters(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** One line in which nothing is Markdown, inline HTML or a control code of a terminal. */
export function escapeMarkdown(text: string): string {
  return showControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~@&$]/g, '\\$&');
}

/** A code block whose fence is longer than any run of backticks in `text`. */
export function fenced(text: string): string {
  const safe = showControlCharacters(text);
  const runs = safe.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length), 2) + 1);
  return `${fence}text\n${safe}\n${fence}`;
}

/** The first `head` and the last `tail` characters: subjects tend to come first, questions last. */
export function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters …]\n${text.slice(-tail)}`.toWellFormed();
}
