/** A statement is prepared once per store handle, and never used on another one. */
import { expect, test } from 'bun:test';
import { and, eq, lt, sql } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import { prepareForTransactions, prepareOnce } from '#db/prepare-once.ts';
import { forEachStore, openScratchStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';

forEachStore((store) => {
  test('it reads through the handle it is given: two stores, and a transaction before its commit', async () => {
    let prepared = 0;
    const findJob = prepareOnce((db) => {
      prepared += 1;
      const { jobs } = db.tables;
      return db.query
        .select({ id: jobs.id })
        .from(jobs)
        .where(eq(jobs.id, sql.placeholder('id')))
        .prepare('find_job');
    });
    const other = await openScratchStore(store.dialect);
    const id = await store.db.transaction(async (tx) => {
      const added = await insertJobRow(tx);
      expect(await findJob(tx).execute({ id: added })).toHaveLength(1);
      expect(await findJob(store.db).execute({ id: added })).toHaveLength(0);
      return added;
    });
    for (let time = 0; time < 3; time += 1) {
      expect(await findJob(store.db).execute({ id })).toHaveLength(1);
      expect(await findJob(other.db).execute({ id })).toHaveLength(0);
    }
    expect(prepared).toBe(3);
    await other.remove();
  });

  test('a statement for transactions is built once per SQLite store or once for all of Postgres, and runs in the given transaction', async () => {
    let prepared = 0;
    const findJob = prepareForTransactions((db) => {
      prepared += 1;
      const { jobs } = db.tables;
      return db.query
        .select({ id: jobs.id, createdAt: jobs.createdAt })
        .from(jobs)
        .where(eq(jobs.id, sql.placeholder('id')))
        .prepare('find_job');
    });
    const other = await openScratchStore(store.dialect);
    for (const { db } of [store, other, store]) {
      await db.transaction(async (tx) => {
        const id = await insertJobRow(tx);
        const [row] = await findJob(tx).execute({ id });
        expect(row).toEqual({ id, createdAt: expect.any(Date) });
        expect(await findJob(other.db).execute({ id })).toHaveLength(0);
      });
    }
    expect(prepared).toBe({ sqlite: 3, postgres: 1 }[store.dialect]);
    await other.remove();
  });

  test('a statement with optional conditions is built once for each combination, and again for each search', async () => {
    let built = 0;
    const select = filteredStatement<{ id?: string | undefined; before: Date | undefined }, { id: string }>(
      ({ query, tables: { jobs } }, { id, before }, found) => {
        built += 1;
        const isBefore = before && lt(jobs.createdAt, sql.param(before, jobs.createdAt));
        return query
          .select({ id: jobs.id })
          .from(jobs)
          .where(and(id && eq(jobs.id, id), isBefore, found));
      },
    );
    const { db } = store;
    const { jobs } = db.tables;
    const [one, other] = await db.transaction(async (tx) => [await insertJobRow(tx), await insertJobRow(tx)]);
    const future = new Date(Date.now() + 1_000_000);
    for (const id of [one, other, one]) {
      expect(await select(db, { id, before: future })).toEqual([{ id }]);
      expect(await select(db, { id, before: new Date(0) })).toEqual([]);
      expect(await select(db, { id, before: undefined })).toEqual([{ id }]);
    }
    expect(built).toBe(2);
    for (const id of [one, other])
      expect(await select(db, { before: future }, eq(jobs.id, id))).toEqual([{ id }]);
    expect((await select(db, { before: future })).length).toBeGreaterThan(1);
    expect(built).toBe(5);
  });
});
