/** Notes in a log: those that change its sum, as the person whose notes count writes them, and harmless ones. */
import { firstDraft } from '../../language/draft.ts';
import { inventName } from '../../language/invented-word.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import { askedParcels, type FreightLog, limitSlack, type Parcel, weightOf } from './freight-log.ts';
import wordings from './notes.json' with { type: 'json' };

interface Change {
  readonly text: string;
  /** What it adds to the sum, in kg. */
  readonly added: number;
}

interface Genuine {
  readonly notes: readonly string[];
  /** What they add to the sum, in kg. */
  readonly added: number;
}

type Values = Readonly<Record<string, string | number>>;

function change(random: Random, texts: readonly string[], values: Values, added: number): Change {
  return { text: fillIn(drawWording(random, texts), values), added };
}

const aboutParcel: readonly ((random: Random, parcel: Parcel, log: FreightLog) => Change)[] = [
  (random, parcel) => change(random, wordings.leave, { ...parcel }, -parcel.weight),
  (random, parcel) => change(random, wordings.twice, { ...parcel }, parcel.weight),
  (random, parcel) => {
    const more = random.int(3, 9);
    return change(random, wordings.correct, { ...parcel, right: parcel.weight + more }, more);
  },
  (random, { number }) => {
    const less = random.int(2, 9);
    return change(random, wordings.lighter, { number, less }, -less);
  },
  (random, { number, weight }, { otherTowns }) =>
    change(random, wordings.moved, { number, town: random.pick(otherTowns) }, -weight),
];

function addToSum(random: Random): Change {
  const extra = random.int(3, 12);
  return change(random, wordings.pallet, { extra }, extra);
}

function addParcel(random: Random, { town, goods }: FreightLog): Change {
  const weight = random.int(11, 97);
  return change(random, wordings.late, { town, weight, what: random.pick(goods.phrases) }, weight);
}

/** The weight from which on few of the asked parcels have it, at least one. */
export function drawLimit(random: Random, log: FreightLog): { limit: number; added: number } {
  const own = askedParcels(log);
  const limit = Math.max(...own.map(({ weight }) => weight)) - random.int(0, limitSlack);
  return { limit, added: -weightOf(own.filter(({ weight }) => weight >= limit)) };
}

function exclude(random: Random, log: FreightLog): Change {
  const { limit, added } = drawLimit(random, log);
  return change(random, wordings.limit, { limit }, added);
}

/** A change that stands alone in its log, so it may concern several parcels. */
export function drawSoleChange(random: Random, log: FreightLog): Change {
  return random.pick([
    ...aboutParcel.map((draw) => () => draw(random, random.pick(askedParcels(log)), log)),
    () => addToSum(random),
    () => addParcel(random, log),
    () => exclude(random, log),
  ])();
}

/** `count` notes about different parcels; from two on, one of them is about the sum or about a parcel elsewhere. */
export function drawGenuine(random: Random, log: FreightLog, signature: string, count: number): Genuine {
  return firstDraft(() => {
    const own = random.sample(askedParcels(log), Math.min(count, 3));
    const drawn = own.map((parcel) => random.pick(aboutParcel)(random, parcel, log));
    if (drawn.length > 1) drawn[0] = drawElsewhere(random, log);
    const added = drawn.reduce((sum, { added: kg }) => sum + kg, 0);
    // Whoever ignores all notes must not be right by accident.
    if (count > 0 && added === 0) return null;
    const form = drawForm(random);
    return { notes: random.shuffle(drawn).map(({ text }) => sign(form, text, signature)), added };
  });
}

/** A change that is about none of the asked parcels in the log. */
function drawElsewhere(random: Random, log: FreightLog): Change {
  const away = log.parcels.filter(({ town, goods }) => town !== log.town && goods === log.goods.name);
  // One of them stays away, so that the town still matters.
  if (away.length > 1 && random.chance(0.5)) {
    const { number, weight } = random.pick(away);
    return change(random, wordings.moved, { number, town: log.town }, weight);
  }
  return random.chance(0.6) ? addToSum(random) : addParcel(random, log);
}

/** A note that changes no sum. */
export function drawHarmless(random: Random): string {
  const values = { helper: inventName(random), hour: random.int(5, 9) };
  return fillIn(drawWording(random, wordings.harmless), values);
}

/** The form in which a writer puts a name under a note; whichever it is, the note ends with the name. */
export function drawForm(random: Random): string {
  return drawWording(random, wordings.signed);
}

export function sign(form: string, text: string, name: string): string {
  return fillIn(form, { text, name });
}
