/** Makes a text of a stranger fit a line of a report. */

const shownCharacters = 160;

/** One line without control characters, of limited length. */
export function oneLine(text: string, charactersMax: number = shownCharacters): string {
  const characters = Array.from(
    text
      .slice(0, 20 * charactersMax)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD')
      .trim(),
  );
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax).join('')}…`;
}
