/** Reads notes on parcels by trying all frames and clauses, without the generator's records. */
import notes from '#evals/suite/tasks/structured/notes.json' with { type: 'json' };
import { patternOf } from './read-wordings.ts';

export interface ReadParcel {
  id: string;
  goods: string;
  town: string;
  weight: number;
  due: string;
  fragile: boolean;
}

const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const day = notes.days
  .map((form) =>
    form
      .replace(/^the/, '[Tt]he')
      .replace('{year}', '\\d{4}')
      .replace('{mm}-{dd}', '\\d\\d-\\d\\d')
      .replace('{d}', '\\d{1,2}')
      .replace('{nth}', '\\d{1,2}(?:st|nd|rd|th)')
      .replace(/\{mon(?:th)?\}/, '[A-Z][a-z]+'),
  )
  .join('|');
const weight = `\\d+ (?:${notes.units.join('|')})\\b`;

/** What a place of a wording looks like. */
const placePatterns: Readonly<Record<string, string>> = {
  id: '[A-Z]{2}-\\d{3}',
  second: '[A-Z]{2}-\\d{3}',
  ...places('town from to place home person idler other', '[A-Z][a-z]+\\b'),
  ...places('goods stuff', '[a-z]+\\b'),
  ...places('few some', '\\d+\\b'),
  month: '[A-Z][a-z]+\\b',
};

function places(names: string, pattern: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, pattern]));
}

export const valuePatterns: Readonly<Record<string, string>> = {
  ...placePatterns,
  weight,
  by: weight,
  mass: weight,
  day,
  past: day,
  date: day,
};

export type Form = 'phrases' | 'verbs' | 'clauses';
type Slot = Form | 'sentences';
/** What a text states, as far as it was read. */
type Reading = Readonly<Record<string, string>>;
type Found = readonly { readonly end: number; readonly reading: Reading }[];

/** A wording of one fact. */
interface Clause {
  /** What it states beyond its places. */
  readonly states: Reading;
  readonly form: Form;
  readonly wording: string;
}

export const clauses: readonly Clause[] = Object.entries(notes.facts).flatMap(([fact, forms]) => {
  const isCare = fact === 'fragile' || fact === 'sturdy';
  const states = isCare ? { care: fact } : fact === 'aside' ? { aside: 'said' } : {};
  return (['phrases', 'verbs', 'clauses'] as const).flatMap((form) =>
    forms[form].map((wording) => ({ states, form, wording })),
  );
});

const separators: Readonly<Record<Slot, readonly string[]>> = {
  phrases: [', '],
  verbs: [', ', ' and '],
  clauses: ['; '],
  sentences: [' '],
};

const compiled = new Map<string, RegExp>();

/** Where the wording ends if it starts at `at`; nothing if it repeats a fact. */
function readWording(
  text: string,
  at: number,
  wording: string,
  reading: Reading,
  states: Reading = {},
): Found {
  const pattern = compiled.get(wording) ?? new RegExp(patternOf(wording, valuePatterns), 'y');
  compiled.set(wording, pattern);
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const stated: Reading = { ...match?.groups, ...states };
  if (match === null || Object.keys(stated).some((fact) => fact in reading)) return [];
  return [{ end: at + match[0].length, reading: { ...reading, ...stated } }];
}

function readClause(text: string, at: number, slot: Slot, reading: Reading): Found {
  return clauses.flatMap(({ form, wording, states }) => {
    if (slot !== 'sentences') {
      return form === slot ? readWording(text, at, wording, reading, states) : [];
    }
    const said = `${wording.charAt(0).toUpperCase()}${wording.slice(1)}.`;
    return form === 'clauses' ? readWording(text, at, said, reading, states) : [];
  });
}

/** One clause or more. */
function readSlot(text: string, at: number, slot: Slot, reading: Reading): Found {
  return readClause(text, at, slot, reading).flatMap((found) => [
    found,
    ...separators[slot]
      .filter((separator) => text.startsWith(separator, found.end))
      .flatMap((separator) => readSlot(text, found.end + separator.length, slot, found.reading)),
  ]);
}

function readPart(text: string, at: number, part: string, reading: Reading): Found {
  switch (part) {
    case '{care}':
      return Object.entries(notes.care).flatMap(([care, texts]) =>
        texts.flatMap((wording) => readWording(text, at, wording, reading, { care })),
      );
    case '{phrases}':
      return readSlot(text, at, 'phrases', reading);
    case '{verbs}':
      return readSlot(text, at, 'verbs', reading);
    case '{clauses}':
      return readSlot(text, at, 'clauses', reading);
    case '{sentences}':
      return readSlot(text, at, 'sentences', reading);
    default:
      return readWording(text, at, part, reading);
  }
}

function readFrame(text: string, from: number, frame: string): Found {
  return frame
    .split(/(\{(?:care|phrases|verbs|clauses|sentences)\})/)
    .reduce<Found>(
      (found, part) => found.flatMap(({ end, reading }) => readPart(text, end, part, reading)),
      [{ end: from, reading: {} }],
    )
    .filter(({ reading }) =>
      ['id', 'town', 'goods', 'weight', 'day', 'care'].every((fact) => fact in reading),
    )
    .flatMap((whole) => [
      whole,
      ...(text[whole.end] === ' ' ? readClause(text, whole.end + 1, 'sentences', whole.reading) : []),
    ]);
}

/** The parcels of notes that follow each other, with remarks in between. */
export function readNotes(text: string): ReadParcel[] {
  const parcels: ReadParcel[] = [];
  for (let at = 0; at < text.length;) {
    const found = [
      ...notes.frames.flatMap((frame) => readFrame(text, at, frame)),
      ...notes.remarks.flatMap((remark) => readWording(text, at, remark, {})),
    ];
    const end = Math.max(...found.map((one) => one.end));
    const readings = found.filter((one) => one.end === end).map(({ reading }) => parcelOf(reading));
    const [first, ...others] = new Set(readings.map((parcel) => JSON.stringify(parcel)));
    if (first === undefined || others.length > 0) {
      throw new Error(`${others.length + 1} readings of ${text.slice(at, at + 300)}`);
    }
    const [parcel = null] = readings;
    if (parcel !== null) parcels.push(parcel);
    at = end + (/^\s+/.exec(text.slice(end))?.[0].length ?? 0);
  }
  return parcels;
}

/** Null for a remark. */
function parcelOf({ id, town = '', goods = '', weight: kilograms = '', day: due = '', care }: Reading) {
  if (id === undefined) return null;
  const fragile = care === 'fragile';
  return { id, goods, town, weight: Number.parseInt(kilograms, 10), due: isoDay(due), fragile };
}

export function isoDay(text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  const year = /\d{4}/.exec(text)?.[0] ?? '';
  const date = /\b\d{1,2}(?!\d)/.exec(text)?.[0] ?? '';
  const month = monthNames.findIndex((name) => text.includes(name)) + 1;
  return [year, String(month).padStart(2, '0'), date.padStart(2, '0')].join('-');
}
