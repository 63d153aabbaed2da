/**
 * What Drizzle does not do: the drivers beneath its query builders, and frequent statements, which are built and prepared
 * once, and insert any number of rows. A process loads only the driver of its own store, so
 * this file has types of both and code of neither.
 */
import type { SQL as Client } from 'bun';
import type { Database as SqliteConnection } from 'bun:sqlite';
import {
  type AnyColumn,
  Column,
  fillPlaceholders,
  getTableColumns,
  is,
  SQL,
  sql,
  Subquery,
} from 'drizzle-orm';
import * as drizzleUtils from 'drizzle-orm/utils';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database, QueryBuilder, Transaction, Written } from './database.ts';
import type { Dialect } from './dialect.ts';
import { FenceLostError, fenceLostMark } from './errors.ts';
import type { Tables } from './schema/make-schema.ts';

const clients = new WeakMap<QueryBuilder, Client>();
const connections = new WeakMap<QueryBuilder, SqliteConnection>();

export function keepClient(query: QueryBuilder, client: Client): void {
  clients.set(query, client);
}

export function keepConnection(query: QueryBuilder, connection: SqliteConnection): void {
  connections.set(query, connection);
}

/** Counts what the transactions of a connection write. */
export interface WriteCounter extends Written {
  /** Called with each statement that is sent, and its parameters as the driver gets them. */
  logQuery(text: string, parameters: readonly unknown[]): void;
}

const counters = new WeakMap<QueryBuilder, WriteCounter>();

export function countWritten(query: QueryBuilder, written: WriteCounter): void {
  counters.set(query, written);
}

/** The count of the transaction behind the query builder; undefined outside transactions. */
export function writtenBy(query: QueryBuilder): WriteCounter | undefined {
  return counters.get(query);
}

/** The connection behind the query builder. */
export function connectionOf(query: QueryBuilder): SqliteConnection {
  const connection = connections.get(query);
  if (connection === undefined) throw new Error('The query builder does not use SQLite.');
  return connection;
}

/** The Postgres client behind the query builder. */
export function clientOf(query: QueryBuilder): Client {
  const client = clients.get(query);
  if (client === undefined) throw new Error('The query builder does not use Postgres.');
  return client;
}

/**
 * Builds and prepares a statement once per store handle.
 * @param prepare builds the statement, with placeholders for its values
 * @returns a function that prepares the statement of a handle on first use
 */
export function prepareOnce<Prepared>(prepare: (db: Database) => Prepared): (db: Database) => Prepared {
  // A transaction is a handle of its own, so its statements are dropped with it.
  const statements = new WeakMap<Database, Prepared>();
  return (db) => {
    const known = statements.get(db);
    if (known !== undefined) return known;
    const prepared = withRowReader(prepare(db));
    statements.set(db, prepared);
    return prepared;
  };
}

/** A prepared query of the query builder. */
export interface Executable {
  getQuery(): { readonly sql: string; readonly params: unknown[] };
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

/**
 * Like `prepareOnce`, for statements in transactions, each of which has its own handle. On Postgres, one statement
 * serves all handles: building it takes 0.1 to 0.2 ms, longer than running it.
 * @param prepare returns a prepared query that selects rows
 */
export function prepareForTransactions<Prepared extends Executable>(
  prepare: (db: Database) => Prepared,
): (db: Database) => Pick<Prepared, 'execute'> {
  // All transactions of a SQLite store use one connection, where the statement stays prepared.
  const onSqlite = new WeakMap<QueryBuilder, Prepared>();
  let onPostgres: SelectText | undefined;
  return (db) => {
    switch (db.dialect) {
      case 'sqlite': {
        const prepared = onSqlite.get(db.query) ?? withRowReader(prepare(db));
        onSqlite.set(db.query, prepared);
        return prepared;
      }
      case 'postgres': {
        onPostgres ??= selectTextOf(prepare(db));
        const { text, params, read } = onPostgres;
        // The driver recognizes the text on every connection.
        const execute = async (values: Record<string, unknown> = {}) =>
          read(await clientOf(db.query).unsafe(text, fillPlaceholders(params, values)).values());
        return { execute }; // It returns the rows that the prepared query would return.
      }
    }
  };
}

type Values = readonly unknown[];
type Decoder = Pick<AnyColumn, 'mapFromDriverValue'>;

/** What a prepared query holds to read its rows, which Drizzle declares as internal. */
interface RowReading {
  readonly fields?: readonly { readonly path: readonly string[]; readonly field: unknown }[];
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly Values[]) => readonly unknown[];
}

