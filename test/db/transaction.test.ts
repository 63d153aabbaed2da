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

const insertJobs = insertStatement('jobs');

forEachStore((store) => {
  test('the writes of a transaction are visible to everyone once it has resolved, and to nobody before', async () => {
    const id = createId(new Date());
    const result = await store.db.transaction(async (tx) => {
      await insertJobRow(tx, id);
      expect(await jobRowExists(tx, id)).toBe(true);
      expect(await jobRowExists(store.db, id)).toBe(false);
      return 'the result';
    });
    expect(result).toBe('the result');
    expect(await jobRowExists(store.db, id)).toBe(true);
  });

  test('a transaction that throws after an await leaves nothing behind and rethrows the same error', async () => {
    const id = createId(new Date());
    const fault = new Error('after the write');
    const attempt = store.db.transaction(async (tx) => {
      await insertJobRow(tx, id);
      await Bun.sleep(1);
      throw fault;
    });
    await expect(attempt).rejects.toBe(fault);
    expect(await jobRowExists(store.db, id)).toBe(false);
  });

  test('a nested transaction joins the outer one: both commit together, or neither', async () => {
    const [outer, inner] = [createId(new Date()), createId(new Date())];
    await store.db.transaction(async (tx) => {
      await insertJobRow(tx, outer);
      await tx.transaction((joined) => insertJobRow(joined, inner));
      expect(await jobRowExists(store.db, inner)).toBe(false);
    });
    expect(await jobRowExists(store.db, outer)).toBe(true);
    expect(await jobRowExists(store.db, inner)).toBe(true);
    const undone = createId(new Date());
    const attempt = store.db.transaction(async (tx) => {
      await tx.transaction((joined) => insertJobRow(joined, undone));
      throw new Error('outer');
    });
    await expect(attempt).rejects.toThrow('outer');
    expect(await jobRowExists(store.db, undone)).toBe(false);
  });

  test('statements of atCommit are sent after the work, in order, and commit with it', async () => {
    const [early, late] = [createId(new Date()), createId(new Date())];
    const seen: string[] = [];
    await store.db.transaction(async (tx) => {
      await tx.transaction(async (joined) => {
        for (const id of [early, late]) insertJobs.atCommit(joined, [jobRow(id)]);
        joined.afterCommit(() => seen.push('committed'));
      });
      expect(await jobRowExists(tx, early)).toBe(false);
    });
    expect([await jobRowExists(store.db, early), await jobRowExists(store.db, late)]).toEqual([true, true]);
    expect(seen).toEqual(['committed']);
  });

  test('nothing is committed if a statement of atCommit fails, if it cannot be sent, or if the work throws', async () => {
    const [there, before, beside] = [createId(new Date()), createId(new Date()), createId(new Date())];
    await store.db.transaction((tx) => insertJobRow(tx, there));
    const seen: string[] = [];
    const attempt = (end: (tx: Transaction) => void) =>
      store.db.transaction(async (tx) => {
        tx.afterCommit(() => seen.push('committed'));
        await insertJobRow(tx, before);
        insertJobs.atCommit(tx, [jobRow(beside)]);
        end(tx);
      });
    const thrown = (): never => {
      throw new Error('not sent');
    };
    await expect(attempt((tx) => insertJobs.atCommit(tx, [jobRow(there)]))).rejects.toThrow();
    await expect(attempt((tx) => tx.atCommit(thrown))).rejects.toThrow('not sent');
    await expect(attempt(thrown)).rejects.toThrow('not sent');
    expect([await jobRowExists(store.db, before), await jobRowExists(store.db, beside)]).toEqual([
      false,
      false,
    ]);
    expect(seen).toEqual([]);
    await store.db.transaction((tx) => insertJobRow(tx, before));
  });

  test('effects run in order after the outermost transaction has committed, and see its writes', async () => {
    const id = createId(new Date());
    const seen: string[] = [];
    let found: Promise<boolean> | undefined;
    await store.db.transaction(async (tx) => {
      tx.afterCommit(() => {
        seen.push('first');
        found = jobRowExists(store.db, id);
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

  test('effects of a rolled-back transaction never run', async () => {
    let ran = false;
    const attempt = store.db.transaction(async (tx) => {
      tx.afterCommit(() => {
        ran = true;
      });
      await tx.transaction(async (joined) => joined.afterCommit(() => void (ran = true)));
      throw new Error('no');
    });
    await expect(attempt).rejects.toThrow('no');
    await Bun.sleep(5);
    expect(ran).toBe(false);
  });

  test('an effect that throws does not undo the commit, fail the caller or stop the next effect', async () => {
    const id = createId(new Date());
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
    expect(await jobRowExists(store.db, id)).toBe(true);
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
    const [row] = await store.db.query.select().from(jobs).where(eq(jobs.id, id));
    expect(row?.payload).toEqual({ count: 40 });
  });

  test('writing outside a transaction is rejected on SQLite, because the reading connection is read-only', async () => {
    if (store.dialect === 'postgres') return;
    await expect(insertJobRow(store.db)).rejects.toThrow('readonly');
  });

  test('results are returned in the order of the statements', async () => {
    const [one, two] = await pipelined(Promise.resolve(1), Promise.resolve('two'));
    expect([one, two]).toEqual([1, 'two']);
  });

  test('a fault rolls back everything, including statements that have not started yet', async () => {
    const taken = createId(new Date());
    const beside = createId(new Date());
    const late = createId(new Date());
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
    const fault = await failureOf(work);
    // On Postgres the other statements also fail once the transaction is broken; the order decides which
    // fault is reported.
    expect(fault).not.toBeNull();
    await Bun.sleep(100);
    expect(await jobRowExists(store.db, beside)).toBe(false);
    expect(await jobRowExists(store.db, late)).toBe(false);
    expect(await jobRowExists(store.db, taken)).toBe(true);
  });

  test('the reported fault is the one that broke the transaction', async () => {
    const taken = createId(new Date());
    await store.db.transaction((tx) => insertJobRow(tx, taken));
    const work = store.db.transaction((tx) =>
      pipelined(insertJobRow(tx, taken), insertJobRow(tx, createId(new Date()))),
    );
    expect(isUniqueViolation(await failureOf(work))).toBe(true);
  });
});
