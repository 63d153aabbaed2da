/** Makes any text safe inside HTML, in element content and in double-quoted attributes. */
import { showControlCharacters } from '../control-characters.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes markup and shows control characters, so that a reply cannot reorder or hide the words around it. */
export function escapeHtml(text: string): string {
  return showControlCharacters(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
