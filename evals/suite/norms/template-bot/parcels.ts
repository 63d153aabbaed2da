/** Notes about parcels and the later messages that change them. */
import { findDate } from './text-tools.ts';

export interface Parcel {
  readonly mark: string;
  town: string;
  readonly goods: string;
  kg: number;
  day: string;
  readonly fragile: boolean;
}

const MARK = '(?<mark>[A-Z]+-\\d+)';
const DAY = '(?<day>\\d{4}-\\d\\d-\\d\\d|\\d{1,2} [A-Z][a-z]+ \\d{4})';
const CARE = '(?<care>[a-z ]+)';

const FORMS = [
  `${MARK} is for (?<town>\\w+): (?<goods>\\w+), (?<kg>\\d+) kg, due on ${DAY}; ${CARE}\\.`,
  `There is a parcel of (?<goods>\\w+), (?<kg>\\d+) kg on the scales, marked ${MARK}: ${CARE}, to reach (?<town>\\w+) by ${DAY}\\.`,
  `By ${DAY} (?<town>\\w+) expects (?<goods>\\w+) \\(${MARK}, ${CARE}\\)\\. It weighs (?<kg>\\d+) kg\\.`,
  `(?<town>\\w+) ordered (?<goods>\\w+)\\. Mark ${MARK}, ${CARE}, (?<kg>\\d+) kg, ${DAY}\\.`,
].map((form) => new RegExp(form, 'g'));

/** One later message: it changes, moves or strikes parcels. */
function change(parcels: Map<string, Parcel>, message: string): void {
  const [first = '', second = ''] = message.match(/[A-Z]+-\d+/g) ?? [];
  const parcel = parcels.get(first);
  const closed = /still to go to (\w+) goes to (\w+)/.exec(message);
  if (closed) {
    for (const one of parcels.values()) if (one.town === closed[1]) one.town = closed[2] ?? '';
    return;
  }
  if (!parcel) return;
  const number = Number(/(\d+) kg/.exec(message.replaceAll(first, ''))?.[1] ?? '0');
  if (/mixed up/.test(message)) {
    const other = parcels.get(second);
    if (other) [parcel.town, other.town] = [other.town, parcel.town];
  } else if (/never arrived|by mistake/.test(message)) parcels.delete(first);
  else if (/is due on/.test(message)) parcel.day = findDate(message) ?? parcel.day;
  else if (/heavier/.test(message)) parcel.kg += number;
  else if (/lighter|were taken out/.test(message)) parcel.kg -= number;
  else if (/weigh/.test(message)) parcel.kg = number;
  else parcel.town = /goes to (\w+)|should read (\w+)/.exec(message)?.slice(1).find(Boolean) ?? parcel.town;
}

export function readParcels(text: string): Parcel[] {
  const parcels = new Map<string, Parcel>();
  for (const form of FORMS) {
    for (const { groups } of text.matchAll(form)) {
      const mark = groups?.['mark'] ?? '';
      parcels.set(mark, {
        mark,
        town: groups?.['town'] ?? '',
        goods: groups?.['goods'] ?? '',
        kg: Number(groups?.['kg']),
        day: findDate(groups?.['day'] ?? '') ?? '',
        fragile: !/^(not fragile|nothing fragile|it cannot break)/.test(groups?.['care'] ?? ''),
      });
    }
  }
  for (const match of text.matchAll(/^\d+\. (.*)$/gm)) change(parcels, match[1] ?? '');
  return [...parcels.values()];
}

const numberOf = (parcel: Parcel): number => Number(parcel.mark.replace(/^\D+/, ''));

/** Sorts as the text asks: by mark, by day or by weight. */
export function sorted(parcels: readonly Parcel[], text: string): Parcel[] {
  const order =
    /sorted by the number in their mark, highest first|lightest first|heaviest first|earliest first|latest first/.exec(
      text,
    )?.[0] ?? '';
  const compare = (a: Parcel, b: Parcel): number => {
    if (/highest/.test(order)) return numberOf(b) - numberOf(a);
    if (/lightest/.test(order) && a.kg !== b.kg) return a.kg - b.kg;
    if (/heaviest/.test(order) && a.kg !== b.kg) return b.kg - a.kg;
    if (/earliest/.test(order) && a.day !== b.day) return a.day < b.day ? -1 : 1;
    if (/latest/.test(order) && a.day !== b.day) return a.day > b.day ? -1 : 1;
    return numberOf(a) - numberOf(b);
  };
  return [...parcels].toSorted(compare);
}
