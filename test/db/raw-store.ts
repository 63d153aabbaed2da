/** Reads and changes a store with plain SQL, without Drizzle and the hub. */
import { Database as SqliteFile } from 'bun:sqlite';
import type { DatabaseSetting } from '#db/database.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

type Row = Readonly<Record<string, unknown>>;

/** Where each store notes the migrations that it has. */
export const appliedTables = {
  sqlite: '__drizzle_migrations',
  postgres: 'drizzle.__drizzle_migrations',
} as const;

export async function runStatements(
  setting: DatabaseSetting,
  ...statements: readonly string[]
): Promise<void> {
  for (const statement of statements) await selectRows(setting, statement);
}

export async function selectRows(setting: DatabaseSetting, query: string): Promise<readonly Row[]> {
  switch (setting.kind) {
    case 'sqlite': {
      using file = new SqliteFile(setting.file, { strict: true });
      return file.query<Row, []>(query).all();
    }
    case 'postgres': {
      await using client = connectDirectly(setting.url);
      return await client.unsafe(query);
    }
  }
}

/** The file of a SQLite store. */
export function fileOf({ setting }: { readonly setting: DatabaseSetting }): string {
  if (setting.kind !== 'sqlite') throw new Error('The store is not a file.');
  return setting.file;
}