/**
 * Drizzle looks for what decodes a field again in every row, which takes a fifth of the time of a small read. Here it is
 * found once. Rows with nested objects, which a join may leave out, are left to Drizzle.
 */
function withRowReader<Prepared>(prepared: Prepared): Prepared {
  const reading = prepared as RowReading;
  const { fields } = reading;
  if (fields === undefined || fields.some(({ path }) => path.length > 1)) return prepared;
  const decoders = fields.map(({ path: [name = ''], field }) => ({ name, decoder: decoderOf(field) }));
  reading.customResultMapper ??= (rows) =>
    rows.map((values) => {
      const row: Record<string, unknown> = {};
      let index = 0;
      for (const { name, decoder } of decoders) {
        const value = values[index++];
        row[name] = value === null ? null : decoder.mapFromDriverValue(value);
      }
      return row;
    });
  return prepared;
}

function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) return field;
  const expression = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : (field as SQL.Aliased).sql;
  return (expression as unknown as { readonly decoder: Decoder }).decoder;
}

// Drizzle exports it, but declares it as internal.
const { mapResultRow } = drizzleUtils as unknown as {
  readonly mapResultRow: (fields: unknown, row: Values, joinsNotNullableMap: unknown) => unknown;
};

interface SelectText {
  readonly text: string;
  readonly params: unknown[];
  readonly read: (rows: readonly Values[]) => readonly unknown[];
}

function selectTextOf(prepared: Executable): SelectText {
  const { sql: text, params } = prepared.getQuery();
  const { fields, joinsNotNullableMap, customResultMapper } = withRowReader(prepared) as RowReading;
  const read = (rows: readonly Values[]) => rows.map((row) => mapResultRow(fields, row, joinsNotNullableMap));
  return { text, params, read: customResultMapper ?? read };
}

/** Packs a whole list into one parameter. */
export function listParameter(values: readonly (string | readonly string[])[]): string {
  return JSON.stringify(values);
}

type NeverNull<Row> = { [Field in keyof Row]: null extends Row[Field] ? never : Field }[keyof Row];

/** A new row. Fields that cannot be null are required. */
export type InsertedRow<Name extends keyof Tables> = Tables[Name]['$inferInsert'] &
  Pick<Tables[Name]['$inferSelect'], NeverNull<Tables[Name]['$inferSelect']>>;

/**
 * Inserts the rows. Call it in a transaction. A missing field becomes null, even if its column has a default.
 */
export interface InsertRows<Name extends keyof Tables> {
  (db: Database, rows: readonly InsertedRow<Name>[]): Promise<void>;
  /** Inserts the rows, as they are now, with the commit: see `Transaction.atCommit`. */
  atCommit(tx: Transaction, rows: readonly InsertedRow<Name>[]): void;
}

export interface UpsertRule<Field> {
  /** The unique column that identifies an existing row. */
  readonly target: Field;
  /** The fields that an existing row takes from the new one. */
  readonly update: readonly Field[];
  /**
   * If an existing row has another value of this field than the new one, the statement fails with an error for which
   * `isFenceLost` holds.
   */
  readonly fence?: Field;
}

type NewRow = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, PgColumn>>;
type AnyRule = UpsertRule<string>;
/** Packs the rows, and returns a function that sends the statement before it returns. */
type Prepare = (db: Database, rows: readonly NewRow[]) => () => PromiseLike<unknown>;

/**
 * Inserts any number of rows with a statement whose text never changes. To Postgres the rows travel as one parameter, in one
 * round trip. SQLite runs the statement for each row, which takes 4 µs with 31 to 52 columns; taking the fields out of one
 * parameter takes 13 to 32. A `values` list of all rows would differ for every number of rows.
 * @param upsert how to update an existing row; without it, an existing row causes a unique violation
 */
export function insertStatement<Name extends keyof Tables>(
  name: Name,
  upsert?: UpsertRule<keyof Tables[Name]['$inferInsert'] & string>,
): InsertRows<Name> {
  const made: Partial<Record<Dialect, Prepare>> = {};
  const prepare: Prepare = (db, rows) =>
    (made[db.dialect] ??= makers[db.dialect](db, name, upsert))(db, rows);

  const insert = async (db: Database, rows: readonly NewRow[]): Promise<void> => {
    if (rows.length > 0) await prepare(db, rows)();
  };
  const atCommit = (tx: Transaction, rows: readonly NewRow[]): void => {
    if (rows.length > 0) tx.atCommit(prepare(tx, rows));
  };
  return Object.assign(insert, { atCommit });
}

