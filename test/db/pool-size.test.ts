/** `?pool_size=` in `DATABASE_URL` limits the connections of a process. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';

const callers = 12;

let database: TestDatabase;
let db: OpenDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  const url = new URL(database.url);
  url.searchParams.set('pool_size', '3');
  db = await openDatabase({ kind: 'postgres', url: url.href });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test('transactions and single statements of many callers share as many connections as the URL allows', async () => {
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
});
