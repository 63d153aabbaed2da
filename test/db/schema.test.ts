/** The migrations produce exactly the schema in the code, on both stores. */
import { Database as SqliteFile } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import * as postgresSchema from '#db/schema/postgres.ts';
import * as sqliteSchema from '#db/schema/sqlite.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

const migrationsFolder = join(import.meta.dirname, '../../db/migrations');

/** The schema snapshot that drizzle-kit wrote with the newest migration of a store. */
function newestSnapshot(store: 'sqlite' | 'postgres'): unknown {
  const folder = join(migrationsFolder, store, 'meta');
  const newest = readdirSync(folder)
    .filter((file) => file.endsWith('_snapshot.json'))
    .toSorted()
    .at(-1);
  return JSON.parse(readFileSync(join(folder, newest!), 'utf8'));
}

test.each(['sqlite', 'postgres'])('the repository holds only the newest snapshot of %s', (store) => {
  const files = readdirSync(join(migrationsFolder, store, 'meta'));
  expect(files.filter((file) => file.endsWith('_snapshot.json'))).toHaveLength(1);
});

test.skipIf(/^## \[v?\d/m.test(readFileSync(join(migrationsFolder, '../../CHANGELOG.md'), 'utf8')))(
  'before the first release there is one migration for each store, which `npm run db:generate -- --rebaseline` makes',
  () => {
    for (const store of ['sqlite', 'postgres']) {
      expect(readdirSync(join(migrationsFolder, store)).toSorted()).toEqual(['0000_baseline.sql', 'meta']);
    }
  },
);

test('the Postgres migrations are up to date with the schema', async () => {
  const now = generateDrizzleJson(postgresSchema);
  const before = newestSnapshot('postgres') as typeof now; // The format of drizzle-kit.
  expect(await generateMigration(before, now)).toEqual([]);
});

test('the SQLite migrations are up to date with the schema', async () => {
  const now = await generateSQLiteDrizzleJson(sqliteSchema);
  const before = newestSnapshot('sqlite') as typeof now; // The format of drizzle-kit.
  expect(await generateSQLiteMigration(before, now)).toEqual([]);
});

test('a table missing from the migrations is detected', async () => {
  const now = await generateSQLiteDrizzleJson(sqliteSchema);
  const { jobs: _, ...others } = sqliteSchema;
  const before = await generateSQLiteDrizzleJson(others);
  expect(await generateSQLiteMigration(before, now)).not.toEqual([]);
});

forEachStore((store) => {
  const tables = Object.values(sqliteSchema.sqliteTables);

  test('a migrated store has exactly the tables and columns of the schema', async () => {
    const found = await listColumns(store.setting);
    const expected = tables.flatMap((table) =>
      Object.values(getTableColumns(table)).map((column) => `${getTableName(table)}.${column.name}`),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  test('every SQLite table is STRICT', () => {
    if (store.setting.kind !== 'sqlite') return;
    const file = new SqliteFile(store.setting.file, { readonly: true });
    const listed = file
      .query<{ name: string; strict: number }, []>(
        "select name, strict from pragma_table_list where schema = 'main' and type = 'table'",
      )
      .all()
      .filter(({ name }) => !name.startsWith('sqlite_') && !name.startsWith('__drizzle'));
    file.close();
    expect(listed).toHaveLength(tables.length);
    expect(listed.filter(({ strict }) => strict !== 1)).toEqual([]);
  });

  test('a row that references an agent that does not exist is rejected', async () => {
    const { tokenAccounts } = store.db.tables;
    const attempt = store.db.transaction((tx) =>
      tx.query.insert(tokenAccounts).values({ agentId: Bun.randomUUIDv7(), balance: 0, lastSequence: 0 }),
    );
    await expect(attempt).rejects.toThrow();
  });
});

/** Every `table.column` that the hub owns in a store, queried without Drizzle. */
async function listColumns(setting: DatabaseSetting): Promise<string[]> {
  switch (setting.kind) {
    case 'sqlite': {
      const file = new SqliteFile(setting.file, { readonly: true });
      const rows = file
        .query<{ name: string }, []>(
          `select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c
           where m.type = 'table' and m.name not like 'sqlite%' and m.name <> '__drizzle_migrations'
           -- What the full text indexes are made of.
           and m.name not glob '*_words_index*'`,
        )
        .all();
      file.close();
      return rows.map((row) => row.name);
    }
    case 'postgres': {
      const client = connectDirectly(setting.url);
      const rows: { name: string }[] = await client`
        select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`;
      await client.close();
      return rows.map((row) => row.name);
    }
  }
}