const makers: Record<Dialect, (db: Database, name: keyof Tables, upsert?: AnyRule) => Prepare> = {
  sqlite: ({ query, tables }, name, upsert) => {
    const table: PgTable = tables[name];
    const columns: Columns = getTableColumns(table);
    const fields = Object.entries(columns);
    const placeholders = Object.fromEntries(fields.map(([field]) => [field, sql.placeholder(field)]));
    const { sql: text } = withUpsert(query.insert(table).values(placeholders), columns, upsert).toSQL();
    const pack = (row: NewRow) => fields.map(([field, column]) => driverValue(column, row[field]) as string);
    return (db, rows) => {
      const packed = rows.map(pack);
      for (const values of packed) writtenBy(db.query)?.logQuery(text, values);
      return async () => {
        const statement: SqliteStatement = connectionOf(db.query).prepare<unknown, string[]>(text);
        for (const values of packed) {
          const { changes } = statement.run(...values);
          if (changes === 0 && upsert?.fence !== undefined)
            throw new FenceLostError('A row has another fence.');
        }
      };
    };
  },
  postgres: ({ query, tables }, name, upsert) => {
    const table: PgTable = tables[name];
    const columns: Columns = getTableColumns(table);
    const select = selectRows(Object.values(columns));
    const insert = withUpsert(query.insert(table).select(select), columns, upsert);
    const text =
      upsert?.fence === undefined
        ? insert.toSQL().sql
        : failingUnlessAllWritten(insert.returning({ one: sql`1`.as('one') }).toSQL().sql);
    const fields = Object.entries(columns).map(([field, column], index) => ({
      field,
      column,
      key: keyOf(index),
      // Nested in the JSON of the parameter.
      isPlain: column.getSQLType() === 'json',
    }));
    const pack = (row: NewRow) => {
      const packed: Record<string, unknown> = {};
      for (const { field, column, key, isPlain } of fields) {
        const value = row[field] ?? null;
        // A field that is left out becomes null.
        if (value !== null) packed[key] = isPlain ? value : column.mapToDriverValue(value);
      }
      return packed;
    };
    return (db, rows) => {
      const json = wellFormedJson(rows.map(pack));
      writtenBy(db.query)?.logQuery(text, [json]);
      return () => clientOf(db.query).unsafe<unknown[]>(text, [json]).execute();
    };
  },
};

interface SqliteStatement {
  run(...values: readonly string[]): { readonly changes: number };
}

function driverValue(column: PgColumn, value: unknown): unknown {
  return value === null || value === undefined ? null : column.mapToDriverValue(value);
}

/** An insert of the query builder. */
type Insert = ReturnType<ReturnType<QueryBuilder['insert']>['select']>;

function withUpsert(insert: Insert, columns: Columns, upsert: AnyRule | undefined) {
  const target = upsert === undefined ? undefined : columns[upsert.target];
  if (upsert === undefined || target === undefined) return insert;
  const excluded = upsert.update.map((field) => [
    field,
    sql`excluded.${sql.identifier(columns[field]?.name ?? field)}`,
  ]);
  const set = Object.fromEntries(excluded);
  const fence = columns[upsert.fence ?? ''];
  if (fence === undefined) return insert.onConflictDoUpdate({ target, set });
  const isSame = sql`${fence} = excluded.${sql.identifier(fence.name)}`;
  return insert.onConflictDoUpdate({ target, set, setWhere: isSame });
}

/** The text depends on the count, so Postgres evaluates the failing cast only at run time. */
function failingUnlessAllWritten(insert: string): string {
  return `with written as (${insert}) select case when count(*) = json_array_length($1::text::json) then 0 else ('${fenceLostMark}, rows written: ' || count(*))::integer end from written`;
}

/** Selects the rows with the table's columns in order, as the insert lists them. */
function selectRows(columns: readonly PgColumn[]): SQL {
  const types = columns.map((column, index) => `${keyOf(index)} ${column.getSQLType()}`).join(', ');
  return sql`select * from json_to_recordset(${''}::text::json) as r(${sql.raw(types)})`;
}

function keyOf(index: number): string {
  return `c${index}`;
}

/**
 * A lone surrogate would be encoded as an escape, which Postgres rejects. It becomes U+FFFD, as in any other
 * parameter.
 */
function wellFormedJson(rows: unknown): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}
