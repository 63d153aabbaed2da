/** A migrated store has the tables, columns and constraints of the schema in the code. */
import { expect, test } from 'bun:test';
import { getTableColumns, getTableName } from 'drizzle-orm';
import type { Dialect } from '#db/dialect.ts';
import { sqliteTables } from '#db/schema/sqlite.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { selectRows } from './raw-store.ts';

forEachStore((store) => {
  const tables = Object.values(sqliteTables);

  test('a migrated store has exactly the tables and columns of the schema', async () => {
    const found = await selectRows(store.setting, columnsQuery[store.dialect]);
    const expected = tables.flatMap((table) =>
      Object.values(getTableColumns(table)).map((column) => `${getTableName(table)}.${column.name}`),
    );
    expect(found.map(({ name }) => String(name)).toSorted()).toEqual(expected.toSorted());
  });

  test('every SQLite table is STRICT', async () => {
    if (store.dialect !== 'sqlite') return;
    const all = await selectRows(
      store.setting,
      "select name, strict from pragma_table_list where schema = 'main' and type = 'table'",
    );
    const listed = all.filter(({ name }) => !/^(sqlite_|__drizzle)/.test(String(name)));
    expect(listed).toHaveLength(tables.length);
    expect(listed.filter(({ strict }) => strict !== 1)).toEqual([]);
  });
});

/** A query for every `table.column` that the hub owns, as `name`. */
const columnsQuery: Record<Dialect, string> = {
  sqlite: `select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite%' and m.name <> '__drizzle_migrations'
    -- What the full text indexes are made of.
    and m.name not glob '*_words_index*'`,
  postgres: `select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public'`,
};
