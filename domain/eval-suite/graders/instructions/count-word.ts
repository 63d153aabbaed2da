/** Counts a word in a text, whatever the letter case; a letter or digit beside it makes it another word. */

const wordCharacter = /[\p{L}\p{N}]/u;

/** Takes time linear in `text`. */
export function countWord(text: string, word: string): number {
  const lowered = text.toLowerCase();
  const wanted = word.toLowerCase();
  let count = 0;
  for (let at = lowered.indexOf(wanted); at >= 0; at = lowered.indexOf(wanted, at + 1)) {
    const before = lowered.charAt(at - 1);
    const after = lowered.charAt(at + wanted.length);
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) count += 1;
  }
  return count;
}
