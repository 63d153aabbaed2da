/** The records of the structured tasks: parcels in an invented depot, written down as notes. */
import { inventNames, inventWords } from '../../language/invented-word.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../random.ts';

export interface Parcel {
  readonly id: string;
  readonly goods: string;
  readonly town: string;
  readonly weight: number;
  /** `YYYY-MM-DD` */
  readonly due: string;
  readonly fragile: boolean;
}

export const recordCounts: Readonly<Record<Level, number>> = {
  1: 1,
  2: 3,
  3: 8,
  4: 20,
  5: 40,
  6: 50,
  7: 60,
  8: 72,
};
export const correctionCounts: Readonly<Record<Level, number>> = {
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 6,
  6: 9,
  7: 12,
  8: 16,
};

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

export interface Depot {
  readonly towns: readonly string[];
  readonly parcels: readonly Parcel[];
}

export function makeDepot(random: Random, count: number): Depot {
  const towns = inventNames(random, Math.min(6, 2 + count));
  const goods = inventWords(random, Math.min(24, 2 + count), 2);
  const numbers = random.sample(
    Array.from({ length: 900 }, (_, at) => at + 100),
    count,
  );
  const letters = random.text('BCDFGHKLMNPRTVWXZ', 2);
  const parcels = numbers.map((number): Parcel => ({
    id: `${letters}-${number}`,
    goods: random.pick(goods),
    town: random.pick(towns),
    weight: random.int(12, 480),
    due: drawDay(random),
    fragile: random.chance(0.4),
  }));
  return { towns, parcels };
}

export function drawDay(random: Random): string {
  const month = String(random.int(1, 12)).padStart(2, '0');
  return `${random.int(2031, 2034)}-${month}-${String(random.int(1, 28)).padStart(2, '0')}`;
}

/** Such as "4 March 2031". */
export function dayInWords(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(date)} ${months[Number(month) - 1]} ${year}`;
}

type Write = (parcel: Parcel) => string;

const careful = ['handle with care', 'it breaks easily', 'fragile'];
const careless = ['nothing fragile', 'it cannot break', 'not fragile'];

/** One note per parcel, in varying words, with irrelevant remarks in between. */
export function writeNotes(random: Random, parcels: readonly Parcel[]): string[] {
  const [idler = '', other = ''] = inventNames(random, 2);
  return parcels.flatMap((parcel) => {
    const care = random.pick(parcel.fragile ? careful : careless);
    const day = random.chance(0.5) ? dayInWords(parcel.due) : parcel.due;
    const write = random.pick<Write>([
      ({ id, goods, town, weight }) =>
        `${id} is for ${town}: ${goods}, ${weight} kg, due on ${day}; ${care}.`,
      ({ id, goods, town, weight }) =>
        `By ${day} ${town} expects ${goods} (${id}, ${care}). It weighs ${weight} kg.`,
      ({ id, goods, town, weight }) =>
        `There is a parcel of ${goods}, ${weight} kg on the scales, marked ${id}: ${care}, to reach ${town} by ${day}.`,
      ({ id, goods, town, weight }) => `${town} ordered ${goods}. Mark ${id}, ${care}, ${weight} kg, ${day}.`,
    ]);
    const note = write(parcel);
    return random.chance(0.2) ? [note, drawRemark(random, idler, other)] : [note];
  });
}

function drawRemark(random: Random, idler: string, other: string): string {
  return random.pick([
    `${idler} was late again and missed ${random.int(2, 9)} calls.`,
    `The scales were checked in ${random.pick(months)}; ${other} signed for it.`,
    `${other} asks for ${random.int(3, 40)} new labels.`,
    `Door ${random.int(2, 9)} stays shut until ${idler} is back.`,
  ]);
}
