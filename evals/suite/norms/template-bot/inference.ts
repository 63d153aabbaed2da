/**
 * Wordings that no table knows are assigned to a relation by its shape: a person has at most one
 * holder of each role, so a wording belongs where its persons have no holder yet.
 */
export type Edge = { name: string; holder: string; other: string };
type Pair = readonly [string, string];

const patternOf = (part: string): string => part.replace(/\b[A-Z][a-z]+\b/g, 'X');

/** Groups the sentences with two known names by their wording. */
export const groupWordings = (
  parts: readonly string[],
  isFirst: (name: string) => boolean,
  isSecond: (name: string) => boolean,
): Map<string, Pair[]> => {
  const groups = new Map<string, Pair[]>();
  for (const part of parts) {
    const names = (part.match(/\b[A-Z][a-z]+\b/g) ?? []).filter((name) => isFirst(name) || isSecond(name));
    const [first, second] = names;
    if (names.length !== 2 || first === undefined || second === undefined) continue;
    if (!(isFirst(first) && isSecond(second)) && !(isSecond(first) && isFirst(second))) continue;
    const key = part
      .split(' ')
      .map((word) => (names.includes(word.replace(/\W/g, '')) ? 'X' : word))
      .join(' ');
    groups.set(patternOf(key), [...(groups.get(patternOf(key)) ?? []), [first, second]]);
  }
  return groups;
};

const orient = (name: string, pairs: readonly Pair[], holderFirst: boolean): Edge[] =>
  pairs.map(([first, second]) =>
    holderFirst ? { name, holder: first, other: second } : { name, holder: second, other: first },
  );

/** How many of the edges give a second holder to a person who has one. */
const clashes = (edges: readonly Edge[], known: readonly Edge[]): number => {
  const taken = new Set(known.map(({ other }) => other));
  let clashing = 0;
  for (const { other } of edges) {
    if (taken.has(other)) clashing += 1;
    taken.add(other);
  }
  return clashing;
};

/** A wording that fits a well filled role by chance is rare, but a full role needs no more wordings. */
const plausibility = (filled: number, pairs: number, people: number): number => {
  const missing = Math.max(2, people - filled);
  const free = Math.max(0.5, people - filled) / people;
  return Math.log(missing) - pairs * Math.log(free);
};

export const inferEdges = (
  known: readonly Edge[],
  groups: ReadonlyMap<string, readonly Pair[]>,
  names: readonly string[],
  directions: readonly boolean[],
  people: number,
): Edge[] => {
  const edges = [...known];
  const waiting = new Set(groups.values());
  while (waiting.size > 0) {
    // The clearest wording goes first, because every one that is placed makes the others clearer.
    let clearest: { pairs: readonly Pair[]; candidate: Edge[]; margin: number } | undefined;
    for (const pairs of waiting) {
      const options = names
        .flatMap((name) =>
          directions.map((holderFirst) => {
            const candidate = orient(name, pairs, holderFirst);
            const present = edges.filter((edge) => edge.name === name);
            const clashing = clashes(candidate, present);
            const allowed = clashing === 0 || clashing / pairs.length <= 0.2;
            return {
              candidate,
              allowed,
              score: plausibility(present.length, pairs.length, people) - 3 * clashing,
            };
          }),
        )
        .filter(({ allowed }) => allowed)
        .toSorted((one, other) => other.score - one.score);
      const [best, second] = options;
      if (best === undefined) {
        waiting.delete(pairs);
        continue;
      }
      const margin = best.score - (second?.score ?? -10);
      if (clearest === undefined || margin > clearest.margin)
        clearest = { pairs, candidate: best.candidate, margin };
    }
    if (clearest === undefined) break;
    edges.push(...clearest.candidate);
    waiting.delete(clearest.pairs);
  }
  return edges;
};
