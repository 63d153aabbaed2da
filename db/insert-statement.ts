/**
 * Inserts any number of rows with one statement. The rows travel as one parameter, so the text never changes:
 * it is built once and prepared once. A `values` list would be built from every field and differ for every
 * number of rows.
 */
import { getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database, QueryBuilder, Transaction } from './database.ts';
import type { Dialect } from './dialect.ts';
import { FenceLostError, fenceLostMark } from './errors.ts';
import type { Tables } from './schema/make-schema.ts';
import { sendStatement } from './send-statement.ts';

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
}

export interface FencedUpsertRule<Field> extends UpsertRule<Field> {
  /**
   * If an existing row has another value of this field than the new one, the statement fails with an error for which
   * `isFenceLost` holds.
   */
  readonly fence?: Field;
}

type Row = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, PgColumn>>;
type AnyRule = FencedUpsertRule<string>;
type Run = (db: Database, json: string, count: number) => PromiseLike<unknown>;

/** @param upsert how to update an existing row; without it, an existing row causes a unique violation */
export function insertStatement<Name extends keyof Tables>(
  name: Name,
  upsert?: FencedUpsertRule<keyof Tables[Name]['$inferInsert'] & string>,
): InsertRows<Name> {
  const made: Partial<Record<Dialect, { readonly pack: (row: Row) => unknown; readonly run: Run }>> = {};

  /** @returns a function that sends the statement before it returns */
  function prepare(db: Database, rows: readonly Row[]): () => PromiseLike<unknown> {
    const table: PgTable = db.tables[name];
    const { pack, run } = (made[db.dialect] ??= {
      pack: packerOf(db.dialect, getTableColumns(table)),
      run: runnerOf(db.dialect, upsert?.fence !== undefined, (query, json) =>
        buildInsert(db.dialect, query, table, json, upsert),
      ),
    });
    const json = wellFormedJson(rows.map(pack));
    return () => run(db, json, rows.length);
  }

  const insert = async (db: Database, rows: readonly Row[]): Promise<void> => {
    if (rows.length > 0) await prepare(db, rows)();
  };
  const atCommit = (tx: Transaction, rows: readonly Row[]): void => {
    if (rows.length > 0) tx.atCommit(prepare(tx, rows));
  };
  return Object.assign(insert, { atCommit });
}

function buildInsert(
  dialect: Dialect,
  query: QueryBuilder,
  table: PgTable,
  json: string | Placeholder,
  upsert: AnyRule | undefined,
) {
  const columns: Columns = getTableColumns(table);
  const insert = query.insert(table).select(selectRows(dialect, Object.values(columns), json));
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
  return insert
    .onConflictDoUpdate({ target, set, setWhere: isSame })
    .returning({ target: sql<string>`${target}`.as('target') });
}

type BuildInsert = (query: QueryBuilder, json: string | Placeholder) => ReturnType<typeof buildInsert>;

function runnerOf(dialect: Dialect, isFenced: boolean, build: BuildInsert): Run {
  switch (dialect) {
    case 'sqlite': {
      // All transactions of a store use one connection, where the statement stays prepared.
      const prepared = new WeakMap<QueryBuilder, ReturnType<ReturnType<BuildInsert>['prepare']>>();
      return async ({ query }, json, count) => {
        const statement = prepared.get(query) ?? build(query, sql.placeholder('rows')).prepare('insert_rows');
        prepared.set(query, statement);
        const written = await statement.execute({ rows: json });
        if (isFenced && written.length < count) throw new FenceLostError('A row has another fence.');
      };
    }
    case 'postgres': {
      let text: string | undefined;
      return ({ query }, json) => {
        text ??= isFenced
          ? failingUnlessAllWritten(build(query, '').toSQL().sql)
          : build(query, '').toSQL().sql;
        return sendStatement(query, text, [json]);
      };
    }
  }
}

/** The text depends on the count, so Postgres evaluates the failing cast only at run time. */
function failingUnlessAllWritten(insert: string): string {
  return `with written as (${insert}) select case when count(*) = json_array_length($1::text::json) then 0 else ('${fenceLostMark}, rows written: ' || count(*))::integer end from written`;
}

/** Selects the rows with the table's columns in order, as the insert lists them. */
function selectRows(dialect: Dialect, columns: readonly PgColumn[], json: string | Placeholder): SQL {
  switch (dialect) {
    case 'sqlite': {
      const list = columns.map((_, index) => `value ->> ${index}`).join(', ');
      // Without `where`, SQLite would parse a following `on conflict` as a join condition.
      return sql`select ${sql.raw(list)} from json_each(${json}) where true`;
    }
    case 'postgres': {
      const types = columns.map((column, index) => `${keyOf(index)} ${column.getSQLType()}`).join(', ');
      return sql`select * from json_to_recordset(${json}::text::json) as r(${sql.raw(types)})`;
    }
  }
}

/** Returns a function that packs a row in the form that the store unpacks fastest. */
function packerOf(dialect: Dialect, columns: Columns): (row: Row) => unknown {
  const fields = Object.entries(columns).map(([name, column], index) => ({
    name,
    key: keyOf(index),
    // Postgres accepts nested JSON in the parameter. SQLite stores JSON as text.
    isPlain: dialect === 'postgres' && column.getSQLType() === 'json',
    column,
  }));
  const read = (row: Row, { name, isPlain, column }: (typeof fields)[number]): unknown => {
    const value = row[name] ?? null;
    return value === null || isPlain ? value : column.mapToDriverValue(value);
  };
  switch (dialect) {
    case 'sqlite':
      return (row) => fields.map((field) => read(row, field));
    case 'postgres':
      return (row) => {
        const packed: Record<string, unknown> = {};
        for (const field of fields) packed[field.key] = read(row, field);
        return packed;
      };
  }
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
