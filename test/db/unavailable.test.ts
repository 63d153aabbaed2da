/**
 * A store that is unreachable or stays locked is reported as unavailable, unlike any other fault, and is used
 * again when it recovers.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { DatabaseUnavailableError, isDatabaseUnavailable, isUniqueViolation } from '#db/errors.ts';
import { openDatabase } from '#db/open-database.ts';
import { openPostgres } from '#db/postgres.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { openScratchStore, type ScratchStore, useScratchStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';
import { fileOf } from './raw-store.ts';
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

/** A connection other than the hub's own, as in another process. */
const openStranger = (store: ScratchStore) => new SqliteFile(fileOf(store), { strict: true });

describe('SQLite', () => {
  const store = useScratchStore('sqlite');

  test('while another process holds the write lock, the event loop runs and reads succeed; then the write succeeds', async () => {
    const stranger = openStranger(store);
    stranger.run('BEGIN IMMEDIATE');
    let ticks = 0;
    const hasTurned = Promise.withResolvers<void>();
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 20) hasTurned.resolve();
    }, 5);
    const writing = store.db.transaction((tx) => insertJobRow(tx));
    // A writer that blocks inside SQLite would let no tick and no read through before it gives up.
    await hasTurned.promise;
    clearInterval(ticking);
    expect(await store.db.query.select().from(store.db.tables.jobs)).toEqual([]);
    stranger.run('ROLLBACK');
    stranger.close();
    await writing;
    expect(await store.db.query.select().from(store.db.tables.jobs)).toHaveLength(1);
  });

  test('a file that cannot be created is unavailable', async () => {
    const fault = await failureOf(openDatabase({ kind: 'sqlite', file: '/proc/hub/hub.sqlite' }));
    expect(isDatabaseUnavailable(fault)).toBe(true);
  });
});

describe('Postgres', () => {
  let postgres: GatedPostgres;
  let gate: TcpGate;
  let db: OpenDatabase;
  beforeAll(async () => {
    postgres = await openGatedPostgres();
    ({ gate, db } = postgres);
  });
  afterAll(() => postgres.remove());
  const read = () => Promise.resolve(db.query.select().from(db.tables.jobs));

  test('a server that goes down is unavailable to reads, transactions and new connections; all recover with it', async () => {
    await read();
    gate.shut();
    const write = () => db.transaction((tx) => insertJobRow(tx));
    const url = `postgres://hub@127.0.0.1:${gate.port}/hub`;
    for (const attempt of [read, write, read, write, () => openDatabase({ kind: 'postgres', url })]) {
      const started = performance.now();
      const fault = await failureOf(attempt());
      expect(isDatabaseUnavailable(fault)).toBe(true);
      expect(performance.now() - started).toBeLessThan(20_000);
    }
    await gate.open();
    await write();
    expect(await read()).toHaveLength(1);
  });

  test('a connection lost in the middle of a transaction is unavailable, and the transaction is rolled back', async () => {
    const before = (await read()).length;
    const fault = await failureOf(
      db.transaction(async (tx) => {
        await insertJobRow(tx);
        gate.shut();
        await Bun.sleep(20);
        await insertJobRow(tx);
      }),
    );
    await gate.open();
    expect(isDatabaseUnavailable(fault)).toBe(true);
    await Bun.sleep(50); // The pool learns gradually that its idle connections are closed too.
    expect(await read()).toHaveLength(before);
  });

  test('a session that the server terminates is unavailable', async () => {
    await using admin = connectDirectly(postgres.url);
    const fault = await failureOf(
      db.transaction(async (tx) => {
        const [row] = await tx.query.execute(sql`select pg_backend_pid() as pid`);
        await admin`select pg_terminate_backend(${(row as { pid: number }).pid})`;
        await insertJobRow(tx);
      }),
    );
    expect(isDatabaseUnavailable(fault)).toBe(true);
    await read();
  });

  test('a statement that runs too long, and a lock that is not acquired in time, are unavailable', async () => {
    for (const state of ['57014', '55P03', '53300', '57P03', '08006', '25006']) {
      const raise = sql.raw(`do $$ begin raise exception 'for a test' using errcode = '${state}'; end $$`);
      const fault = await failureOf(db.transaction((tx) => Promise.resolve(tx.query.execute(raise))));
      expect([state, isDatabaseUnavailable(fault)]).toEqual([state, true]);
    }
  });
});

describe('time limits of seconds', () => {
  test.concurrent('a write lock held past the limit fails every waiting writer with DatabaseUnavailableError', async () => {
    await using store = await openScratchStore('sqlite');
    const stranger = openStranger(store);
    stranger.run('BEGIN IMMEDIATE');
    const started = performance.now();
    const faults = await Promise.all(
      [1, 2, 3].map(() => failureOf(store.db.transaction((tx) => insertJobRow(tx)))),
    );
    const waitedMs = performance.now() - started;
    stranger.run('ROLLBACK');
    stranger.close();
    for (const fault of faults) expect(fault).toBeInstanceOf(DatabaseUnavailableError);
    expect(waitedMs).toBeLessThan(14_000);
    await store.db.transaction((tx) => insertJobRow(tx));
  });

  test.concurrent('a server that accepts connections and never responds fails after the connect timeout', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
    const mute = openPostgres(`postgres://hub@127.0.0.1:${silent.port}/hub`);
    const started = performance.now();
    const fault = await failureOf(mute.transaction((tx) => insertJobRow(tx)));
    expect(performance.now() - started).toBeLessThan(20_000);
    silent.stop(true);
    await mute.close();
    expect(isDatabaseUnavailable(fault)).toBe(true);
  });
});

test.each(['sqlite', 'postgres'] as const)(
  'on %s a faulty statement and a broken rule of the hub do not count as unavailable',
  async (dialect) => {
    await using store = await openScratchStore(dialect);
    const { jobs } = store.db.tables;
    const id = Bun.randomUUIDv7();
    const attempts = [
      store.db.transaction(async (tx) => tx.query.select({ x: sql`no_such_column` }).from(jobs)),
      store.db.transaction(async (tx) => [await insertJobRow(tx, id), await insertJobRow(tx, id)]),
      store.db.transaction(() => Promise.reject(new Error('a rule of ours'))),
    ];
    const faults = await Promise.all(attempts.map(failureOf));
    expect(faults.map((fault) => fault instanceof Error)).toEqual([true, true, true]);
    expect(faults.map((fault) => isDatabaseUnavailable(fault))).toEqual([false, false, false]);
    expect(faults.map((fault) => isUniqueViolation(fault))).toEqual([false, true, false]);
  },
);
