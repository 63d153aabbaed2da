/**
 * Transactions behave the same on both stores: atomic, joined when nested, effects only after the commit.
 */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { isUniqueViolation } from '#db/errors.ts';
import { insertStatement } from '#db/prepared.ts';
import { pipelined } from '#db/transaction.ts';
import { createId } from '#runtime/create-id.ts';
import { forEachStore } from '../harness/stores.ts';
import { insertJobRow, jobRow, jobRowExists } from './job-rows.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { rowOf } from '#test/harness/rows.ts';

const insertJobs = insertStatement('jobs');

const newId = () => createId(new Date());

forEachStore((store) => {
  const exists = (id: string) => jobRowExists(store.db, id);

  test('the writes of a transaction are visible to everyone once it has resolved, and to nobody before', async () => {
    const id = newId();
    const result = await store.db.transaction(async (tx) => {
      await insertJobRow(tx, id);
      expect(await jobRowExists(tx, id)).toBe(true);
      expect(await exists(id)).toBe(false);
      return 'the result';
    });
    expect(result).toBe('the result');
    expect(await exists(id)).toBe(true);
  });

  test('a nested transaction joins the outer one: both commit together, or neither', async () => {
    const [outer, inner] = [newId(), newId()];
    await store.db.transaction(async (tx) => {
      await insertJobRow(tx, outer);
      await tx.transaction((joined) => insertJobRow(joined, inner));
      expect(await exists(inner)).toBe(false);
    });
    expect(await exists(outer)).toBe(true);
    expect(await exists(inner)).toBe(true);
    const undone = newId();
    const attempt = store.db.transaction(async (tx) => {
      await tx.transaction((joined) => insertJobRow(joined, undone));
      throw new Error('outer');
    });
    await expect(attempt).rejects.toThrow('outer');
    expect(await exists(undone)).toBe(false);
  });

  test('statements of atCommit are sent after the work, in order, and commit with it', async () => {
    const [early, late] = [newId(), newId()];
    const seen: string[] = [];
    await store.db.transaction(async (tx) => {
      await tx.transaction(async (joined) => {
        for (const id of [early, late]) insertJobs.atCommit(joined, [jobRow(id)]);
        joined.afterCommit(() => seen.push('committed'));
      });
      expect(await jobRowExists(tx, early)).toBe(false);
    });
    expect([await exists(early), await exists(late)]).toEqual([true, true]);
    expect(seen).toEqual(['committed']);
  });

  test('nothing is committed, and no effect runs, if a statement of atCommit fails or cannot be sent, or if the work throws', async () => {
    const [there, before, beside] = [newId(), newId(), newId()];
    await store.db.transaction((tx) => insertJobRow(tx, there));
    const seen: string[] = [];
    const attempt = (end: (tx: Transaction) => void) =>
      store.db.transaction(async (tx) => {
        tx.afterCommit(() => seen.push('outer'));
        await tx.transaction(async (joined) => joined.afterCommit(() => seen.push('joined')));
        await insertJobRow(tx, before);
        insertJobs.atCommit(tx, [jobRow(beside)]);
        await Bun.sleep(1);
        end(tx);
      });
    const fault = new Error('not sent');
    const thrown = (): never => {
      throw fault;
    };
    await expect(attempt((tx) => insertJobs.atCommit(tx, [jobRow(there)]))).rejects.toThrow();
    await expect(attempt((tx) => tx.atCommit(thrown))).rejects.toThrow('not sent');
    await expect(attempt(thrown)).rejects.toBe(fault);
    await Bun.sleep(5);
    expect([await exists(before), await exists(beside), seen]).toEqual([false, false, []]);
    await store.db.transaction((tx) => insertJobRow(tx, before));
  });

  test('effects run in order after the outermost transaction has committed, and see its writes', async () => {
    const id = newId();
    const seen: string[] = [];
    let found: Promise<boolean> | undefined;
    await store.db.transaction(async (tx) => {
      tx.afterCommit(() => {
        seen.push('first');
        found = exists(id);
      });
      await tx.transaction(async (joined) => {
        await insertJobRow(joined, id);
        joined.afterCommit(() => seen.push('second'));
      });
      await Bun.sleep(5);
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual(['first', 'second']);
    expect(await found).toBe(true);
  });

  test('an effect that throws does not undo the commit, fail the caller or stop the next effect', async () => {
    const id = newId();
    const seen: string[] = [];
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    try {
      await store.db.transaction(async (tx) => {
        await insertJobRow(tx, id);
        tx.afterCommit(() => {
          throw new Error('the publisher is broken');
        });
        tx.afterCommit(() => seen.push('next'));
      });
      await Bun.sleep(5);
    } finally {
      process.off('warning', note);
    }
    expect(seen).toEqual(['next']);
    expect(await exists(id)).toBe(true);
    expect(warnings.map((warning) => warning.message)).toEqual([
      'An effect after a commit failed: the publisher is broken',
    ]);
  });

  test('transactions of one process on the same row are serialized and lose no update', async () => {
    const id = await store.db.transaction((tx) => insertJobRow(tx));
    const { jobs } = store.db.tables;
    const addOne = () =>
      store.db.transaction(async (tx) => {
        // The no-op update takes the row lock on both stores.
        const [row] = await tx.query.update(jobs).set({ kind: 'count' }).where(eq(jobs.id, id)).returning();
        await Bun.sleep(0);
        const count = (row!.payload as { count?: number }).count ?? 0;
        await tx.query
          .update(jobs)
          .set({ payload: { count: count + 1 } })
          .where(eq(jobs.id, id));
      });
    await Promise.all(Array.from({ length: 40 }, addOne));
    expect((await rowOf(store, 'jobs', { id })).payload).toEqual({ count: 40 });
  });

  test('writing outside a transaction is rejected on SQLite, because the reading connection is read-only', async () => {
    if (store.dialect === 'postgres') return;
    await expect(insertJobRow(store.db)).rejects.toThrow('readonly');
  });

  test('a fault rolls back everything, including statements that have not started yet', async () => {
    const [taken, beside, late] = [newId(), newId(), newId()];
    await store.db.transaction((tx) => insertJobRow(tx, taken));
    const work = store.db.transaction(async (tx) => {
      const inSteps = async (): Promise<void> => {
        await insertJobRow(tx, beside);
        // Longer than an unobstructed rollback would take.
        await Bun.sleep(50);
        await insertJobRow(tx, late);
      };
      await pipelined(inSteps(), insertJobRow(tx, taken));
    });
    // On Postgres the other statements fail too; the order decides which fault is reported.
    expect(await failureOf(work)).not.toBeNull();
    await Bun.sleep(100);
    expect(await Promise.all([beside, late, taken].map(exists))).toEqual([false, false, true]);
  });

  test('the reported fault is the one that broke the transaction', async () => {
    const taken = newId();
    await store.db.transaction((tx) => insertJobRow(tx, taken));
    const work = store.db.transaction((tx) => pipelined(insertJobRow(tx, taken), insertJobRow(tx, newId())));
    expect(isUniqueViolation(await failureOf(work))).toBe(true);
  });
});
