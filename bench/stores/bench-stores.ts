/** The stores under measurement: SQLite files in a temporary folder, and databases of one Postgres that syncs its commits. */
import { SQL } from 'bun';
import { join } from 'node:path';
import type { Dialect } from '#db/database.ts';
import type { DatabaseSetting } from '#db/open-database.ts';
import { startCluster } from '#test/harness/postgres-cluster.ts';

export interface BenchStore {
  readonly dialect: Dialect;
  /** A new, empty database; `name` tells it from the others of the run. */
  createDatabase(name: string): Promise<DatabaseSetting>;
}

const STOP_TIMEOUT_MS = 10_000;

export function sqliteStore(folder: string): BenchStore {
  return {
    dialect: 'sqlite',
    createDatabase: (name) => Promise.resolve({ kind: 'sqlite', file: join(folder, `${name}.db`) }),
  };
}

/** Starts a cluster in `folder`, which must not exist; `stop` ends it and removes the folder. */
export async function startPostgresStore(
  folder: string,
): Promise<BenchStore & { readonly stop: () => Promise<void> }> {
  const cluster = await startCluster(folder, { synced: true });
  return {
    dialect: 'postgres',
    createDatabase: async (name) => {
      const database = name.replaceAll('-', '_');
      const sql = new SQL({ url: cluster.url, max: 1 });
      try {
        await sql.unsafe(
          `CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
        );
      } finally {
        await sql.close();
      }
      const url = new URL(cluster.url);
      url.pathname = `/${database}`;
      return { kind: 'postgres', url: url.href };
    },
    stop: () => cluster.stop(STOP_TIMEOUT_MS),
  };
}

/** What `DATABASE_URL` says for it. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  switch (setting.kind) {
    case 'sqlite':
      return `sqlite:${setting.file}`;
    case 'postgres':
      return setting.url;
  }
}
