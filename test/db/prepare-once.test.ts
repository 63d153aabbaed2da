/** A statement is prepared once per store handle, and never used on another one. */
import { expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepare-once.ts';
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
});
