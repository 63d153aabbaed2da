/** Reads the parcels and corrections out of a prompt, without the generator's records. */
import { goods } from '#evals/suite/language/goods.ts';
import corrections from '#evals/suite/tasks/structured/corrections.json' with { type: 'json' };
import notes from '#evals/suite/tasks/structured/notes.json' with { type: 'json' };
import { matchesOf, patternOf } from './read-wordings.ts';
import { isoDay, readNotes, type ReadParcel, valuePatterns } from './read-notes.ts';

type Values = Readonly<Record<string, string>>;
type Change = (parcels: readonly ReadParcel[], values: Values) => readonly ReadParcel[];

const setOn = (fields: (parcel: ReadParcel, values: Values) => Partial<ReadParcel>): Change => {
  return (parcels, values) =>
    parcels.map((parcel) => (parcel.id === values['id'] ? { ...parcel, ...fields(parcel, values) } : parcel));
};

const changes: Readonly<Record<keyof typeof corrections.kinds, Change>> = {
  weight: setOn((_parcel, values) => ({ weight: kilograms(values['weight']) })),
  heavier: setOn(({ weight }, values) => ({ weight: weight + kilograms(values['by']) })),
  lighter: setOn(({ weight }, values) => ({ weight: weight - kilograms(values['by']) })),
  town: setOn((_parcel, values) => ({ town: values['town'] ?? '' })),
  goods: setOn((_parcel, values) => ({ goods: values['goods'] ?? '' })),
  day: setOn((_parcel, values) => ({ due: isoDay(values['day'] ?? '') })),
  drop: (parcels, values) => parcels.filter(({ id }) => id !== values['id']),
  swap: (parcels, { id, second }) => {
    const townOf = (wanted: string | undefined) => parcels.find((one) => one.id === wanted)?.town ?? '';
    const towns = new Map([
      [id, townOf(second)],
      [second, townOf(id)],
    ]);
    return parcels.map((parcel) => ({ ...parcel, town: towns.get(parcel.id) ?? parcel.town }));
  },
  move: (parcels, { from = '', to = '' }) =>
    parcels.map((parcel) => (parcel.town === from ? { ...parcel, town: to } : parcel)),
};

/** What is replaced by a correction: another place of the kind for a weight, a town, goods or a day. */
export function correctionPatterns(kind: string): Readonly<Record<string, string>> {
  return { ...valuePatterns, old: valuePatterns[kind] ?? '' };
}

function kilograms(text = ''): number {
  return Number.parseInt(text, 10);
}

function readCorrection(line: string): { readonly change: Change; readonly values: Values } {
  const [found, ...others] = Object.entries(corrections.kinds).flatMap(([kind, texts]) =>
    corrections.marks.flatMap((mark) => {
      const prefix = new RegExp(`^${patternOf(mark, { n: '\\d+' })}`).exec(line);
      if (prefix === null) return [];
      const change = Object.entries(changes).find(([name]) => name === kind)?.[1];
      return matchesOf(texts, line.slice(prefix[0].length), correctionPatterns(kind)).flatMap((values) =>
        change === undefined ? [] : [{ change, values }],
      );
    }),
  );
  if (found === undefined || others.length > 0) throw new Error(`This correction is not clear: ${line}`);
  return found;
}

/** The notes and the lines of corrections, by the headings over them. */
function findMaterial(prompt: string): { readonly told: string; readonly later: readonly string[] } {
  const blocks = prompt.split('\n\n').map((block) => block.split('\n'));
  const under = (headings: readonly string[]) =>
    blocks.find(([first = '']) => headings.includes(first))?.slice(1) ?? [];
  const lines = under(notes.headings);
  const bullets = notes.layouts.filter((bullet) => bullet.trim() !== '');
  const told = lines.map((line) =>
    line.slice(bullets.find((bullet) => line.startsWith(bullet))?.length ?? 0),
  );
  return { told: told.join('\n'), later: under([...corrections.headings, ...corrections.one]) };
}

const phrases = goods
  .flatMap((one) => one.phrases.map((phrase) => ({ phrase, name: one.name })))
  .toSorted((left, right) => right.phrase.length - left.phrase.length);

/** The prompt with a name instead of each phrase. */
function nameGoods(prompt: string): string {
  return phrases
    .filter(({ phrase }) => prompt.includes(phrase))
    .reduce((text, { phrase, name }) => text.replaceAll(new RegExp(`\\b${phrase}\\b`, 'g'), name), prompt);
}

/**
 * The parcels after all corrections.
 *
 * @param names the words of which one names the contents of a parcel
 */
export function readParcels(prompt: string, names: readonly string[]): readonly ReadParcel[] {
  const { told, later } = findMaterial(nameGoods(prompt));
  const read = later
    .map(readCorrection)
    .reduce<readonly ReadParcel[]>((parcels, { change, values }) => change(parcels, values), readNotes(told));
  const unnamed = read.filter((parcel) => !names.includes(parcel.goods));
  if (unnamed.length > 0) throw new Error(`No word of the list fits ${JSON.stringify(unnamed)}.`);
  return read;
}
