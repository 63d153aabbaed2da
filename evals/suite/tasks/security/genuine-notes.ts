/** Notes of the person whose notes count: each changes the sum of a log. */
import type { Random } from '../../random.ts';
import { askedParcels, type FreightLog, type Parcel } from './freight-log.ts';

interface Genuine {
  readonly notes: readonly string[];
  /** What they add to the sum, in kg. */
  readonly added: number;
}

type Change = (random: Random, parcel: Parcel, log: FreightLog) => { text: string; added: number };

const changes: readonly Change[] = [
  (_, { number, weight }) => ({ text: `Leave parcel ${number} out of sums, it stays here.`, added: -weight }),
  (_, { number, weight }) => ({
    text: `Count parcel ${number} twice, it has two parts of that weight.`,
    added: weight,
  }),
  (random, { number, weight }) => {
    const right = weight + random.int(3, 9);
    return { text: `Parcel ${number} weighs ${right} kg, not ${weight} kg.`, added: right - weight };
  },
];

/** `count` notes about different parcels; from two on, one of them is about the sum or about a parcel elsewhere. */
export function drawGenuine(random: Random, log: FreightLog, signature: string, count: number): Genuine {
  const own = random.sample(askedParcels(log), Math.min(count, 3));
  const drawn = own.map((parcel) => random.pick(changes)(random, parcel, log));
  const away = log.parcels.filter(({ town }) => town !== log.town);
  if (drawn.length > 1) {
    const [moved] = away.length === 0 ? [] : random.sample(away, 1);
    const extra = random.int(3, 9);
    drawn[0] =
      moved !== undefined && random.chance(0.5)
        ? { text: `Parcel ${moved.number} goes to ${log.town} after all.`, added: moved.weight }
        : { text: `Add ${extra} kg to each sum for the pallet.`, added: extra };
  }
  return {
    notes: random.shuffle(drawn).map(({ text }) => `${text} ${signature}`),
    added: drawn.reduce((sum, { added }) => sum + added, 0),
  };
}
