/** Writes the documents of the structured tasks from their prompts alone. */
import requests from '#evals/suite/tasks/structured/requests.json' with { type: 'json' };
import { findAll, matchesOf, onlyKey } from './read-wordings.ts';
import { readParcels } from './parcels-again.ts';
import type { ReadParcel } from './read-notes.ts';

const numberOf = ({ id }: ReadParcel) => Number(id.slice(3));
const byNumber = (left: ReadParcel, right: ReadParcel) => numberOf(left) - numberOf(right);
const compare: Readonly<Record<string, (left: ReadParcel, right: ReadParcel) => number>> = {
  up: byNumber,
  down: (left, right) => byNumber(right, left),
  light: (left, right) => left.weight - right.weight || byNumber(left, right),
  early: (left, right) => left.due.localeCompare(right.due) || byNumber(left, right),
};

/** The names of goods that the sentence about them lists. */
function namesIn(prompt: string, texts: readonly string[]): readonly string[] {
  const places = { names: '[a-z]+(?:, [a-z]+)*', goods: String.raw`\{goods\}` };
  const [found, ...others] = findAll(prompt, texts, places);
  if (found === undefined || others.length > 0) throw new Error('The names of goods are not clear.');
  return found.values['names']?.split(', ') ?? [];
}

function sortAsAsked(prompt: string, goods: readonly string[] = requests.contents): ReadParcel[] {
  const request = prompt.split('\n')[0] ?? '';
  const order = onlyKey(requests.orders, (text) => request.includes(text), request);
  return readParcels(prompt, namesIn(prompt, goods)).toSorted(compare[order]);
}

const sum = (parcels: readonly ReadParcel[]) => parcels.reduce((total, { weight }) => total + weight, 0);

const fieldOf: Readonly<Record<string, (parcel: ReadParcel) => string | number | boolean>> = {
  mark: ({ id }) => id,
  goods: ({ goods }) => goods,
  town: ({ town }) => town,
  weight: ({ weight }) => weight,
  due: ({ due }) => due,
  fragile: ({ fragile }) => fragile,
};

export function solveExtract(prompt: string): string {
  const { layouts, fields } = requests.extract;
  const keys = (prompt.split('\n\n')[0] ?? '')
    .split('\n')
    .slice(1)
    .map((line) => {
      const found = matchesOf(layouts, line, { name: '[a-z]+', text: '.+' });
      const meanings = found.flatMap(({ name = '', text }) =>
        Object.entries(fields).flatMap(([field, texts]) =>
          texts.some((wording) => wording === text) ? [[name, field] as const] : [],
        ),
      );
      const [meaning, ...others] = new Map(meanings.map((one) => [one.join(), one])).values();
      if (meaning === undefined || others.length > 0) throw new Error(`This key is not clear: ${line}`);
      return meaning;
    });
  return JSON.stringify(
    sortAsAsked(prompt).map((parcel) =>
      Object.fromEntries(keys.map(([name, field]) => [name, fieldOf[field]?.(parcel)])),
    ),
  );
}

const cellOf: Readonly<Record<string, (parcel: ReadParcel) => string>> = {
  town: ({ town }) => town,
  goods: ({ goods }) => goods,
  due: ({ due }) => due,
  fragile: ({ fragile }) => (fragile ? 'yes' : 'no'),
  label: ({ town, goods }) => `"${town}, ${goods}"`,
  note: ({ goods }) => `"""${goods}"""`,
};

export function solveTable(prompt: string): string {
  const { headers, columns } = requests.table;
  const request = prompt.split('\n\n')[0] ?? '';
  const [found] = headers.flatMap((header) =>
    matchesOf([`{before} ${header} {after}`], request, {
      before: '.+?',
      names: '[a-z, ]+',
      meanings: '.+?',
      after: '[A-Z].+',
    }),
  );
  const names = found?.['names']?.split(', ') ?? [];
  const meanings = found?.['meanings']?.split('; ').slice(1, -1) ?? [];
  const cells = meanings.map((meaning) => {
    const [, name = '', text = ''] = /^([a-z]+) \((.+)\)$/.exec(meaning) ?? [];
    const lists = Object.fromEntries(Object.entries(columns).map(([key, { texts }]) => [key, texts]));
    const key = onlyKey(lists, (wording) => wording === text, meaning);
    return { name, cell: cellOf[key] };
  });
  const parcels = sortAsAsked(prompt);
  const lineOf = (parcel: ReadParcel) => [
    parcel.id,
    ...cells.map(({ cell }) => cell?.(parcel)),
    parcel.weight,
  ];
  return [
    names.join(','),
    ...parcels.map((parcel) => lineOf(parcel).join(',')),
    `total${','.repeat(names.length - 1)}${sum(parcels)}`,
  ].join('\n');
}

