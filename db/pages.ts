/** Rows that are read or changed in parts: bounded in number, and in bytes, because a row may hold megabytes. */
import { and, asc, type Column, getTableColumns, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './database.ts';

export interface PageMax {
  readonly rows: number;
  /** A single row may be larger. */
  readonly bytes: number;
}

export const pageMax: PageMax = { rows: 500, bytes: 256 * 1024 };

export interface PagedRows {
  readonly table: PgTable;
  /** Orders the rows. It is unique among them. */
  readonly id: PgColumn;
  readonly where: SQL | undefined;
  /** What counts as the size of a row; by default, that of its texts. */
  readonly bytes?: SQL;
}

interface FoundPage<Id> {
  /** At least one, unless there are no rows. */
  readonly ids: readonly Id[];
  readonly isLast: boolean;
}

/** The ids of the first rows, without reading their texts. */
export async function findPage<Id = string>(
  db: Database,
  { table, id, where, bytes }: PagedRows,
  max: PageMax = pageMax,
): Promise<FoundPage<Id>> {
  const size = bytes ?? bytesOf(db, { table, id }, max);
  const rows = await db.query
    .select({ id, bytes: size.mapWith(Number) })
    .from(table)
    .where(where)
    .orderBy(asc(id))
    .limit(max.rows);
  let left = max.bytes;
  const within = rows.filter((row, place) => {
    left -= row.bytes;
    return place === 0 || left >= 0;
  });
  // The caller knows the type of the column.
  const ids = within.map((row) => row.id as Id);
  return { ids, isLast: ids.length === rows.length && rows.length < max.rows };
}

/** Whole rows, page after page. */
export async function* readPages<Row = Readonly<Record<string, unknown>>>(
  db: Database,
  { table, id, where }: PagedRows,
): AsyncGenerator<readonly Row[]> {
  let after: SQL | undefined;
  for (;;) {
    const rest = and(where, after);
    const { ids, isLast } = await findPage<unknown>(db, { table, id, where: rest });
    const last = ids.at(-1);
    if (last === undefined) return;
    const rows = await db.query
      .select(getTableColumns(table))
      .from(table)
      .where(and(rest, lte(id, last)))
      .orderBy(asc(id))
      .limit(ids.length);
    // The caller knows the table.
    yield rows as Row[];
    if (isLast) return;
    after = gt(id, last);
  }
}

/**
 * The size of the texts of a row, which both stores know without reading them. Of JSON, Postgres knows only the size in
 * which it is stored, often compressed, so it reads the rows that may be on the page, and no more.
 */
function bytesOf({ dialect }: Database, { table, id }: Pick<PagedRows, 'table' | 'id'>, max: PageMax): SQL {
  const columns = Object.values(getTableColumns(table)).filter(isText);
  if (dialect === 'sqlite') return sumOf(columns.map((column) => sql`octet_length(${column})`));
  const exact = sumOf(columns.map((column) => sql`octet_length(${column}::text)`));
  if (!columns.some(isJson)) return exact;
  const stored = sumOf(
    columns.map((column) => (isJson(column) ? sql`pg_column_size(${column})` : sql`octet_length(${column})`)),
  );
  const mayBeOnPage = sql`sum(${stored}) over (order by ${id}) <= ${max.bytes}`;
  return sql`case when ${mayBeOnPage} then greatest(${exact}, ${stored}) else ${stored} end`;
}

function sumOf(sizes: readonly SQL[]): SQL {
  return sql.join([sql`0`, ...sizes.map((size) => sql`coalesce(${size}, 0)`)], sql` + `);
}

function isText(column: Column): boolean {
  return column.getSQLType().startsWith('text') || isJson(column);
}

function isJson(column: Column): boolean {
  return column.getSQLType().startsWith('json');
}
