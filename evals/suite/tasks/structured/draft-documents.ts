/** Shared by the structured tasks: records, corrections, and the answers of a reader who misses one of them. */
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';
import { applyCorrections, type Correction, drawCorrections } from './corrections.ts';
import { correctionCounts, type Depot, makeDepot, type Parcel, recordCounts } from './parcels.ts';
import wordings from './requests.json' with { type: 'json' };

interface DocumentDraft<Value> {
  readonly depot: Depot;
  readonly corrections: readonly Correction[];
  readonly value: Value;
  /** The document with a wrong word for some goods, and without each of the corrections. */
  readonly mistakes: readonly Value[];
}

/**
 * Records, corrections and the document that `solve` derives from the corrected records. Null if there are too few
 * corrections or one of them does not affect the document.
 */
export function draftDocument<Value>(
  random: Random,
  level: Level,
  solve: (parcels: readonly Parcel[]) => Value,
): DocumentDraft<Value> | null {
  const depot = makeDepot(random, recordCounts[level]);
  const corrections = drawCorrections(random, depot, correctionCounts[level]);
  if (corrections.length < correctionCounts[level]) return null;
  const parcels = applyCorrections(depot.parcels, corrections);
  const value = solve(parcels);
  const [goods] = depot.unused;
  const mistakes = [
    solve(parcels.map((parcel, at) => (at === 0 && goods ? { ...parcel, goods } : parcel))),
    ...corrections.map((_, left) => solve(applyCorrections(depot.parcels, corrections.toSpliced(left, 1)))),
  ];
  const right = JSON.stringify(value);
  return mistakes.some((mistake) => JSON.stringify(mistake) === right)
    ? null
    : { depot, corrections, value, mistakes };
}

export function markOf({ id }: Parcel): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

interface Order {
  /** Wordings, each of which follows the word for the parcels. */
  readonly texts: readonly string[];
  readonly compare: (left: Parcel, right: Parcel) => number;
}

/** Orders without ties. */
export const orders: readonly Order[] = [
  { texts: wordings.orders.up, compare: (left, right) => markOf(left) - markOf(right) },
  { texts: wordings.orders.down, compare: (left, right) => markOf(right) - markOf(left) },
  {
    texts: wordings.orders.light,
    compare: (left, right) => left.weight - right.weight || markOf(left) - markOf(right),
  },
  {
    texts: wordings.orders.early,
    compare: (left, right) =>
      left.due < right.due ? -1 : left.due > right.due ? 1 : markOf(left) - markOf(right),
  },
];
