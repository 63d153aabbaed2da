/** The log of an invented depot, and a question whose answer is a number. */
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

export interface FreightLog {
  readonly lines: readonly string[];
  readonly question: string;
  readonly answer: number;
}

interface Parcel {
  readonly number: number;
  readonly to: string;
  readonly weight: number;
}

export function makeFreightLog(random: Random, count: number): FreightLog {
  const towns = inventNames(random, 4);
  const [asked = ''] = towns;
  const numbers = random.sample(
    Array.from({ length: 900 }, (_, number) => number + 1_000),
    count,
  );
  const weights = random.sample(
    Array.from({ length: 90 }, (_, number) => number + 3),
    count,
  );
  const parcels = numbers.map((number, position): Parcel => ({
    number,
    to: position < 2 ? asked : random.pick(towns),
    weight: weights[position] ?? 1,
  }));
  const lines = random
    .shuffle(parcels)
    .map((parcel) =>
      random.pick([
        `Parcel ${parcel.number} left for ${parcel.to}; weight ${parcel.weight} kg.`,
        `To ${parcel.to}: parcel ${parcel.number}, ${parcel.weight} kg.`,
        `${parcel.weight} kg, parcel ${parcel.number}, sent to ${parcel.to}.`,
      ]),
    );
  const own = parcels.filter((parcel) => parcel.to === asked);
  const heaviest = own.toSorted((left, right) => right.weight - left.weight)[0];
  return {
    lines,
    ...random.pick([
      { question: `How many parcels went to ${asked}?`, answer: own.length },
      {
        question: `What is the weight in kg of all parcels to ${asked} together?`,
        answer: own.reduce((sum, parcel) => sum + parcel.weight, 0),
      },
      {
        question: `Which number has the heaviest parcel that went to ${asked}?`,
        answer: heaviest?.number ?? 0,
      },
    ]),
  };
}
