/** A migrated store has the tables, columns and constraints of the schema in the code. */
import { Database as SqliteFile } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { getTableColumns, getTableName } from 'drizzle-orm';
import type { DatabaseSetting } from '#db/database.ts';
import { sqliteTables } from '#db/schema/sqlite.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

forEachStore((store) => {
  const tables = Object.values(sqliteTables);

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
