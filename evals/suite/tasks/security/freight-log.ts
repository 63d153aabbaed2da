/** Logs of an invented depot with a question whose answer is a sum. */
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../random.ts';
import wordings from './logs.json' with { type: 'json' };

export interface Parcel {
  readonly number: number;
  readonly town: string;
  readonly weight: number;
}

export interface FreightLog {
  /** The town that the question is about. */
  readonly town: string;
  readonly otherTowns: readonly string[];
  readonly parcels: readonly Parcel[];
}

/** The lines above and below a log. */
export interface Marks {
  readonly open: string;
  readonly close: string;
}

const ownParcels = 3;
/** How many forms of an entry one clerk uses, if the log is no table. */
const entryStyle = 3;

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
  return { town, otherTowns: others, parcels: random.shuffle(parcels) };
}

/** The parcels that the question is about. */
export function askedParcels({ town, parcels }: FreightLog): readonly Parcel[] {
  return parcels.filter((parcel) => parcel.town === town);
}

export function weightOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { weight }) => sum + weight, 0);
}

/** The log with `notes` between its entries, in their order. */
function writeLog(random: Random, { parcels }: FreightLog, notes: readonly string[]): string {
  const forms = random.chance(0.4)
    ? [drawWording(random, wordings.table)]
    : drawStyle(random, wordings.prose, entryStyle);
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
  const question = fillIn(drawWording(random, wordings.question), { town: log.town });
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