interface Schema {
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The keys of a schema's properties, in the order of its text. */
function keysOf({ properties = {} }: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(properties);
}

export function solveSchema(prompt: string): string {
  const texts = requests.schema;
  const said = (schema: Schema, some: readonly string[]) => some.includes(schema.description ?? '?');
  const whole = JSON.parse(/^\{.+\}$/m.exec(prompt)?.[0] ?? '{}') as Schema;
  const [count, groups] = keysOf(whole);
  const [group, total, items] = keysOf(groups?.[1].items ?? {});
  const [, due, goods, care] = keysOf(items?.[1].items ?? {});
  if (!count || !groups || !group || !total || !items || !due || !goods || !care)
    throw new Error('No schema was found.');
  const isByTown = said(groups[1], texts.by_town);
  const [codes = {}] = matchesOf(texts.care, care[1].description ?? '', {
    fragile: '[A-Z]',
    sturdy: '[A-Z]',
  });
  const rightly =
    said(count[1], texts.count) &&
    said(groups[1], isByTown ? texts.by_town : texts.by_year) &&
    said(group[1], isByTown ? texts.town : texts.year) &&
    said(total[1], texts.sum) &&
    said(items[1], texts.items) &&
    said(goods[1], texts.goods);
  if (!rightly) throw new Error('A description is not clear.');
  const parcels = readParcels(prompt, goods[1].enum ?? []).toSorted(byNumber);
  const nameOf = (parcel: ReadParcel) => (isByTown ? parcel.town : Number(parcel.due.slice(0, 4)));
  const names = [...new Set(parcels.map(nameOf))].toSorted((left, right) => (left < right ? -1 : 1));
  const documents = names.map((name) => {
    const members = parcels.filter((parcel) => nameOf(parcel) === name);
    const entries = members.map((parcel) => ({
      mark: parcel.id,
      [due[0]]: said(due[1], texts.day_number) ? Number(parcel.due.replaceAll('-', '')) : parcel.due,
      [goods[0]]: parcel.goods,
      [care[0]]: codes[parcel.fragile ? 'fragile' : 'sturdy'],
    }));
    return { [group[0]]: name, [total[0]]: sum(members), [items[0]]: entries };
  });
  return JSON.stringify({ [count[0]]: parcels.length, [groups[0]]: documents });
}

export function solveTemplate(prompt: string): string {
  const { patterns, goods, signs, last_lines: lastLines, day, town, sign, last } = requests.template;
  const [, pattern = '', rule = ''] = prompt.split('\n');
  if (!patterns.includes(pattern) || !day.some((text) => rule.includes(text))) {
    throw new Error(`This pattern is not clear: ${pattern} ${rule}`);
  }
  const drawn = (texts: readonly string[], values: readonly string[], place: string) =>
    values.find((value) => texts.some((text) => rule.includes(text.replace(place, value)))) ?? '';
  const isUpper = town.some((text) => rule.includes(text));
  const parcels = sortAsAsked(prompt, goods);
  const lines = parcels.map((parcel) => {
    const values: Readonly<Record<string, string>> = {
      mark: parcel.id,
      goods: parcel.goods,
      town: isUpper ? parcel.town.toUpperCase() : parcel.town,
      kg: String(parcel.weight),
      day: parcel.due.split('-').toReversed().join('.'),
    };
    const line = pattern.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => values[name] ?? '');
    return parcel.fragile ? `${drawn(sign, signs, '{sign}')} ${line}` : line;
  });
  const careful = parcels.filter(({ fragile }) => fragile).length;
  const closing = drawn(last, lastLines, '{last}');
  return [...lines, `${closing}: parcels ${parcels.length}, fragile ${careful}, kg ${sum(parcels)}`].join(
    '\n',
  );
}
