/** Rows by a list. `insert-statement.test.ts` compares fields of every type with those of the query builder. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { selectStatement } from '#db/select-statement.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

const findByHandle = selectStatement('agents', (db, list) => {
  const { agents } = db.tables;
  return db.query
    .select()
    .from(agents)
    .where(inList(db, agents.handle, list))
    .orderBy(agents.handle);
});

forEachStore((store) => {
  const handlesOf = async (list: readonly string[]) =>
    (await store.db.transaction((tx) => findByHandle(tx, list))).map(({ handle }) => handle);

  test('one statement serves lists of any length and content, in any transaction', async () => {
    const handles = ['one', 'two', 'three'].map((name) => `${name}-${store.dialect}`);
    for (const handle of handles) await createTestAgent(createTestCtx(store.db), { handle });
    expect(await handlesOf([])).toEqual([]);
    expect(await handlesOf([handles[1]!, `'`, '"', '$1', '😀', handles[1]!])).toEqual([handles[1]!]);
    const many = Array.from({ length: 2_000 }, (_, index) => `nobody-${index}`);
    expect(await handlesOf([...many, ...handles])).toEqual(handles.toSorted());
  });

  test('a transaction sees its own changes', async () => {
    const { handle, id } = await createTestAgent(createTestCtx(store.db));
    const bio = await store.db.transaction(async (tx) => {
      const { agents } = tx.tables;
      await tx.query.update(agents).set({ bio: 'changed' }).where(eq(agents.id, id));
      return (await findByHandle(tx, [handle]))[0]?.bio;
    });
    expect(bio).toBe('changed');
  });
});
