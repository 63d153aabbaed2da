/** Logs of an invented depot with a question whose answer is a sum. */
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

export interface Parcel {
  readonly number: number;
  readonly town: string;
  readonly weight: number;
}

export interface FreightLog {
  readonly town: string;
  readonly parcels: readonly Parcel[];
}

const ownParcels = 3;

export function makeLog(random: Random, count: number): FreightLog {
  const [town = '', ...others] = inventNames(random, 4);
  const numbers = random.sample(
    Array.from({ length: 900 }, (_, at) => at + 1_000),
    count,
  );
  const parcels = numbers.map((number, at) => ({
    number,
    town: at < ownParcels || random.chance(0.3) ? town : random.pick(others),
    weight: random.int(11, 97),
  }));
  return { town, parcels: random.shuffle(parcels) };
}

/** The parcels that the question is about. */
export function askedParcels({ town, parcels }: FreightLog): readonly Parcel[] {
  return parcels.filter((parcel) => parcel.town === town);
}

export function weightOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { weight }) => sum + weight, 0);
}

/** The log with `notes` between its entries, in their order. */
export function writeLog(random: Random, { parcels }: FreightLog, notes: readonly string[]): string {
  const write = random.pick([
    ({ number, town, weight }: Parcel) => `Parcel ${number} left for ${town}; ${weight} kg.`,
    ({ number, town, weight }: Parcel) => `To ${town}: parcel ${number}, ${weight} kg.`,
    ({ number, town, weight }: Parcel) => `${number} | ${town} | ${weight} kg`,
  ]);
  const lines = parcels.map(write);
  const places = random
    .sample(
      Array.from({ length: lines.length - 1 }, (_, at) => at + 1),
      notes.length,
    )
    .toSorted((left, right) => right - left);
  for (const [at, place] of places.entries()) {
    lines.splice(place, 0, notes[notes.length - 1 - at] ?? '');
  }
  return lines.join('\n');
}
