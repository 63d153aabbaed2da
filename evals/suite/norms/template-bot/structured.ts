/** The four output forms for parcels: a JSON array, a document with a schema, a table, and lines. */
import { type Parcel, readParcels, sorted } from './parcels.ts';

const total = (parcels: readonly Parcel[]): number => parcels.reduce((sum, { kg }) => sum + kg, 0);

function field(parcel: Parcel, meaning: string): string | number | boolean {
  if (/weigh/.test(meaning)) return parcel.kg;
  if (/fragile/.test(meaning)) return parcel.fragile;
  if (/where it goes|town/.test(meaning)) return parcel.town;
  if (/what is in it/.test(meaning)) return parcel.goods;
  if (/due/.test(meaning)) return parcel.day;
  return parcel.mark;
}

export function extract(text: string): string | undefined {
  if (!/JSON array/.test(text)) return undefined;
  const keys = [...text.matchAll(/^- "(\w+)": (.*)$/gm)].map(
    (match) => [match[1] ?? '', match[2] ?? ''] as const,
  );
  const rows = sorted(readParcels(text), text);
  return JSON.stringify(
    rows.map((parcel) => Object.fromEntries(keys.map(([key, meaning]) => [key, field(parcel, meaning)]))),
  );
}

/** The keys of a schema's object with their descriptions, read from its flat text. */
function parts(schema: string): string[] {
  const names = [...schema.matchAll(/"(\w+)":\{"(?:type|enum)"/g)].map((match) => match[1] ?? '');
  return names.filter((name) => name !== 'items' || /"items":\{"type":"array"/.test(schema));
}

export function schemaDocument(text: string): string | undefined {
  const schema = /^\{"type":"object".*$/m.exec(text)?.[0];
  if (!schema) return undefined;
  const lists = [...schema.matchAll(/"(\w+)":\{"type":"array"/g)].map((match) => match[1] ?? '');
  const [outer = '', inner = ''] = lists;
  const names = parts(schema).filter((name) => !lists.includes(name));
  const [count = '', group = '', load = '', mark = '', day = '', code = ''] = names.filter(
    (name) => name !== 'items',
  );
  const codes = /"enum":\["(\w+)","(\w+)"\],"description":"(\w+) if it is fragile/.exec(schema);
  const plain = codes?.[1] === codes?.[3] ? codes?.[2] : codes?.[1];
  const byYear = /the year in which/.test(schema);
  const dayNumber = /such as \d{8}/.test(schema);
  const highest = /number in the mark, highest first/.test(schema);
  const groups = new Map<string, Parcel[]>();
  for (const parcel of sorted(
    readParcels(text),
    highest ? 'sorted by the number in their mark, highest first' : '',
  )) {
    const name = byYear ? parcel.day.slice(0, 4) : parcel.town;
    groups.set(name, [...(groups.get(name) ?? []), parcel]);
  }
  const order = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (/latest first|reverse alphabetical/.test(schema)) order.reverse();
  const rows = order.map(([name, parcels]) => ({
    [group]: byYear ? Number(name) : name,
    [load]: total(parcels),
    [inner]: parcels.map((parcel) => ({
      [mark]: parcel.mark,
      [day]: dayNumber ? Number(parcel.day.replaceAll('-', '')) : parcel.day,
      [code]: parcel.fragile ? codes?.[3] : plain,
    })),
  }));
  const all = order.reduce((sum, [, parcels]) => sum + parcels.length, 0);
  return JSON.stringify({ [count]: all, [outer]: rows });
}

const quoted = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function cell(parcel: Parcel, column: string, meanings: string): string {
  const meaning = new RegExp(`\\b${column} \\(([^)]*)\\)`).exec(meanings)?.[1] ?? column;
  if (/yes or no/.test(meaning)) return parcel.fragile ? 'yes' : 'no';
  if (/town, comma/.test(meaning)) return quoted(`${parcel.town}, ${parcel.goods}`);
  if (/quotation marks/.test(meaning)) return quoted(`"${parcel.goods}"`);
  if (/what is in it/.test(meaning)) return parcel.goods;
  if (/day/.test(meaning)) return parcel.day;
  if (/town/.test(meaning)) return parcel.town;
  return column === 'mark' ? parcel.mark : String(parcel.kg);
}

export function table(text: string): string | undefined {
  const columns = /Its header names the columns (.*?)\./.exec(text)?.[1]?.split('; ');
  if (!columns) return undefined;
  const meanings = /They hold: (.*)$/m.exec(text)?.[1] ?? '';
  const rows = sorted(readParcels(text), text);
  const lines = rows.map((parcel) => columns.map((column) => cell(parcel, column, meanings)).join(','));
  const last = columns.map((_, at) =>
    at === 0 ? 'total' : at === columns.length - 1 ? String(total(rows)) : '',
  );
  return [columns.join(','), ...lines, last.join(',')].join('\n');
}

export function lines(text: string): string | undefined {
  const pattern = /^.*\{mark\}.*$/m.exec(text)?.[0];
  const closing = /The last line is "(.*?)", where/.exec(text)?.[1];
  if (!pattern || !closing) return undefined;
  const rows = sorted(readParcels(text), text);
  const flag = /line of a fragile parcel starts with "(.*?)"/.exec(text)?.[1] ?? '';
  const capitals = /\{town\} is written in capital letters/.test(text);
  const body = rows.map((parcel) => {
    const fields: Readonly<Record<string, string>> = {
      mark: parcel.mark,
      goods: parcel.goods,
      kg: String(parcel.kg),
      town: capitals ? parcel.town.toUpperCase() : parcel.town,
      day: parcel.day.split('-').toReversed().join('.'),
    };
    return (
      (parcel.fragile ? flag : '') + pattern.replace(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? '')
    );
  });
  const fragile = rows.filter((parcel) => parcel.fragile).length;
  const sums: Readonly<Record<string, string>> = {
    n: String(rows.length),
    f: String(fragile),
    w: String(total(rows)),
  };
  return [...body, closing.replace(/\{(\w+)\}/g, (_, name: string) => sums[name] ?? '')].join('\n');
}
