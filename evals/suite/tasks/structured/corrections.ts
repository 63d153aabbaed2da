/** Corrections that arrive after the notes. Each changes the current state of the records. */
import type { Random } from '../../random.ts';
import { dayInWords, drawDay, type Depot, type Parcel } from './parcels.ts';

export interface Correction {
  readonly text: string;
  readonly apply: (parcels: readonly Parcel[]) => readonly Parcel[];
  /** A town that no longer receives anything. */
  readonly closes?: string;
}

type Draw = (random: Random, depot: Depot, parcels: readonly Parcel[]) => Correction | null;

const draws: readonly Draw[] = [setWeight, shiftWeight, setTown, setDue, swapTowns, dropParcel, moveTown];

/** `count` corrections, to be applied in this order. */
export function drawCorrections(random: Random, depot: Depot, count: number): Correction[] {
  const corrections: Correction[] = [];
  let { towns, parcels } = depot;
  const bag = [...random.shuffle(draws), ...random.shuffle(draws), ...random.shuffle(draws)];
  for (const draw of bag) {
    if (corrections.length === count) break;
    const correction = draw(random, { towns, parcels }, parcels);
    if (correction === null) continue;
    corrections.push(correction);
    parcels = correction.apply(parcels);
    towns = towns.filter((town) => town !== correction.closes);
  }
  return corrections;
}

export function applyCorrections(
  parcels: readonly Parcel[],
  corrections: readonly Correction[],
): readonly Parcel[] {
  return corrections.reduce((current, { apply }) => apply(current), parcels);
}

function setWeight(random: Random, _depot: Depot, parcels: readonly Parcel[]): Correction {
  const { id, weight } = random.pick(parcels);
  const right = other(weight, () => random.int(12, 480));
  return {
    text: random.pick([
      `The weight of ${id} was misread. It is ${right} kg.`,
      `${id} weighs ${right} kg, not ${weight} kg.`,
    ]),
    apply: change(id, () => ({ weight: right })),
  };
}

function shiftWeight(random: Random, _depot: Depot, parcels: readonly Parcel[]): Correction {
  const { id } = random.pick(parcels);
  const by = random.int(3, 11);
  return random.chance(0.5)
    ? {
        text: `Something was added to ${id}: it is now ${by} kg heavier than before.`,
        apply: change(id, ({ weight }) => ({ weight: weight + by })),
      }
    : {
        text: `${by} kg were taken out of ${id}; its weight falls by as much.`,
        apply: change(id, ({ weight }) => ({ weight: weight - by })),
      };
}

function setTown(random: Random, { towns }: Depot, parcels: readonly Parcel[]): Correction {
  const { id, town } = random.pick(parcels);
  const right = other(town, () => random.pick(towns));
  return {
    text: random.pick([`${id} goes to ${right} after all.`, `The town of ${id} should read ${right}.`]),
    apply: change(id, () => ({ town: right })),
  };
}

function setDue(random: Random, _depot: Depot, parcels: readonly Parcel[]): Correction {
  const { id, due } = random.pick(parcels);
  const right = other(due, () => drawDay(random));
  return {
    text: `${id} is due on ${dayInWords(right)} instead.`,
    apply: change(id, () => ({ due: right })),
  };
}

function swapTowns(random: Random, _depot: Depot, parcels: readonly Parcel[]): Correction | null {
  const [left, right] = random.sample(parcels, Math.min(2, parcels.length));
  if (left === undefined || right === undefined || left.town === right.town) return null;
  return {
    text: `The towns of ${left.id} and ${right.id} were mixed up: each goes where the other was to go.`,
    apply: (current) => {
      const townOf = new Map(current.map(({ id, town }) => [id, town]));
      return current.map((parcel) => {
        const from = parcel.id === left.id ? right.id : parcel.id === right.id ? left.id : null;
        return from === null ? parcel : { ...parcel, town: townOf.get(from) ?? parcel.town };
      });
    },
  };
}

function dropParcel(random: Random, _depot: Depot, parcels: readonly Parcel[]): Correction | null {
  if (parcels.length < 3) return null;
  const { id } = random.pick(parcels);
  return {
    text: random.pick([`${id} was entered by mistake. Leave it out.`, `Strike ${id}: it never arrived.`]),
    apply: (current) => current.filter((parcel) => parcel.id !== id),
  };
}

function moveTown(random: Random, { towns }: Depot, parcels: readonly Parcel[]): Correction | null {
  const from = random.pick(parcels).town;
  if (towns.length < 3 || parcels.every(({ town }) => town === from)) return null;
  const to = other(from, () => random.pick(towns));
  return {
    text: `The depot in ${from} is closed. All that is still to go to ${from} goes to ${to}.`,
    apply: (current) => current.map((parcel) => (parcel.town === from ? { ...parcel, town: to } : parcel)),
    closes: from,
  };
}

function change(id: string, fields: (parcel: Parcel) => Partial<Parcel>): Correction['apply'] {
  return (current) => current.map((parcel) => (parcel.id === id ? { ...parcel, ...fields(parcel) } : parcel));
}

/** A value that differs from `value`. */
function other<Value>(value: Value, draw: () => Value): Value {
  let drawn = draw();
  for (let attempt = 0; attempt < 100 && drawn === value; attempt += 1) drawn = draw();
  return drawn;
}
