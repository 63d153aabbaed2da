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
import type { Dialect } from '#db/dialect.ts';
import * as postgresSchema from '#db/schema/postgres.ts';
import { searchIndexStatements } from '#db/schema/search-tables.ts';
import * as sqliteSchema from '#db/schema/sqlite.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

const migrationsFolder = join(import.meta.dirname, '../../db/migrations');

const isReleased = /^## \[v?\d/m.test(readFileSync(join(migrationsFolder, '../../CHANGELOG.md'), 'utf8'));

function snapshotsOf(store: Dialect): readonly string[] {
  return readdirSync(join(migrationsFolder, store, 'meta')).filter((file) => file.endsWith('_snapshot.json'));
}

/** The snapshot with which `npm run db:generate <name>` compares the schema. */
function readSnapshot(store: Dialect): unknown {
  const [file = ''] = snapshotsOf(store);
  return JSON.parse(readFileSync(join(migrationsFolder, store, 'meta', file), 'utf8'));
}

/** The statements of the single migration before the first release, without the search indexes. */
function readBaseline(store: Dialect): readonly string[] {
  return readFileSync(join(migrationsFolder, store, '0000_baseline.sql'), 'utf8')
    .replaceAll(') STRICT;', ');')
    .split('--> statement-breakpoint')
    .slice(0, -searchIndexStatements(store).length)
    .map(inOneLine);
}

const inOneLine = (statement: string): string => statement.replaceAll(/\s+/g, ' ').trim();

test.each(['sqlite', 'postgres'] as const)(
  '%s has one migration and no snapshot before the first release, and the newest snapshot from then on',
  (store) => {
    expect(snapshotsOf(store)).toHaveLength(isReleased ? 1 : 0);
    if (!isReleased)
      expect(readdirSync(join(migrationsFolder, store)).toSorted()).toEqual(['0000_baseline.sql', 'meta']);
  },
);

test('the Postgres migrations are up to date with the schema', async () => {
  const now = generateDrizzleJson(postgresSchema);
  if (isReleased) {
    const before = readSnapshot('postgres') as typeof now; // The format of drizzle-kit.
    expect(await generateMigration(before, now)).toEqual([]);
  } else {
    const statements = await generateMigration(generateDrizzleJson({}), now);
    expect(readBaseline('postgres')).toEqual(statements.map(inOneLine));
  }
});

test('the SQLite migrations are up to date with the schema', async () => {
  const now = await generateSQLiteDrizzleJson(sqliteSchema);
  if (isReleased) {
    const before = readSnapshot('sqlite') as typeof now; // The format of drizzle-kit.
    expect(await generateSQLiteMigration(before, now)).toEqual([]);
  } else {
    const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), now);
    expect(readBaseline('sqlite')).toEqual(statements.map(inOneLine));
  }
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
