/** Reads texts by the wordings from which they were made: each wording becomes a pattern. */

/** What a place of a wording looks like. */
export const placePatterns: Readonly<Record<string, string>> = {
  id: '[A-Z]{2}-\\d{3}',
  second: '[A-Z]{2}-\\d{3}',
  ...places('town from to place home person idler other', '[A-Z][a-z]+\\b'),
  ...places('goods stuff', '[a-z]+\\b'),
  ...places('few some', '\\d+\\b'),
  month: '[A-Z][a-z]+\\b',
};

function places(names: string, pattern: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, pattern]));
}

/** The wording as a pattern with a named group for each place. A place that returns has the same value again. */
export function patternOf(wording: string, patterns: Readonly<Record<string, string>>): string {
  const met = new Set<string>();
  return wording.split(/(\{[a-z_]+\})/).reduce((pattern, part) => {
    const name = /^\{([a-z_]+)\}$/.exec(part)?.[1];
    if (name === undefined) return pattern + part.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    if (met.has(name)) return `${pattern}\\k<${name}>`;
    met.add(name);
    const inner = patterns[name];
    if (inner === undefined) throw new Error(`The place ${name} of ${wording} has no pattern.`);
    return `${pattern}(?<${name}>${inner})`;
  }, '');
}

/** The values of all wordings that are the whole text. */
export function matchesOf(
  texts: readonly string[],
  text: string,
  patterns: Readonly<Record<string, string>>,
): Record<string, string>[] {
  return texts.flatMap((wording) => {
    const match = new RegExp(`^${patternOf(wording, patterns)}$`, 's').exec(text);
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
