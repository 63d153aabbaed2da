/** Makes text that targets and agents wrote safe to show. */
import { showControlCharacters } from '../control-characters.ts';

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

/** The first `head` and the last `tail` characters, of which either may be 0: subjects tend to come first, questions last. */
export function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters …]\n${text.slice(text.length - tail)}`
    .trimEnd()
    .toWellFormed();
}

/** In milliseconds below a second, else in seconds. */
export function showTime(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
