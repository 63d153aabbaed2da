/** Transactions behave the same on both stores: all or nothing, joined when nested, effects only after the commit. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { insertJobRow, jobRowExists } from './job-rows.ts';

forEachStore((store) => {
  test('what a transaction wrote is there for everyone once it has resolved, and for nobody before', async () => {
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

  test('a transaction that throws after a pause leaves nothing behind and rethrows the very error', async () => {
    const id = createId(new Date());
    const fault = new Error('after the write');
    const attempt = store.db.transaction(async (tx) => {
      await insertJobRow(tx, id);
      await Bun.sleep(1);
      throw fault;
    });
    expect(await attempt.catch((error: unknown) => error)).toBe(fault);
    expect(await jobRowExists(store.db, id)).toBe(false);
  });

  test('a statement the store refuses rolls back what was written before it', async () => {
    const id = createId(new Date());
    const attempt = store.db.transaction(async (tx) => {
      await insertJobRow(tx, id);
      await insertJobRow(tx, id);
    });
    await expect(attempt).rejects.toThrow();
    expect(await jobRowExists(store.db, id)).toBe(false);
  });

  test('a transaction inside another joins it: both are committed together', async () => {
    const [outer, inner] = [createId(new Date()), createId(new Date())];
    await store.db.transaction(async (tx) => {
      await insertJobRow(tx, outer);
      await tx.transaction((joined) => insertJobRow(joined, inner));
      expect(await jobRowExists(store.db, inner)).toBe(false);
    });
    expect(await jobRowExists(store.db, outer)).toBe(true);
    expect(await jobRowExists(store.db, inner)).toBe(true);
  });

  test('a transaction inside another joins it: neither is committed when the outer one throws', async () => {
    const inner = createId(new Date());
    const attempt = store.db.transaction(async (tx) => {
      await tx.transaction((joined) => insertJobRow(joined, inner));
      throw new Error('outer');
    });
    await expect(attempt).rejects.toThrow('outer');
    expect(await jobRowExists(store.db, inner)).toBe(false);
  });

  test('effects run once the outermost transaction has committed, in order, and see what it wrote', async () => {
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

  test('effects of a transaction that rolls back never run', async () => {
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

  test('an effect that throws neither undoes the commit, nor fails the caller, nor keeps the next one from running', async () => {
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

  test('transactions of one process over the same row come one after the other and lose no update', async () => {
    const id = await store.db.transaction((tx) => insertJobRow(tx));
    const { jobs } = store.db.tables;
    const addOne = () =>
      store.db.transaction(async (tx) => {
        // The update that changes nothing is the row lock, on both stores.
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

  test('writing outside a transaction is refused on SQLite, whose reading connection cannot write', async () => {
    if (store.dialect === 'postgres') return;
    await expect(insertJobRow(store.db)).rejects.toThrow('readonly');
  });
});
