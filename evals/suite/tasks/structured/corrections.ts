/** Corrections that arrive after the notes. Each changes the current state of the records. */
import { capital } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './corrections.json' with { type: 'json' };
import { drawDay, type Depot, type Parcel } from './parcels.ts';
import { drawHand, type Hand } from './written-values.ts';

export interface Correction {
  readonly text: string;
  readonly apply: (parcels: readonly Parcel[]) => readonly Parcel[];
  /** A town that no longer receives anything. */
  readonly closes?: string;
}

type CorrectionKind = keyof typeof wordings.kinds;

/** How the messages of one task are worded. */
interface Messages {
  readonly hand: Hand;
  readonly say: (kind: CorrectionKind, values: Readonly<Record<string, string | number>>) => string;
}

type Draw = (random: Random, messages: Messages, depot: Depot) => Correction | null;

const draws: readonly Draw[] = [
  setWeight,
  shiftWeight,
  setTown,
  setGoods,
  setDue,
  swapTowns,
  dropParcel,
  moveTown,
];

/** `count` corrections, to be applied in this order. */
export function drawCorrections(random: Random, depot: Depot, count: number): Correction[] {
  const corrections: Correction[] = [];
  const messages = drawMessages(random);
  let { towns, parcels } = depot;
  const bag = [...random.shuffle(draws), ...random.shuffle(draws), ...random.shuffle(draws)];
  for (const draw of bag) {
    if (corrections.length === count) break;
    const correction = draw(random, messages, { ...depot, towns, parcels });
    if (correction === null) continue;
    corrections.push(correction);
    parcels = correction.apply(parcels);
    towns = towns.filter((town) => town !== correction.closes);
  }
  return corrections;
}

function drawMessages(random: Random): Messages {
  const styles = new Map(
    Object.entries(wordings.kinds).map(([kind, texts]) => [kind, drawStyle(random, texts, 3)]),
  );
  return {
    hand: drawHand(random),
    say: (kind, values) => fillIn(drawWording(random, styles.get(kind) ?? []), values),
  };
}

export function applyCorrections(
  parcels: readonly Parcel[],
  corrections: readonly Correction[],
): readonly Parcel[] {
  return corrections.reduce((current, { apply }) => apply(current), parcels);
}

function setWeight(random: Random, { hand, say }: Messages, { parcels }: Depot): Correction {
  const { id, weight } = random.pick(parcels);
  const right = other(weight, () => random.int(12, 480));
  return {
    text: say('weight', { id, weight: hand.weight(right), old: hand.weight(weight) }),
    apply: change(id, () => ({ weight: right })),
  };
}

function shiftWeight(random: Random, { hand, say }: Messages, { parcels }: Depot): Correction {
  const { id } = random.pick(parcels);
  const by = random.int(3, 11);
  const isHeavier = random.chance(0.5);
  return {
    text: say(isHeavier ? 'heavier' : 'lighter', { id, by: hand.weight(by) }),
    apply: change(id, ({ weight }) => ({ weight: isHeavier ? weight + by : weight - by })),
  };
}

function setTown(random: Random, { say }: Messages, { parcels, towns }: Depot): Correction {
  const { id, town } = random.pick(parcels);
  const right = other(town, () => random.pick(towns));
  return {
    text: say('town', { id, town: right, old: town }),
    apply: change(id, () => ({ town: right })),
  };
}

function setGoods(random: Random, { say }: Messages, { parcels, stock }: Depot): Correction {
  const { id, goods } = random.pick(parcels);
  const right = other(goods, () => random.pick(stock));
  return {
    text: say('goods', { id, goods: random.pick(right.phrases), old: random.pick(goods.phrases) }),
    apply: change(id, () => ({ goods: right })),
  };
}

function setDue(random: Random, { hand, say }: Messages, { parcels }: Depot): Correction {
  const { id, due } = random.pick(parcels);
  const right = other(due, () => drawDay(random));
  return {
    text: capital(say('day', { id, day: hand.day(right), old: hand.day(due) })),
    apply: change(id, () => ({ due: right })),
  };
}

function swapTowns(random: Random, { say }: Messages, { parcels }: Depot): Correction | null {
  const [left, right] = random.sample(parcels, Math.min(2, parcels.length));
  if (left === undefined || right === undefined || left.town === right.town) return null;
  return {
    text: say('swap', { id: left.id, second: right.id }),
    apply: (current) => {
      const townOf = new Map(current.map(({ id, town }) => [id, town]));
      return current.map((parcel) => {
        const from = parcel.id === left.id ? right.id : parcel.id === right.id ? left.id : null;
        return from === null ? parcel : { ...parcel, town: townOf.get(from) ?? parcel.town };
      });
    },
  };
}

function dropParcel(random: Random, { say }: Messages, { parcels }: Depot): Correction | null {
  if (parcels.length < 3) return null;
  const { id } = random.pick(parcels);
  return {
    text: say('drop', { id }),
    apply: (current) => current.filter((parcel) => parcel.id !== id),
  };
}

function moveTown(random: Random, { say }: Messages, { parcels, towns }: Depot): Correction | null {
  const from = random.pick(parcels).town;
  if (towns.length < 3 || parcels.every(({ town }) => town === from)) return null;
  const to = other(from, () => random.pick(towns));
  return {
    text: say('move', { from, to }),
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
