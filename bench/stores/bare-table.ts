/** The table of the bare insert: rows of the size of a redemption with only a primary key. */
import { Database as SqliteFile } from 'bun:sqlite';
import { SQL } from 'bun';
import type { DatabaseSetting } from '#db/database.ts';
import { type ColumnKit, postgresKit } from '#db/schema/column-kit.ts';
import { sqliteKit } from '#db/schema/sqlite-column-kit.ts';

const name = 'bare_rows';
const columns = {
  sqlite:
    'id text PRIMARY KEY NOT NULL, product text NOT NULL, target_url text NOT NULL, created_at integer NOT NULL',
  postgres:
    'id uuid PRIMARY KEY NOT NULL, product text NOT NULL, target_url text NOT NULL, created_at timestamp (3) with time zone NOT NULL',
};

export const bareRows = { sqlite: makeTable(sqliteKit), postgres: makeTable(postgresKit) };

function makeTable(kit: ColumnKit) {
  return kit.table(name, {
    id: kit.id('id').primaryKey(),
    product: kit.text('product').notNull(),
    targetUrl: kit.text('target_url').notNull(),
    createdAt: kit.instant('created_at').notNull(),
  });
}

export async function createBareTable(setting: DatabaseSetting): Promise<void> {
  switch (setting.kind) {
    case 'sqlite': {
      const file = new SqliteFile(setting.file, { create: true, strict: true });
      file.run('PRAGMA journal_mode = WAL');
      file.run(`CREATE TABLE ${name} (${columns.sqlite}) STRICT`);
      file.close();
      return;
    }
    case 'postgres': {
      const sql = new SQL({ url: setting.url, max: 1 });
      await sql.unsafe(`CREATE TABLE ${name} (${columns.postgres})`);
      await sql.close();
    }
  }
}
