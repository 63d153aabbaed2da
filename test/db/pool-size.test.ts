/**
 * `?pool_size=` in `DATABASE_URL` limits the connections of a process. Postgres aborts one of two conflicting transactions;
 * the hub retries it from the start, a limited number of times.
 */
import { expect, test } from 'bun:test';
import { sql, eq } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { DatabaseUnavailableError } from '#db/errors.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { rowOf } from '#test/harness/rows.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';

const callers = 12;
const store = useScratchStore('postgres');

test('transactions and single statements of many callers share as many connections as the URL allows', async () => {
  const url = new URL(databaseUrlOf(store.setting));
  url.searchParams.set('pool_size', '3');
  const db = await openDatabase({ kind: 'postgres', url: url.href });
  const readPid = sql`select pg_backend_pid() as pid, pg_sleep(0.05)`;
  const answers = await Promise.all(
    Array.from({ length: callers }, (_, caller) =>
      caller % 2 === 0
        ? db.transaction((tx) => tx.query.execute(readPid))
        : Promise.resolve(db.query.execute(readPid)),
    ),
  );
  const pids = (answers as { pid: number }[][]).map(([row]) => row?.pid);
  expect(new Set(pids).size).toBe(3);
  await db.close();
});

async function addOne(tx: Transaction, id: string): Promise<void> {
  const { jobs } = tx.tables;
  const [row] = await tx.query.update(jobs).set({ kind: 'count' }).where(eq(jobs.id, id)).returning();
  const count = (row!.payload as { count?: number }).count ?? 0;
  await tx.query
    .update(jobs)
    .set({ payload: { count: count + 1 } })
    .where(eq(jobs.id, id));
}

const payloadOf = async (id: string): Promise<unknown> => (await rowOf(store, 'jobs', { id })).payload;

test('two transactions that deadlock both commit; the effects of the rolled-back attempt do not run', async () => {
  const [one, other] = await store.db.transaction(async (tx) => [
    await insertJobRow(tx),
    await insertJobRow(tx),
  ]);
  const bothHoldTheFirst = Promise.withResolvers<void>();
  let holders = 0;
  let tries = 0;
  const effects: string[] = [];
  const inOrder = (name: string, first: string, second: string) =>
    store.db.transaction(async (tx) => {
      tries += 1;
      tx.afterCommit(() => effects.push(name));
      await addOne(tx, first);
      holders += 1;
      if (holders === 2) bothHoldTheFirst.resolve();
      await bothHoldTheFirst.promise;
      await addOne(tx, second);
    });
  await Promise.all([inOrder('a', one, other), inOrder('b', other, one)]);
  expect(tries).toBeGreaterThan(2);
  expect(effects.toSorted()).toEqual(['a', 'b']);
  expect([await payloadOf(one), await payloadOf(other)]).toEqual([{ count: 2 }, { count: 2 }]);
});

test('a serialization failure is retried', async () => {
  const id = await store.db.transaction((tx) => insertJobRow(tx));
  let tries = 0;
  const raced = store.db.transaction(async (tx) => {
    tries += 1;
    await tx.query.execute(sql`set transaction isolation level repeatable read`);
    await tx.query.select().from(tx.tables.jobs);
    // Another transaction commits between the snapshot and the write of the first attempt.
    if (tries === 1) await store.db.transaction((rival) => addOne(rival, id));
    await addOne(tx, id);
  });
  await raced;
  expect(tries).toBe(2);
  expect(await payloadOf(id)).toEqual({ count: 2 });
});

test('a transaction that ignores a failed statement rejects, because the server has rolled it back', async () => {
  const id = await store.db.transaction((tx) => insertJobRow(tx));
  const attempt = store.db.transaction(async (tx) => {
    await insertJobRow(tx, id).catch(() => undefined);
    return 'done';
  });
  await expect(attempt).rejects.toThrow('ROLLBACK instead of COMMIT');
});

test('a transaction that keeps meeting conflicts fails as unavailable', async () => {
  let tries = 0;
  const attempt = store.db.transaction(async (tx) => {
    tries += 1;
    await tx.query.execute(sql`do $$ begin raise exception 'for a test' using errcode = '40001'; end $$`);
  });
  await expect(attempt).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(tries).toBe(4);
});
