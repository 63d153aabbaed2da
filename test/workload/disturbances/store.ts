/** Disturbances of the store itself. */
import { SQL } from 'bun';
import { Database as SqliteFile } from 'bun:sqlite';
import { tryWrite } from '#db/try-write.ts';
import type { MortalCluster } from '#test/harness/postgres-cluster.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { HubUnderTest } from '../hub-under-test.ts';
import type { Disturbance } from './disturbance.ts';

const sessionsEndedEveryMs = 100;
const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agent-hub'`;

function clusterOf({ store }: HubUnderTest): MortalCluster {
  if (store.postgres === null) throw new Error('The hub has no Postgres of its own.');
  return store.postgres.cluster;
}

/** Connects without the gate. */
async function administer(hub: HubUnderTest, ...statements: readonly string[]): Promise<void> {
  await using admin = new SQL({ url: clusterOf(hub).url, max: 1 });
  for (const statement of statements) await admin.unsafe(statement);
}

export const killPostgres: Disturbance = {
  name: 'Postgres killed and restarted',
  start: async (hub) => {
    const cluster = clusterOf(hub);
    await cluster.kill();
    return () => cluster.restart();
  },
};

export const endPostgresSessions: Disturbance = {
  name: 'all Postgres sessions terminated, repeatedly',
  start: async (hub) => {
    const over = new AbortController();
    const ending = (async () => {
      while (!over.signal.aborted) {
        await administer(hub, endSessions);
        await Bun.sleep(sessionsEndedEveryMs);
      }
    })();
    return () => {
      over.abort();
      return ending;
    };
  },
};

export const makePostgresReadOnly: Disturbance = {
  name: 'Postgres read-only',
  start: async (hub) => {
    await administer(hub, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
    return () =>
      administer(
        hub,
        'set default_transaction_read_only = off',
        'alter system reset default_transaction_read_only',
        'select pg_reload_conf()',
      );
  },
};

export const failOverPostgres: Disturbance = {
  name: 'the Postgres primary killed, its standby promoted',
  start: async ({ store: { pair, db } }) => {
    if (pair === null) throw new Error('The Postgres of the hub has no standby.');
    await pair.failOver();
    // The test's own connections follow too.
    return () => waitUntil(async () => (await failureOf(tryWrite(db))) === null);
  },
};

export const lockSqlite: Disturbance = {
  name: 'the SQLite file locked by another process',
  start: async ({ store }) => {
    if (store.setting.kind !== 'sqlite') throw new Error('The hub has no SQLite file.');
    const other = new SqliteFile(store.setting.file);
    other.run('PRAGMA busy_timeout = 10000');
    other.run('BEGIN IMMEDIATE');
    return async () => {
      other.run('ROLLBACK');
      other.close();
    };
  },
};
