/** Statements that are pipelined all end before their transaction does, even if one of them fails. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { isUniqueViolation } from '#db/errors.ts';
import { pipelined } from '#db/pipelined.ts';
import { createId } from '#runtime/create-id.ts';
import { forEachStore } from '#test/harness/stores.ts';

function insertJob(tx: Transaction, id: string): Promise<unknown> {
  const now = new Date();
  return tx.query
    .insert(tx.tables.jobs)
    .values({ id, kind: 'test', payload: {}, createdAt: now, runAt: now, publishedAt: now })
    .execute();
}

forEachStore((store) => {
  const exists = async (id: string): Promise<boolean> => {
    const { jobs } = store.db.tables;
    return (await store.db.query.select().from(jobs).where(eq(jobs.id, id))).length === 1;
  };

  test('results are returned in the order of the statements', async () => {
    const [one, two] = await pipelined(Promise.resolve(1), Promise.resolve('two'));
    expect([one, two]).toEqual([1, 'two']);
  });

  test('a fault rolls back everything, including statements that have not started yet', async () => {
    const taken = createId(new Date());
    const beside = createId(new Date());
    const late = createId(new Date());
    await store.db.transaction((tx) => insertJob(tx, taken));
    const work = store.db.transaction(async (tx) => {
      const inSteps = async (): Promise<void> => {
        await insertJob(tx, beside);
        // Longer than an unobstructed rollback would take.
        await Bun.sleep(50);
        await insertJob(tx, late);
      };
      await pipelined(inSteps(), insertJob(tx, taken));
    });
    const fault = await work.then(
      () => null,
      (error: unknown) => error,
    );
    // On Postgres the other statements also fail once the transaction is broken; the order decides which
    // fault is reported.
    expect(fault).not.toBeNull();
    await Bun.sleep(100);
    expect(await exists(beside)).toBe(false);
    expect(await exists(late)).toBe(false);
    expect(await exists(taken)).toBe(true);
  });

  test('the reported fault is the one that broke the transaction', async () => {
    const taken = createId(new Date());
    await store.db.transaction((tx) => insertJob(tx, taken));
    const work = store.db.transaction((tx) =>
      pipelined(insertJob(tx, taken), insertJob(tx, createId(new Date()))),
    );
    const fault = await work.then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUniqueViolation(fault)).toBe(true);
  });
});
