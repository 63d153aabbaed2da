/**
 * Wordings turned into patterns: a sentence that a pattern matches gives the values of its places. Shows that a wording
 * holds all that a reader needs, and that no sentence can be read as another wording of another meaning.
 */

export type Values = Readonly<Record<string, string>>;

/** The wording as the source of a pattern, with what `fill` gives for each place. */
function sourceOf(wording: string, fill: (place: string) => string): string {
  return wording
    .split(/\{([a-z_]+)\}/i)
    .map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : fill(part)))
    .join('');
}

/**
 * The source of a pattern with a group for each place, named after it.
 *
 * @param places what stands in each place, as the source of a pattern
 */
export function patternOf(wording: string, places: Values): string {
  const named = new Set<string>();
  return sourceOf(wording, (place) => {
    const source = places[place];
    if (source === undefined) throw new RangeError(`No place ${place} is known.`);
    if (named.has(place)) return String.raw`\k<${place}>`;
    named.add(place);
    return `(?<${place}>${source})`;
  });
}

/** A name or word as a pattern, in a group. */
export const nameAs = (group: string) => String.raw`(?<${group}>\p{Lu}\p{Ll}+)`;
export const wordAs = (group: string) => String.raw`(?<${group}>\p{L}+)`;
export const numberAs = (group: string) => String.raw`(?<${group}>\d+)`;
export const anyAs = (group: string) => `(?<${group}>.+)`;

/**
 * Matches a text that is the wording as a whole, with a small or a capital letter at its beginning.
 *
 * @param places the pattern of each place, with groups of its own
 */
export function wholeOf(wording: string, places: Values): RegExp {
  const fill = (place: string): string => {
    const pattern = places[place];
    if (pattern === undefined) throw new RangeError(`No place ${place} is known.`);
    return pattern;
  };
  const opening = /^\p{L}/u.exec(wording)?.[0] ?? '';
  const source = sourceOf(wording.slice(opening.length), fill);
  // A place may begin with a letter too, such as the article of a name.
  const first = opening || (wording.startsWith('{') ? source.charAt(0) : '');
  const rest = opening === '' ? source.slice(first.length) : source;
  const start = /\p{L}/u.test(first) ? `[${first.toLowerCase()}${first.toUpperCase()}]` : first;
  return new RegExp(`^${start}${rest}$`, 'u');
}

/** The values of the first of the wordings that `text` is as a whole. */
export function readWhole(text: string, wordings: readonly string[], places: Values): Values | null {
  for (const wording of wordings) {
    const groups = new RegExp(`^${patternOf(wording, places)}$`).exec(text)?.groups;
    if (groups !== undefined) return groups;
    // A match without groups.
    if (text === wording) return {};
  }
  return null;
}

export interface Found {
  readonly text: string;
  readonly values: Values;
}

/** All sentences in `text`, or runs of them, that are one of the wordings; the longest first. */
export function findAll(text: string, wordings: readonly string[], places: Values): Found[] {
  return wordings
    .flatMap((wording) => {
      const pattern = new RegExp(`(?<=^|[\\s"])${patternOf(wording, places)}(?=$|[\\s"])`, 'g');
      return [...text.matchAll(pattern)].map((match) => ({ text: match[0], values: match.groups ?? {} }));
    })
    .toSorted((left, right) => right.text.length - left.text.length);
}

export function placesOf(wording: string): string[] {
  return [...new Set([...wording.matchAll(/\{([a-z_]+)\}/gi)].map(([, place = '']) => place))].toSorted();
}

/** The values of all wordings that are the whole text. */
export function matchesOf(texts: readonly string[], text: string, places: Values): Values[] {
  return texts.flatMap((wording) => {
    const match = new RegExp(`^${patternOf(wording, places)}$`, 's').exec(text);
    return match === null ? [] : [{ ...match.groups }];
  });
}

/** The key of the only list with a wording that satisfies `matches`. */
export function onlyKey(
  lists: Readonly<Record<string, readonly string[]>>,
  matches: (wording: string) => boolean,
  about: string,
): string {
  const found = Object.keys(lists).filter((key) => lists[key]?.some(matches));
  const [key, ...others] = found;
  if (key === undefined || others.length > 0) throw new Error(`${found.length} meanings fit: ${about}`);
  return key;
}
