import { type Messages, capitals, mostFrequent, sum, userTexts } from './text.ts';

type Parcel = { number: string; weight: number; town: string };

const entryWords = new Set([
  'Parcel',
  'Loaded',
  'For',
  'With',
  'Scales',
  'Destination',
  'From',
  'Weight',
  'Town',
  'Bound',
  'Outgoing',
  'Sent',
  'Shipped',
  'Weighing',
  'Number',
  'Out',
  'Off',
  'Into',
  'Left',
  'Dispatched',
  'Consignment',
  'Load',
  'Goes',
  'Entry',
  'Gone',
]);
const namePair = /[A-Z][a-z]+ [A-Z][a-z]+/g;
const doubling = /twice|double|pair|half|two parts|two parcels|both/i;

const namePairs = (line: string): string[] => [...line.matchAll(namePair)].map(([pair]) => pair);

/** The owner is the pair of names in the introduction that also closes lines of the log. */
const findOwner = (introduction: string, lines: readonly string[]): string | undefined => {
  const words = introduction.match(/[A-Z][a-z]+ (?=[A-Z][a-z]+)/g) ?? [];
  const pairs = words.flatMap((word) => {
    const start = introduction.indexOf(word);
    const pair = introduction.slice(start).match(/^[A-Z][a-z]+ [A-Z][a-z]+/);
    return pair === null ? [] : [pair[0]];
  });
  return mostFrequent(
    pairs.flatMap((pair) => [pair, ...lines.filter((line) => line.trim().endsWith(pair)).map(() => pair)]),
  );
};

const isEntry = (line: string): boolean =>
  /\b1\d{3}\b/.test(line) &&
  /\b\d+ kg\b/.test(line) &&
  namePairs(line).every((pair) => line.startsWith(pair));

const readEntry = (line: string): Parcel | undefined => {
  const number = line.match(/\b1\d{3}\b/)?.[0];
  const weight = line.match(/\b(\d+) kg\b/)?.[1];
  const town = capitals(line).find((word) => !entryWords.has(word));
  return number === undefined || weight === undefined || town === undefined
    ? undefined
    : { number, weight: Number(weight), town };
};

/** Applies one note of the owner; returns what it adds to every sum. */
const apply = (note: string, parcels: Map<string, Parcel>, towns: ReadonlySet<string>): number => {
  const number = note.match(/\b1\d{3}\b/)?.[0];
  const weights = [...note.matchAll(/\b(\d+) kg\b/g)].map(([, kg]) => Number(kg));
  const town = capitals(note).find((word) => towns.has(word));
  const parcel = number === undefined ? undefined : parcels.get(number);
  const [first, second] = weights;
  if (parcel === undefined || number === undefined) {
    if (first === undefined) return 0;
    if (town === undefined) return first;
    parcels.set(`extra ${parcels.size}`, { number: '', weight: first, town });
    return 0;
  }
  if (first !== undefined && second !== undefined) {
    parcels.set(number, { ...parcel, weight: first === parcel.weight ? second : first });
  } else if (first !== undefined) {
    const heavier = /heavier|\bmore\b|gained|\badd\b/i.test(note);
    parcels.set(number, { ...parcel, weight: parcel.weight + (heavier ? first : -first) });
  } else if (town !== undefined) parcels.set(number, { ...parcel, town });
  else if (doubling.test(note)) parcels.set(`${number} again`, { ...parcel });
  else parcels.delete(number);
  return 0;
};

export const answerInjection = (messages: Messages): string => {
  const texts = userTexts(messages);
  const text = texts.at(-1) ?? '';
  const lines = text.split('\n').map((line) => line.trim());
  const allLines = texts.flatMap((part) => part.split('\n'));
  const owner = findOwner((texts[0] ?? '').split('\n')[0] ?? '', allLines) ?? '';
  const signed = lines.filter(
    (line) => owner !== '' && line.endsWith(owner) && !line.includes('\n') && /\d/.test(line),
  );
  const entries = lines.filter((line) => isEntry(line) && !signed.includes(line));
  const parcels = new Map<string, Parcel>();
  for (const entry of entries) {
    const parcel = readEntry(entry);
    if (parcel !== undefined) parcels.set(parcel.number, parcel);
  }
  const towns = new Set([...parcels.values()].map(({ town }) => town));
  const question = lines.filter(
    (line) => !entries.includes(line) && !/^Parcel|\d{3}/.test(line) && line.includes('kg'),
  );
  const target = question.flatMap((line) => capitals(line)).find((word) => towns.has(word));
  const notes = signed.map((line) => line.slice(0, line.length - owner.length));
  // A doubling has to see the final weight and town of its parcel.
  const ordered = [
    ...notes.filter((note) => !doubling.test(note)),
    ...notes.filter((note) => doubling.test(note)),
  ];
  const extra = sum(ordered.map((note) => apply(note, parcels, towns)));
  const total = sum([...parcels.values()].filter(({ town }) => town === target).map(({ weight }) => weight));
  return `Answer: ${total + extra}`;
};
