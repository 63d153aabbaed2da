/**
 * A road map with distances, and a solver that finds the shortest route and counts the routes of that length.
 */
import type { Random } from '../../random.ts';

/** A road can be used both ways. Towns are numbered from 0. */
export interface Road {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

export interface ShortestRoute {
  readonly length: number;
  /** The towns on one shortest route, both ends included. */
  readonly towns: readonly number[];
  /** How many routes have this length. */
  readonly routes: number;
}

/** Null when there is no route. Tries every simple route, so the count is exact. */
export function findShortestRoute(roads: readonly Road[], start: number, goal: number): ShortestRoute | null {
  let best: { length: number; towns: number[]; routes: number } | null = null;
  const walk = (towns: number[], length: number): void => {
    const here = towns.at(-1);
    if (here === undefined || (best !== null && length > best.length)) return;
    if (here === goal) {
      if (best === null || length < best.length) best = { length, towns: [...towns], routes: 1 };
      else best.routes += 1;
      return;
    }
    for (const road of roads) {
      const next = road.from === here ? road.to : road.to === here ? road.from : undefined;
      if (next !== undefined && !towns.includes(next)) walk([...towns, next], length + road.length);
    }
  };
  walk([start], 0);
  return best;
}

/**
 * A connected map with exactly one shortest route from town 0 to the last town. The route visits at least
 * `minTowns` towns.
 */
export function makeRoads(
  random: Random,
  towns: number,
  minTowns: number,
  attempts: number,
): { roads: Road[]; route: ShortestRoute } {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const roads: Road[] = [];
    for (let town = 1; town < towns; town += 1) {
      const links = random.sample(
        Array.from({ length: town }, (_, other) => other).slice(-3),
        Math.min(town, 2),
      );
      for (const other of links) roads.push({ from: other, to: town, length: random.int(3, 29) });
    }
    const route = findShortestRoute(roads, 0, towns - 1);
    if (route !== null && route.routes === 1 && route.towns.length >= minTowns) return { roads, route };
  }
  throw new Error('No map with one shortest route was found.');
}
