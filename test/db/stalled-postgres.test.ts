/** A Postgres that hangs, or a network that drops packets, costs a caller seconds and leaves no outcome unclear. */
import type { SQL } from 'bun';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { isDatabaseUnavailable } from '#db/errors.ts';
import { defaultPoolSize } from '#runtime/settings/pool-parameters.ts';
import { insertJobRow, jobRowExists } from './job-rows.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { briefBounds, type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** The store of this test gives up after 3 seconds; the rest is slack for a busy machine. */
const refusedWithinMs = 12_000;

let postgres: GatedPostgres;
let gate: TcpGate;
let db: OpenDatabase;
let admin: SQL;

beforeAll(async () => {
  postgres = await openGatedPostgres(briefBounds, defaultPoolSize);
  ({ gate, db } = postgres);
  admin = connectDirectly(postgres.url);
});

afterAll(async () => {
  await admin.close();
  await postgres.remove();
});

const read = (): Promise<unknown[]> => Promise.resolve(db.query.select().from(db.tables.jobs));

async function faultAndTime(attempt: Promise<unknown>): Promise<{ fault: unknown; tookMs: number }> {
  const startedAt = performance.now();
  const fault = await failureOf(attempt);
  return { fault, tookMs: performance.now() - startedAt };
}

async function expectRefused(attempts: readonly Promise<unknown>[]): Promise<void> {
  for (const { fault, tookMs } of await Promise.all(attempts.map(faultAndTime))) {
    expect(isDatabaseUnavailable(fault)).toBe(true);
    expect(tookMs).toBeLessThan(refusedWithinMs);
  }
}

/** Anything still waiting for the stalled server would be rejected. */
async function expectHealed(): Promise<void> {
  const many = Array.from({ length: 3 * defaultPoolSize }, (_, index) => index);
  await Promise.all(
    many.map((index) => (index % 2 === 0 ? read() : db.transaction((tx) => insertJobRow(tx)))),
  );
}

/** According to the server, the hub has at most its sessions, and all are idle, once those that are ending have ended. */
async function expectIdle(): Promise<void> {
  await waitUntil(async () => {
    const found: { state: string }[] = await admin`
      select state from pg_stat_activity where application_name = 'agent-hub' and datname = current_database()`;
    return found.length <= defaultPoolSize && found.every(({ state }) => state === 'idle');
  }, 20_000);
}

test('while Postgres hangs, every call fails within seconds, including an unacknowledged commit; then all recover and nothing leaks', async () => {
  await expectHealed();
  let effects = 0;
  const stalled = Promise.withResolvers<void>();
  const unanswered = db.transaction(async (tx) => {
    tx.afterCommit(() => void (effects += 1));
    await insertJobRow(tx);
    gate.stall();
    stalled.resolve();
  });
  await stalled.promise;
  const ids = Array.from({ length: defaultPoolSize + 2 }, () => Bun.randomUUIDv7());
  await expectRefused([
    unanswered,
    ...ids.map((id) => db.transaction((tx) => insertJobRow(tx, id))),
    ...Array.from({ length: 20 }, read),
  ]);
  gate.resume();
  await expectHealed();
  expect(effects).toBe(0);
  await expectIdle();
  for (const id of ids) expect(await jobRowExists(db, id)).toBe(false);
});

test('a transaction that takes too long is rejected without affecting others, and its connection is not reused', async () => {
  const pid = Promise.withResolvers<number>();
  const id = Bun.randomUUIDv7();
  const slow = db.transaction(async (tx) => {
    const [row] = await tx.query.execute(sql`select pg_backend_pid() as pid`);
    pid.resolve((row as { pid: number }).pid);
    await insertJobRow(tx, id);
    for (let round = 0; round < 4; round += 1) await tx.query.execute(sql`select pg_sleep(1.5)`);
  });
  const [others] = await Promise.all([
    (async () => {
      for (let round = 0; round < 15; round += 1) {
        await Promise.all([read(), db.transaction((tx) => insertJobRow(tx))]);
        await Bun.sleep(200);
      }
      return 'unharmed';
    })(),
    expectRefused([slow]),
  ]);
  expect(others).toBe('unharmed');
  await expectIdle();
  const gone = await admin`select pid from pg_stat_activity where pid = ${await pid.promise}`;
  expect([...gone]).toEqual([]);
  expect(await jobRowExists(db, id)).toBe(false);
});
