/** Reads the parcels and corrections out of a prompt, without the generator's records. */

export interface ReadParcel {
  id: string;
  goods: string;
  town: string;
  weight: number;
  due: string;
  fragile: boolean;
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

const id = '(?<id>[A-Z]{2}-\\d{3})';
const town = '(?<town>[A-Z][a-z]+)';
const goods = '(?<goods>[a-z]+)';
const weight = '(?<weight>\\d+) kg';
const due = '(?<due>\\d{4}-\\d\\d-\\d\\d|\\d+ [A-Z][a-z]+ \\d{4})';
const care = '(?<care>handle with care|it breaks easily|fragile|nothing fragile|it cannot break|not fragile)';

const notes = [
  `${id} is for ${town}: ${goods}, ${weight}, due on ${due}; ${care}\\.`,
  `By ${due} ${town} expects ${goods} \\(${id}, ${care}\\)\\. It weighs ${weight}\\.`,
  `There is a parcel of ${goods}, ${weight} on the scales, marked ${id}: ${care}, to reach ${town} by ${due}\\.`,
  `${town} ordered ${goods}\\. Mark ${id}, ${care}, ${weight}, ${due}\\.`,
].map((pattern) => new RegExp(pattern, 'g'));

type Change = (parcels: ReadParcel[], found: Record<string, string>) => ReadParcel[];

const setOn = (
  fields: (parcel: ReadParcel, found: Record<string, string>) => Partial<ReadParcel>,
): Change => {
  return (parcels, found) =>
    parcels.map((parcel) => (parcel.id === found['id'] ? { ...parcel, ...fields(parcel, found) } : parcel));
};

const setWeight = setOn((_parcel, found) => ({ weight: Number(found['weight']) }));
const setTown = setOn((_parcel, found) => ({ town: found['town'] ?? '' }));
const drop: Change = (parcels, found) => parcels.filter((parcel) => parcel.id !== found['id']);

const changes: readonly (readonly [string, Change])[] = [
  [`The weight of ${id} was misread\\. It is ${weight}\\.`, setWeight],
  [`${id} weighs ${weight}, not \\d+ kg\\.`, setWeight],
  [
    `Something was added to ${id}: it is now ${weight} heavier`,
    setOn((parcel, found) => ({ weight: parcel.weight + Number(found['weight']) })),
  ],
  [
    `${weight} were taken out of ${id};`,
    setOn((parcel, found) => ({ weight: parcel.weight - Number(found['weight']) })),
  ],
  [`${id} goes to ${town} after all`, setTown],
  [`The town of ${id} should read ${town}\\.`, setTown],
  [`${id} is due on ${due} instead`, setOn((_parcel, found) => ({ due: isoDay(found['due'] ?? '') }))],
  [`${id} was entered by mistake`, drop],
  [`Strike ${id}:`, drop],
  [
    `The towns of ${id} and (?<other>[A-Z]{2}-\\d{3}) were mixed up`,
    (parcels, found) => {
      const townOf = (wanted: string | undefined) =>
        parcels.find((parcel) => parcel.id === wanted)?.town ?? '';
      const [left, right] = [townOf(found['id']), townOf(found['other'])];
      return parcels.map((parcel) =>
        parcel.id === found['id']
          ? { ...parcel, town: right }
          : parcel.id === found['other']
            ? { ...parcel, town: left }
            : parcel,
      );
    },
  ],
  [
    `All that is still to go to ${town} goes to (?<to>[A-Z][a-z]+)\\.`,
    (parcels, found) =>
      parcels.map((parcel) =>
        parcel.town === found['town'] ? { ...parcel, town: found['to'] ?? '' } : parcel,
      ),
  ],
];

/** The parcels after all corrections. */
export function readParcels(prompt: string): ReadParcel[] {
  let parcels = notes.flatMap((pattern) =>
    [...prompt.matchAll(pattern)].map(({ groups = {} }): ReadParcel => ({
      id: groups['id'] ?? '',
      goods: groups['goods'] ?? '',
      town: groups['town'] ?? '',
      weight: Number(groups['weight']),
      due: isoDay(groups['due'] ?? ''),
      fragile: ['handle with care', 'it breaks easily', 'fragile'].includes(groups['care'] ?? ''),
    })),
  );
  for (const line of prompt.match(/^\d+\. .+$/gm) ?? []) {
    const [found, ...others] = changes.flatMap(([pattern, change]) => {
      const match = new RegExp(pattern).exec(line);
      return match === null ? [] : [{ change, groups: { ...match.groups } }];
    });
    if (found === undefined || others.length > 0) throw new Error(`This correction is not clear: ${line}`);
    parcels = found.change(parcels, found.groups);
  }
  return parcels;
}

function isoDay(day: string): string {
  if (/^\d{4}-/.test(day)) return day;
  const [date = '', month = '', year = ''] = day.split(' ');
  return `${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${date.padStart(2, '0')}`;
}
