/**
 * The tables that a move copies, and the form in which their rows travel: one line of JSON per row, with the values in
 * the order of the columns. Both stores write the same line for the same row, so a line can be inserted into either, and
 * the checksums of a table can be compared.
 */
import { type Column, getTableColumns, getTableName } from 'drizzle-orm';
import type { Dialect } from '../dialect.ts';
import { postgresTables } from '../schema/postgres.ts';

type Kind = 'text' | 'uuid' | 'json' | 'integer' | 'flag' | 'instant' | 'real';

interface MovedColumn {
  readonly name: string;
  readonly kind: Kind;
}

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** The column that the store numbers; null if there is none. */
  readonly numbered: string | null;
}

const kindOfType: Readonly<Record<string, Kind>> = {
  text: 'text',
  'text collate "C"': 'text',
  uuid: 'uuid',
  json: 'json',
  integer: 'integer',
  bigint: 'integer',
  boolean: 'flag',
  'timestamp (3) with time zone': 'instant',
  'double precision': 'real',
};

export const movedTables: readonly MovedTable[] = Object.values(postgresTables).map((table) => {
  const columns = Object.values<Column>(getTableColumns(table));
  return {
    name: getTableName(table),
    columns: columns.map((column) => ({ name: column.name, kind: kindOf(column) })),
    numbered: columns.find(isNumbered)?.name ?? null,
  };
});

function kindOf(column: Column): Kind {
  const kind = kindOfType[column.getSQLType()];
  if (kind === undefined) throw new Error(`A move cannot copy a column of type ${column.getSQLType()}.`);
  return kind;
}

/** `rowNumber` of the column kit. */
function isNumbered(column: Column): boolean {
  return column.primary && column.getSQLType() === 'bigint';
}

/** The JSON of a value, as text. */
const written: Readonly<Record<Dialect, Readonly<Record<Kind, (column: string) => string>>>> = {
  sqlite: {
    text: (column) => `json_quote(${column})`,
    uuid: (column) => `json_quote(${column})`,
    json: (column) => `json_quote(${column})`,
    integer: (column) => `coalesce(${column}, 'null')`,
    flag: (column) => `coalesce(${column}, 'null')`,
    instant: (column) => `coalesce(${column}, 'null')`,
    real: (column) => column,
  },
  postgres: {
    text: (column) => `coalesce(to_json(${column})::text, 'null')`,
    uuid: (column) => `coalesce('"' || ${column}::text || '"', 'null')`,
    // The text as it was stored, with the order of its fields.
    json: (column) => `coalesce(to_json(${column}::text)::text, 'null')`,
    integer: (column) => `coalesce(${column}::text, 'null')`,
    flag: (column) => `coalesce(${column}::int::text, 'null')`,
    instant: (column) => `coalesce((extract(epoch from ${column}) * 1000)::bigint::text, 'null')`,
    real: (column) => `${column}::text`,
  },
};

/**
 * The statement that reads a table as lines. The stores write real numbers differently, so these come as values of their
 * own between the parts of a line; see {@link lineOf}.
 */
export function readStatement({ name, columns }: MovedTable, dialect: Dialect): string {
  const parts: string[] = [];
  let part: string[] = [];
  const endPart = (opens: string, closes: string): void => {
    const inner = part.join(` || ',' || `);
    parts.push([`'${opens}'`, ...(inner === '' ? [] : [inner]), `'${closes}'`].join(' || '));
    part = [];
  };
  let opens = '[';
  for (const { name: column, kind } of columns) {
    const value = written[dialect][kind](`"${column}"`);
    if (kind === 'real') {
      endPart(opens, part.length === 0 ? '' : ',');
      parts.push(value);
      opens = '';
      part.push(`''`);
    } else part.push(value);
  }
  endPart(opens, ']');
  return `select ${parts.map((text, index) => `${text} as p${index}`).join(', ')} from "${name}"`;
}

/** @param parts a row of {@link readStatement}: text, then a real number and text, and so on */
export function lineOf(parts: readonly unknown[]): string {
  if (parts.length === 1) return String(parts[0]);
  return parts
    .map((part, index) => (index % 2 === 0 || part === null ? String(part) : String(Number(part))))
    .join('');
}

const read: Readonly<Record<Kind, (value: string) => string>> = {
  text: (value) => value,
  uuid: (value) => `(${value})::uuid`,
  json: (value) => `(${value})::json`,
  integer: (value) => `(${value})::bigint`,
  flag: (value) => `(${value})::int::boolean`,
  // Exact: milliseconds since 1970 fit into a double as microseconds.
  instant: (value) => `timestamptz 'epoch' + (${value})::bigint * interval '1 millisecond'`,
  real: (value) => `(${value})::double precision`,
};

/** Inserts the lines in its only parameter, a JSON array, into a table on Postgres. */
export function postgresInsert({ name, columns }: MovedTable): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const values = columns.map(({ kind }, index) => read[kind](`v->>${index}`)).join(', ');
  return `insert into "${name}" (${names}) select ${values} from jsonb_array_elements($1::text::jsonb) as v`;
}

/** Inserts one row into a table on SQLite. */
export function sqliteInsert({ name, columns }: MovedTable): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  return `insert into "${name}" (${names}) values (${columns.map(() => '?').join(', ')})`;
}

/** Sums up lines in any order. */
export class TableSum {
  rows = 0;
  #sum = 0n;

  add(line: string): void {
    this.rows += 1;
    this.#sum = BigInt.asUintN(64, this.#sum + Bun.hash.xxHash64(line));
  }

  get checksum(): string {
    return this.#sum.toString(16).padStart(16, '0');
  }
}
