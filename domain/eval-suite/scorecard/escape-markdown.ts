/** Keeps other people's text from becoming markup in a Markdown page, or control codes in a terminal. */
import { showControlCharacters } from '../control-characters.ts';

/** `text` on one line, with everything escaped that Markdown or inline HTML could take for markup. */
export function escapeMarkdown(text: string): string {
  return showControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~@&$]/g, (character) => `\\${character}`);
}

/** `text` as a code block whose fence is longer than any run of backticks in it. */
export function fenced(text: string): string {
  const safe = showControlCharacters(text);
  const runs = safe.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length), 2) + 1);
  return `${fence}text\n${safe}\n${fence}`;
}
