/**
 * The measured stores: SQLite files in a temporary folder, and databases of a Postgres that syncs its
 * commits.
 */
import { SQL } from 'bun';
import { Database as SqliteFile } from 'bun:sqlite';
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { startCluster } from '#test/harness/postgres-cluster.ts';

export interface BenchStore {
  readonly dialect: Dialect;
  /** Such as `SQLite 3.51.0`. */
  readonly version: string;
  /** Creates an empty database. `name` is unique in the run. */
  createDatabase(name: string): Promise<DatabaseSetting>;
}

const stopTimeoutMs = 10_000;

export function sqliteStore(folder: string): BenchStore {
  const memory = new SqliteFile(':memory:');
  const known = memory.query<{ version: string }, []>('select sqlite_version() as version').get();
  memory.close();
  return {
    dialect: 'sqlite',
    version: `SQLite ${known?.version ?? 'unknown'}`,
    createDatabase: (name) => Promise.resolve({ kind: 'sqlite', file: join(folder, `${name}.db`) }),
  };
}

/** Starts a cluster in `folder`, which must not exist. `stop` removes it. */
export async function startPostgresStore(
  folder: string,
): Promise<BenchStore & { readonly stop: () => Promise<void> }> {
  const cluster = await startCluster(folder, { synced: true });
  const client = new SQL({ url: cluster.url, max: 1 });
  const [known]: { server_version: string }[] = await client.unsafe('show server_version');
  await client.close();
  return {
    dialect: 'postgres',
    version: `Postgres ${known?.server_version ?? 'unknown'}`,
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
    stop: () => cluster.stop(stopTimeoutMs),
  };
}

/** As a value of `DATABASE_URL`. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  switch (setting.kind) {
    case 'sqlite':
      return `sqlite:${setting.file}`;
    case 'postgres':
      return setting.url;
  }
}
