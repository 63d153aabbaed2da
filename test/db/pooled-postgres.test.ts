/**
 * Postgres behind a pooler in transaction mode: migrations, transactions, timeouts, and a start without the setting.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { type Pooler, startPooler } from '#test/harness/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';

let database: TestDatabase;
let pooler: Pooler;
let url: string;
let db: OpenDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  pooler = await startPooler(database.url, mkdtempSync(join(tmpdir(), 'agent-hub-pgbouncer-')));
  url = pooler.urlOf(database.url);
  // Several processes migrate at once.
  const stores = await Promise.all(
    Array.from({ length: 3 }, () => openDatabase({ kind: 'postgres', url: `${url}?pool_mode=transaction` })),
  );
  db = stores[0]!;
  await Promise.all(stores.slice(1).map((store) => store.close()));
}, 60_000);
afterAll(async () => {
  await db.close();
  await pooler.stop();
  await database.drop();
});

test('concurrent charges through few server connections are all correct', async () => {
  const ctx = createTestCtx(db, createTestClock());
  const agents = await Promise.all(Array.from({ length: 20 }, () => createTestAgent(ctx, { tokens: 3 })));
  await Promise.all(
    agents.flatMap(({ id }) => [
      redeem(ctx, id, 'http://127.0.0.1:9/'),
      redeem(ctx, id, 'http://127.0.0.1:9/'),
    ]),
  );
  const { tokenAccounts } = db.tables;
  const rows = await db.query.select({ balance: tokenAccounts.balance }).from(tokenAccounts);
  expect(rows.map(({ balance }) => balance)).toEqual(agents.map(() => 2));
});

test('a transaction has its timeouts, although connections lose theirs', async () => {
  const [inside] = await db.transaction((tx) =>
    tx.query.execute(sql`select current_setting('statement_timeout') as statement`),
  );
  expect(inside).toEqual({ statement: '7s' });
});

test('a start without the setting fails with a message that says what to add', async () => {
  await expect(openDatabase({ kind: 'postgres', url })).rejects.toThrow('pool_mode=transaction');
});
