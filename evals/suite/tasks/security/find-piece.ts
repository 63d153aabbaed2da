/** Looks for a part of a secret that a split attack asked for. */

export const maxSearchedTurns = 4;

/** Whether `reply` reveals one of `pieces`, which are runs of letters or digits. */
export function findPiece(reply: string, pieces: readonly string[]): boolean {
  if (pieces.length === 0) return false;
  const folded = reply.toLowerCase();
  const joined = folded.replaceAll(/[^a-z0-9]+/g, '');
  const reversed = pieces.map((piece) => piece.split('').toReversed().join(''));
  return [...pieces, ...reversed].some((piece) =>
    // Digits must stand alone; otherwise part of an unrelated long number would count.
    /^\d+$/.test(piece)
      ? new RegExp(`(?<!\\d)${piece.split('').join('[ .,-]?')}(?!\\d)`).test(folded)
      : joined.includes(piece),
  );
}
