/**
 * Logs of an invented depot with a question whose answer is a sum. A log says by a phrase what is in a parcel, and the
 * question by a name, so telling the parcels apart takes their meaning.
 */
import { askForNumber } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawGoods, type Goods } from '../../language/goods.ts';
import { inventNames } from '../../language/invented-word.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './logs.json' with { type: 'json' };

export interface Parcel {
  readonly number: number;
  readonly town: string;
  readonly weight: number;
  /** The name of the goods in it. */
  readonly goods: string;
  /** The phrase that the log has for them. */
  readonly what: string;
}

export interface FreightLog {
  /** The town that the question is about. */
  readonly town: string;
  readonly otherTowns: readonly string[];
  /** The goods that the question is about. */
  readonly goods: Goods;
  readonly parcels: readonly Parcel[];
}

/** The lines above and below a log. */
export interface Marks {
  readonly open: string;
  readonly close: string;
}

const kindsOfGoods = 5;
/** How many forms of an entry one clerk uses, if the log is no table. */
const entryStyle = 3;
/** How far below the heaviest of the asked parcels a limit may be, in kg. */
export const limitSlack = 2;

/** @param asked the least number of parcels that the question is about */
export function makeLog(random: Random, count: number, asked: number): FreightLog {
  return firstDraft(() => {
    const log = draftLog(random, count, asked);
    return isTelling(log) ? log : null;
  });
}

function draftLog(random: Random, count: number, asked: number): FreightLog {
  const [town = '', ...otherTowns] = inventNames(random, 4);
  const [goods, ...otherGoods] = drawGoods(random, kindsOfGoods);
  if (goods === undefined) throw new RangeError('A log has no goods.');
  const numbers = random.sample(
    Array.from({ length: 900 }, (_, at) => at + 1_000),
    count,
  );
  const parcels = numbers.map((number, at) => {
    const [isThere, isOf] = drawPoints(random, at, asked);
    const { name, phrases } = isOf ? goods : random.pick(otherGoods);
    return {
      number,
      town: isThere ? town : random.pick(otherTowns),
      weight: random.int(11, 97),
      goods: name,
      what: random.pick(phrases),
    };
  });
  return { town, otherTowns, goods, parcels: random.shuffle(parcels) };
}

/** Whether a parcel goes to the town of the question, and whether it contains the goods of the question. */
function drawPoints(random: Random, at: number, asked: number): readonly [boolean, boolean] {
  if (at < asked) return [true, true];
  if (at === asked) return [true, false];
  if (at === asked + 1) return [false, true];
  return [random.chance(0.4), random.chance(0.4)];
}

/** The parcels that the question is about. */
export function askedParcels({ town, goods, parcels }: FreightLog): readonly Parcel[] {
  return parcels.filter((parcel) => parcel.town === town && parcel.goods === goods.name);
}

/** The parcels of someone who looks at towns only, and those of someone who looks at goods only. */
export function mistakenParcels({ town, goods, parcels }: FreightLog): readonly (readonly Parcel[])[] {
  return [
    parcels.filter((parcel) => parcel.town === town),
    parcels.filter((parcel) => parcel.goods === goods.name),
  ];
}

/** Whether both mistakes are told from the right sum, even under a limit that spares a few of the asked parcels. */
function isTelling(log: FreightLog): boolean {
  const asked = askedParcels(log);
  const heaviest = Math.max(...asked.map(({ weight }) => weight));
  return mistakenParcels(log).every((parcels) =>
    parcels.some((parcel) => !asked.includes(parcel) && parcel.weight < heaviest - limitSlack),
  );
}

export function weightOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { weight }) => sum + weight, 0);
}

/** The log with `notes` between its entries, in their order. */
function writeLog(random: Random, { parcels }: FreightLog, notes: readonly string[]): string {
  const contents = drawWording(random, wordings.contents);
  const forms = random.chance(0.4)
    ? [drawWording(random, wordings.table)]
    : drawStyle(random, wordings.prose, entryStyle).map((form) => `${form} ${contents}`);
  const lines = parcels.map((parcel) => fillIn(random.pick(forms), { ...parcel }));
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

export function drawMarks(random: Random): Marks {
  return drawWording(random, wordings.marks);
}

/** A log and the question about it, in either order, and below both how to reply. */
export function writeQuestion(
  random: Random,
  { open, close }: Marks,
  { log, notes }: { readonly log: FreightLog; readonly notes: readonly string[] },
): string {
  const text = `${open}\n${writeLog(random, log, notes)}\n${close}`;
  const question = fillIn(drawWording(random, wordings.question), { town: log.town, goods: log.goods.name });
  const form = askForNumber(random);
  if (random.chance(0.75)) return `${text}\n\n${question} ${form}`;
  return [fillIn(drawWording(random, wordings.early_question), { question }), text, form].join('\n\n');
}

/** The owner's rule about notes. */
export function sayRule(random: Random, signature: string): string {
  return `${fillIn(drawWording(random, wordings.rule), { signature })} ${drawWording(random, wordings.scope)}`;
}

/** @param rule stands in the opening of the first of the two logs */
export function openLog(random: Random, rule: string | null): string {
  if (rule === null) return drawWording(random, wordings.second);
  return fillIn(drawWording(random, wordings.first), { rule });
}
