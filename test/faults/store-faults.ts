/** What may befall the store of a hub, and the way to it. */
import { SQL } from 'bun';
import { Database as SqliteFile } from 'bun:sqlite';
import type { Fault } from './fault.ts';
import type { FaultWorld, StoreUnderTest } from './world.ts';

const refusals = ['database_unavailable', 'queue_unavailable'];

/** Speaks to the server itself, past the gate. */
async function administer({ store }: FaultWorld, ...statements: readonly string[]): Promise<void> {
  const { cluster } = postgresOf(store);
  const admin = new SQL({ url: cluster.url, max: 1 });
  try {
    for (const statement of statements) await admin.unsafe(statement);
  } finally {
    await admin.close();
  }
}

function postgresOf(store: StoreUnderTest) {
  if (store.cluster === null || store.gate === null) throw new Error('This fault is of Postgres.');
  return { cluster: store.cluster, gate: store.gate };
}

const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agent-hub'`;

export const postgresFaults: readonly Fault[] = [
  {
    name: 'Postgres killed, and started again',
    dialects: ['postgres'],
    refusals,
    strike: async ({ store }) => {
      const { cluster } = postgresOf(store);
      await cluster.kill();
      return () => cluster.restart();
    },
  },
  {
    name: 'every session with Postgres ended, again and again',
    dialects: ['postgres'],
    refusals,
    strike: async (world) => {
      const over = new AbortController();
      const ending = (async () => {
        while (!over.signal.aborted) {
          await administer(world, endSessions);
          await Bun.sleep(100);
        }
      })();
      return () => {
        over.abort();
        return ending;
      };
    },
  },
  {
    name: 'Postgres read-only',
    dialects: ['postgres'],
    refusals,
    strike: async (world) => {
      await administer(
        world,
        'alter system set default_transaction_read_only = on',
        'select pg_reload_conf()',
      );
      return () =>
        administer(
          world,
          'set default_transaction_read_only = off',
          'alter system reset default_transaction_read_only',
          'select pg_reload_conf()',
        );
    },
  },
];

export const postgresNetworkFaults: readonly Fault[] = [
  {
    name: 'Postgres stands still',
    dialects: ['postgres'],
    refusals,
    strike: async ({ store }) => {
      const { gate } = postgresOf(store);
      gate.stall();
      return async () => gate.resume();
    },
  },
  {
    name: 'Postgres loses all that it is sent',
    dialects: ['postgres'],
    refusals,
    strike: async ({ store }) => {
      const { gate } = postgresOf(store);
      gate.lose();
      return async () => gate.find();
    },
  },
  {
    name: 'Postgres slow by 100 ms each way',
    dialects: ['postgres'],
    refusals: [],
    strike: async ({ store }) => {
      const { gate } = postgresOf(store);
      gate.delay(100);
      return async () => gate.delay(0);
    },
  },
  {
    name: 'what Postgres says and hears comes in single bytes',
    dialects: ['postgres'],
    refusals: [],
    strike: async ({ store }) => {
      const { gate } = postgresOf(store);
      gate.split(1);
      return async () => gate.split(Infinity);
    },
  },
];

export const sqliteFaults: readonly Fault[] = [
  {
    name: 'the SQLite file locked by another process',
    dialects: ['sqlite'],
    refusals,
    lastsMs: 3_000,
    strike: async ({ store }) => {
      if (store.setting.kind !== 'sqlite') throw new Error('This fault is of SQLite.');
      const stranger = new SqliteFile(store.setting.file);
      stranger.run('PRAGMA busy_timeout = 10000');
      stranger.run('BEGIN IMMEDIATE');
      return async () => {
        stranger.run('ROLLBACK');
        stranger.close();
      };
    },
  },
];
