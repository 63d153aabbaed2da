/**
 * Inserts as many rows as wanted by one statement that counts them up, in the words of either store: a million rows in
 * seconds, where rows that travel would take minutes. For seeding alone: nothing is synced or checked meanwhile.
 */
import { SQL } from 'bun';
import { Database as SqliteFile } from 'bun:sqlite';
import type { DatabaseSetting, Dialect } from '#db/database.ts';

/** Expressions over `n`, the number of a row, counted from 1. */
export interface Words {
  /** The id of the row of number `n` of a kind; ids rise with the numbers, and are older than all that the hub makes. */
  readonly id: (kind: number, n?: string) => string;
  /** `n` in so many hexadecimal digits. */
  readonly hex: (digits: number, n?: string) => string;
  /** Unguessable, as hashes and tokens are, so that an index meets them in no order. */
  readonly random: string;
  readonly no: string;
  /** So many milliseconds after now, and `everyMs` later for each row. */
  readonly instant: (afterMs: number, everyMs?: number) => string;
  /** @param expression gives JSON in a text */
  readonly json: (expression: string) => string;
}

export interface RowSeries {
  readonly words: Words;
  /** @param columns an expression for each; those left out are null */
  insert(table: string, count: number, columns: Readonly<Record<string, string>>): Promise<void>;
  /** Has the store look at what it holds, as it does by itself in the course of time. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** At the end of an id. */
const idNumberDigits = 12;
const seedCacheKib = 1_000_000;

export function openRowSeries(setting: DatabaseSetting): RowSeries {
  switch (setting.kind) {
    case 'sqlite':
      return ofSqlite(setting.file);
    case 'postgres':
      return ofPostgres(setting.url);
  }
}

/** An id with its kind and number in it. */
export function seededId(kind: number, n: number): string {
  return idHead(kind) + n.toString(16).padStart(idNumberDigits, '0');
}

/** The part of an id that stands before its number. */
export function idHead(kind: number): string {
  return `01900000-0000-7${kind.toString(16).padStart(3, '0')}-8000-`;
}

function wordsOf(dialect: Dialect): Words {
  const isSqlite = dialect === 'sqlite';
  const hex: Words['hex'] = (digits, n = 'n') =>
    isSqlite ? `printf('%0${digits}x', ${n})` : `lpad(to_hex(${n}), ${digits}, '0')`;
  const now = Date.now();
  return {
    hex,
    id: (kind, n) => {
      const text = `'${idHead(kind)}' || ${hex(idNumberDigits, n)}`;
      return isSqlite ? text : `(${text})::uuid`;
    },
    random: isSqlite ? 'lower(hex(randomblob(32)))' : "encode(sha256(random()::text::bytea), 'hex')",
    no: isSqlite ? '0' : 'false',
    instant: (afterMs, everyMs = 0) => {
      const sinceEpochMs = `(${now + afterMs} + n * ${everyMs})`;
      return isSqlite ? sinceEpochMs : `to_timestamp(${sinceEpochMs} / 1000.0)`;
    },
    json: (expression) => (isSqlite ? expression : `(${expression})::json`),
  };
}

function insertText(
  table: string,
  columns: Readonly<Record<string, string>>,
  series: { readonly before: string; readonly from: string },
): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  return `${series.before} insert into ${table} (${names.join(', ')}) select ${Object.values(columns).join(', ')} from ${series.from}`;
}

function ofSqlite(path: string): RowSeries {
  const file = new SqliteFile(path, { strict: true });
  file.run('PRAGMA synchronous = OFF');
  file.run(`PRAGMA cache_size = -${seedCacheKib}`);
  return {
    words: wordsOf('sqlite'),
    insert: async (table, count, columns) => {
      const before = `with recursive series(n) as (select 1 union all select n + 1 from series where n < ${count})`;
      file.run(insertText(table, columns, { before, from: 'series' }));
    },
    settle: async () => {
      file.run('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    close: async () => file.close(),
  };
}

function ofPostgres(url: string): RowSeries {
  const client = new SQL({ url, max: 1 });
  return {
    words: wordsOf('postgres'),
    insert: async (table, count, columns) => {
      await client.begin(async (tx) => {
        // References are right as they are made, and looking each of them up would take most of the time.
        await tx.unsafe('set local session_replication_role = replica');
        await tx.unsafe('set local synchronous_commit = off');
        const from = `generate_series(1::bigint, ${count}) as series(n)`;
        await tx.unsafe(insertText(table, columns, { before: '', from }));
      });
    },
    settle: async () => {
      await client.unsafe('vacuum analyze');
      await client.unsafe('checkpoint');
    },
    close: () => client.close(),
  };
}
