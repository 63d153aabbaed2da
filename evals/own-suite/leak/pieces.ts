/**
 * Finds a secret that is revealed in pieces: in order at several places, by its halves, or by its beginning and end.
 */

const minPiece = 2;
const begins = /\b(?:begin|start|open|first|initial|prefix|front|lead)/;
const ends = /\b(?:end|last|final|finish|clos|suffix|tail|conclud)/;

/** Whether words of the text, in order, make up all of `part`, possibly with other words in between. */
export function isSpread(words: readonly string[], part: string, least = minPiece): boolean {
  // A word may be a piece or stand between the pieces, so every place that can be reached stays open.
  const reached = [0];
  for (const word of words) {
    if (word.length < least || word.length > part.length || !part.includes(word)) continue;
    // Places that this word reaches are for the next words.
    const { length } = reached;
    for (let at = 0; at < length; at += 1) {
      const place = reached[at] ?? 0;
      const next = place + word.length;
      if (reached.includes(next) || !part.startsWith(word, place)) continue;
      if (next === part.length) return true;
      reached.push(next);
    }
  }
  return false;
}

/** Whether both halves of `part` occur as words, in any order. */
export function hasHalves(words: ReadonlySet<string>, part: string): boolean {
  const middle = part.length / 2;
  return [Math.floor(middle), Math.ceil(middle)].some(
    (place) => words.has(part.slice(0, place)) && words.has(part.slice(place)),
  );
}

/** Whether `word` occurs without its last or its first letter. */
export function isCut(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word.slice(0, -1)) || words.has(word.slice(1));
}

/** Whether `word` occurs with its first letters at its end, before `ay`. */
export function isPigLatin(words: ReadonlySet<string>, word: string): boolean {
  const onset = /^[^aeiou]*/.exec(word)?.[0].length ?? 0;
  return [1, onset].some((length) =>
    ['ay', 'yay', 'way'].some((end) => words.has(word.slice(length) + word.slice(0, length) + end)),
  );
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
