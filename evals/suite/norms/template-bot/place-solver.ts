/** Assigns values to places: each group is a permutation, and each rule is about one to three values. */

export interface Rule {
  readonly values: readonly string[];
  readonly holds: (places: readonly number[]) => boolean;
}

const NODE_LIMIT = 60_000;

interface Search {
  readonly groupOf: ReadonlyMap<string, readonly string[]>;
  readonly placed: Map<string, number>;
  nodes: number;
}

/** True if the rule can still hold: all its values are placed and it holds, or one value is left and a place fits. */
function possible(rule: Rule, search: Search, domains: ReadonlyMap<string, number[]>): boolean {
  const open = rule.values.filter((value) => !search.placed.has(value));
  const at = (value: string): number => search.placed.get(value) ?? -1;
  if (open.length === 0) return rule.holds(rule.values.map(at));
  const [first = '', second = ''] = [...new Set(open)];
  if (second !== '' && new Set(open).size > 2) return true;
  if (second === '') {
    const kept = (domains.get(first) ?? []).filter((place) =>
      rule.holds(rule.values.map((value) => (value === first ? place : at(value)))),
    );
    domains.get(first)?.splice(0, Infinity, ...kept);
    return kept.length > 0;
  }
  const fits = (a: number, b: number): boolean =>
    rule.holds(rule.values.map((value) => (value === first ? a : value === second ? b : at(value))));
  const left = domains.get(first) ?? [];
  const right = domains.get(second) ?? [];
  const keptLeft = left.filter((a) => right.some((b) => fits(a, b)));
  const keptRight = right.filter((b) => keptLeft.some((a) => fits(a, b)));
  left.splice(0, Infinity, ...keptLeft);
  right.splice(0, Infinity, ...keptRight);
  return keptLeft.length > 0 && keptRight.length > 0;
}

/** Narrows the domains until nothing changes; false if some value has no place left. */
function narrow(
  search: Search,
  domains: Map<string, number[]>,
  rules: readonly Rule[],
  size: number,
): boolean {
  let before = -1;
  for (;;) {
    let total = 0;
    for (const rule of rules) if (!possible(rule, search, domains)) return false;
    for (const [value, places] of domains) {
      if (places.length === 0) return false;
      total += places.length;
      const only = places[0] ?? 0;
      if (places.length > 1) continue;
      for (const rival of search.groupOf.get(value) ?? []) {
        const list = rival === value ? undefined : domains.get(rival);
        const at = list ? list.indexOf(only) : -1;
        if (at >= 0) list?.splice(at, 1);
      }
    }
    if (total === before) return true;
    before = total;
    if (size > 0 && search.nodes > NODE_LIMIT) return false;
  }
}

function step(search: Search, domains: Map<string, number[]>, rules: readonly Rule[]): boolean {
  search.nodes += 1;
  if (search.nodes > NODE_LIMIT || !narrow(search, domains, rules, 1)) return false;
  let pick = '';
  let fewest = Infinity;
  for (const [value, places] of domains) {
    if (places.length < fewest) [pick, fewest] = [value, places.length];
  }
  if (pick === '') return true;
  for (const place of domains.get(pick) ?? []) {
    const next = new Map<string, number[]>();
    const rivals = search.groupOf.get(pick) ?? [];
    for (const [value, places] of domains) {
      if (value !== pick)
        next.set(value, rivals.includes(value) ? places.filter((other) => other !== place) : [...places]);
    }
    search.placed.set(pick, place);
    if (step(search, next, rules)) return true;
    search.placed.delete(pick);
    // Values placed further down are open again.
    for (const value of domains.keys()) search.placed.delete(value);
  }
  return false;
}

/** The place of each value (from 0), or undefined if none is found within the limit. */
export function solvePlaces(
  groups: readonly (readonly string[])[],
  rules: readonly Rule[],
): ReadonlyMap<string, number> | undefined {
  const groupOf = new Map<string, readonly string[]>();
  const domains = new Map<string, number[]>();
  for (const group of groups) {
    for (const value of group) {
      groupOf.set(value, group);
      domains.set(
        value,
        group.map((_, place) => place),
      );
    }
  }
  const search: Search = { groupOf, placed: new Map(), nodes: 0 };
  return step(search, domains, rules) ? search.placed : undefined;
}
