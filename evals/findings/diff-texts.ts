/** Where two texts differ, word by word. */

export interface TextChange {
  readonly before: string;
  readonly after: string;
}

/** The work grows with the product of both lengths. */
export const diffedCharactersMax = 1_500;

const parts = /\p{L}+|\p{N}+|\s+|[^]/gu;

/** What one text has where the other has something else, in order. What is put before or after it all is no change. */
export function diffTexts(before: string, after: string): readonly TextChange[] {
  const from = before.match(parts) ?? [];
  const to = after.match(parts) ?? [];
  // kept[i][j]: how many parts the rest of `from` from i and of `to` from j have in common.
  const kept = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  const at = (i: number, j: number) => kept[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const row = kept[i];
      if (row !== undefined)
        row[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: TextChange[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const [startFrom, startTo] = [i, j];
    while ((i < from.length || j < to.length) && !(i < from.length && from[i] === to[j])) {
      if (j >= to.length || (i < from.length && at(i + 1, j) >= at(i, j + 1))) i += 1;
      else j += 1;
    }
    const change = { before: from.slice(startFrom, i).join(''), after: to.slice(startTo, j).join('') };
    const isEdge = startFrom === 0 || i === from.length;
    if (change.before !== change.after && !(isEdge && change.before === '')) changes.push(change);
    while (i < from.length && from[i] === to[j]) [i, j] = [i + 1, j + 1];
  }
  return changes;
}
