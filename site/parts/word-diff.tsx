/** Two texts with the words marked that only one of them has. */

interface Word {
  readonly text: string;
  isShared: boolean;
}

/** The steps of a comparison grow with the product of both lengths. */
const wordsMax = 200;

export function Difference({ text, other, tag: Tag }: { text: string; other: string; tag: 'del' | 'ins' }) {
  const words = wordsOf(text);
  markShared(words, wordsOf(other));
  // Marks on all of it would say nothing.
  if (!words.some(({ isShared }) => isShared)) return <>{text}</>;
  return (
    <>
      {joined(words).map(({ text: part, isShared }, place) =>
        isShared ? part : <Tag key={place}>{part}</Tag>,
      )}
    </>
  );
}

/** With the space behind each, and that before the first. */
function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(/(?:^\s*)?\S+\s*/g), ([word]) => ({ text: word, isShared: false }));
}

/** Marks the words of the longest common subsequence. */
function markShared(words: readonly Word[], others: readonly Word[]): void {
  const [own, foreign] = [words, others].map((list) =>
    list.slice(0, wordsMax).map(({ text }) => text.trim()),
  );
  if (own === undefined || foreign === undefined) return;
  const width = foreign.length + 1;
  const lengths = new Uint16Array((own.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = own.length - 1; row >= 0; row -= 1) {
    for (let column = foreign.length - 1; column >= 0; column -= 1) {
      const isSame = own[row] === foreign[column];
      lengths[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < own.length && column < foreign.length;) {
    const word = words[row];
    if (word !== undefined && own[row] === foreign[column]) {
      word.isShared = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
}

/** Neighbours of one kind as one. */
function joined(words: readonly Word[]): readonly Word[] {
  const parts: Word[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    if (last?.isShared === word.isShared) parts[parts.length - 1] = { ...word, text: last.text + word.text };
    else parts.push(word);
  }
  return parts;
}
