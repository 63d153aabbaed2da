/**
 * Cuts texts into the words that are searched for. It is done here, once for both stores, whose own ways of doing it
 * differ: what is found must not depend on the store.
 */

/** In code points; what is longer is cut, in what is stored and in what is asked for alike. Postgres takes 2 KB at most. */
const wordLengthMax = 64;

/** The words of some texts, each once: letters and digits, without case, accents or typographic variants. */
export function searchWordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []);
  return [...new Set(words.map((word) => Array.from(word).slice(0, wordLengthMax).join('')))];
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '');
}
