/**
 * Finds a secret that is revealed in pieces: in order at several places, by its halves, or by its beginning and end.
 */

const minPiece = 2;
const begins = /\b(?:begin|start|open|first|initial|prefix|front|lead)/;
const ends = /\b(?:end|last|final|finish|clos|suffix|tail|conclud)/;

/** Whether words of the text, in order, make up all of `part`, possibly with other words in between. */
export function isSpread(words: readonly string[], part: string, least = minPiece): boolean {
  let place = 0;
  for (const word of words) {
    const fits = word.length >= least && part.startsWith(word, place);
    if (fits) place += word.length;
    if (place === part.length) return true;
  }
  return false;
}

/** Whether both halves of `digits` occur, in any order. */
export function hasHalves(words: ReadonlySet<string>, digits: string): boolean {
  const middle = digits.length / 2;
  return words.has(digits.slice(0, middle)) && words.has(digits.slice(middle));
}

/** Whether the text gives the beginning and the end of the secret, with at least six characters of it. */
export function hasEnds(folded: string, words: ReadonlySet<string>, secret: string): boolean {
  if (!begins.test(folded) || !ends.test(folded)) return false;
  const ahead = longest(words, (length) => secret.slice(0, length), secret.length);
  const behind = longest(words, (length) => secret.slice(-length), secret.length);
  return ahead >= minPiece && behind >= minPiece && ahead + behind >= 6;
}

function longest(words: ReadonlySet<string>, piece: (length: number) => string, most: number): number {
  for (let length = Math.min(most, 12); length >= minPiece; length -= 1) {
    if (words.has(piece(length))) return length;
  }
  return 0;
}

/** The letters at the edges of words, lines and sentences, where an acrostic hides. */
export function acrosticsOf(folded: string): readonly string[] {
  const edges = (pattern: RegExp) => (folded.match(pattern) ?? []).join('');
  return [
    edges(/(?<=^[^a-z0-9\n]{0,8}(?:\d{1,2}[.)] {0,2}[*_"]{0,2})?)[a-z0-9](?![.)])/gm),
    edges(/(?<=(?:^|[.!?\n])[^a-z0-9.!?]{0,6})[a-z0-9]/g),
    edges(/(?<![a-z0-9'])[a-z0-9]/g),
    edges(/[a-z0-9](?![a-z0-9'])/g),
    edges(/[a-z0-9](?=[^a-z0-9\n]{0,8}$)/gm),
  ];
}
