/**
 * Inserts any number of rows with one statement. The rows travel as one parameter, so the text never changes:
 * it is built once and prepared once. A `values` list would be built from every field and differ for every
 * number of rows.
 */
import { getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database, Dialect, QueryBuilder } from './database.ts';
import type { Tables } from './schema/make-schema.ts';

type NeverNull<Row> = { [Field in keyof Row]: null extends Row[Field] ? never : Field }[keyof Row];

/** A new row. Fields that cannot be null are required. */
export type InsertedRow<Name extends keyof Tables> = Tables[Name]['$inferInsert'] &
  Pick<Tables[Name]['$inferSelect'], NeverNull<Tables[Name]['$inferSelect']>>;

/**
 * Inserts the rows. Call it in a transaction. A missing field becomes null, even if its column has a default.
 */
export type InsertRows<Name extends keyof Tables> = (
  db: Database,
  rows: readonly InsertedRow<Name>[],
) => Promise<void>;

export interface UpsertRule<Field> {
  /** The unique column that identifies an existing row. */
  readonly target: Field;
  /** The fields that an existing row takes from the new one. */
  readonly update: readonly Field[];
}

export interface FencedUpsertRule<Field> extends UpsertRule<Field> {
  /** An existing row stays unchanged if its value of this field differs from the new one. */
  readonly fence: Field;
}

/** Like `InsertRows`. @returns the targets of the rows that were written */
export type UpsertFencedRows<Name extends keyof Tables> = (
  db: Database,
  rows: readonly InsertedRow<Name>[],
) => Promise<ReadonlySet<string>>;

type Row = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, PgColumn>>;
type AnyRule = UpsertRule<string> & { readonly fence?: string };
type Run = (db: Database, json: string) => Promise<unknown>;

/** @param upsert how to update an existing row; without it, an existing row causes a unique violation */
export function insertStatement<Name extends keyof Tables>(
  name: Name,
  upsert?: UpsertRule<keyof Tables[Name]['$inferInsert'] & string>,
): InsertRows<Name> {
  const run = rowsRunner(name, upsert);
  return async (db, rows) => void (await run(db, rows));
}

/** An upsert that writes only rows whose fence has not changed. The target must be a text column. */
export function fencedUpsertStatement<Name extends keyof Tables>(
  name: Name,
  rule: FencedUpsertRule<keyof Tables[Name]['$inferInsert'] & string>,
): UpsertFencedRows<Name> {
  const run = rowsRunner(name, rule);
  return async (db, rows) => {
    // The statement returns the target of each written row.
    const written = ((await run(db, rows)) ?? []) as readonly { target: string }[];
    return new Set(written.map(({ target }) => target));
  };
}

function rowsRunner(name: keyof Tables, upsert: AnyRule | undefined) {
  const made: Partial<Record<Dialect, { readonly pack: (row: Row) => unknown; readonly run: Run }>> = {};
  return async (db: Database, rows: readonly Row[]): Promise<unknown> => {
    if (rows.length === 0) return;
    const table: PgTable = db.tables[name];
    const { pack, run } = (made[db.dialect] ??= {
      pack: packerOf(db.dialect, getTableColumns(table)),
      run: runnerOf(db.dialect, (query, json) => buildInsert(db.dialect, query, table, json, upsert)),
    });
    return run(db, wellFormedJson(rows.map(pack)));
  };
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

function runnerOf(dialect: Dialect, build: BuildInsert): Run {
  switch (dialect) {
    case 'sqlite': {
      // All transactions of a store use one connection, where the statement stays prepared.
      const prepared = new WeakMap<QueryBuilder, ReturnType<ReturnType<BuildInsert>['prepare']>>();
      return ({ query }, json) => {
        const statement = prepared.get(query) ?? build(query, sql.placeholder('rows')).prepare('insert_rows');
        prepared.set(query, statement);
        return statement.execute({ rows: json });
      };
    }
    case 'postgres': {
      // Each transaction has its own query builder, but the driver recognizes the text on every connection.
      let parts: readonly SQL[] | undefined;
      return ({ query }, json) => {
        parts ??= build(query, '')
          .toSQL()
          .sql.split('$1')
          .map((part) => sql.raw(part));
        return query.execute(sql.join([...parts], sql`${json}`));
      };
    }
  }
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
  const fields = Object.entries(columns).map(([name, column]) => ({
    name,
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
        for (const [index, field] of fields.entries()) packed[keyOf(index)] = read(row, field);
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
