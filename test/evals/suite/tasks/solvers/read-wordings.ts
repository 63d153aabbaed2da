/** Turns a wording with places such as `{name}` into a pattern that reads the values of its places back. */

/** A name or word as a pattern, in a group. */
export const nameAs = (group: string) => String.raw`(?<${group}>\p{Lu}\p{Ll}+)`;
export const wordAs = (group: string) => String.raw`(?<${group}>\p{L}+)`;
export const numberAs = (group: string) => String.raw`(?<${group}>\d+)`;
export const anyAs = (group: string) => `(?<${group}>.+)`;

/**
 * Matches the whole text of the wording, with a small or a capital letter at its beginning.
 *
 * @param places the pattern of each place
 */
export function patternOf(wording: string, places: Readonly<Record<string, string>>): RegExp {
  const source = wording.replaceAll(/\{([a-z]+)\}|[.*+?^${}()|[\]\\]/g, (found, place?: string) => {
    if (place === undefined) return `\\${found}`;
    const pattern = places[place];
    if (pattern === undefined) throw new Error(`No pattern for ${found}.`);
    return pattern;
  });
  const first = source.charAt(0);
  const start = /\p{L}/u.test(first) ? `[${first.toLowerCase()}${first.toUpperCase()}]` : first;
  return new RegExp(`^${start}${source.slice(1)}$`, 'u');
}

/** The values of the places of the first wording that fits. */
export function readWording(
  text: string,
  wordings: readonly string[],
  places: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  for (const wording of wordings) {
    const match = patternOf(wording, places).exec(text);
    if (match !== null) return { ...match.groups };
  }
  return null;
}

/** The places of a wording, in the order of the alphabet. */
export function placesOf(wording: string): string[] {
  return [...wording.matchAll(/\{([a-z]+)\}/g)].map(([, place = '']) => place).toSorted();
}
