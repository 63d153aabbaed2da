import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { listParameter } from '#db/prepared.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  const ctx = () => createTestCtx(store.db);

  test('a list matches the rows it names, whatever its length and content', async () => {
    const handles = Array.from({ length: 3 }, (_, index) => `listed-${index}-${store.dialect}`);
    for (const handle of handles) await createTestAgent(ctx(), { handle });
    const { agents } = store.db.tables;
    const find = async (list: readonly string[]) => {
      const rows = await store.db.query
        .select({ handle: agents.handle })
        .from(agents)
        .where(inList(store.db, agents.handle, list))
        .orderBy(agents.handle);
      return rows.map(({ handle }) => handle);
    };
    expect(await find([])).toEqual([]);
    expect(await find(handles.slice(1))).toEqual(handles.slice(1));
    const hostile = [`'`, '"', '{}', 'a,b', '\\', `${handles[0]}' or '1'='1`, 'null', '😀'];
    expect(await find(hostile)).toEqual([]);
    expect(await find([...hostile, handles[0]!])).toEqual([handles[0]!]);
    expect(
      await find([...Array.from({ length: 5000 }, (_, index) => `nobody-${index}`), ...handles]),
    ).toEqual(handles);
  });

  test('one prepared statement accepts lists of any length, also of ids', async () => {
    const { id } = await createTestAgent(ctx());
    const { agents } = store.db.tables;
    const prepared = store.db.query
      .select({ id: agents.id })
      .from(agents)
      .where(inList(store.db, agents.id, sql.placeholder('ids')))
      .prepare('find_by_ids');
    expect(await prepared.execute({ ids: listParameter([]) })).toEqual([]);
    expect(await prepared.execute({ ids: listParameter([id]) })).toEqual([{ id }]);
    expect(await prepared.execute({ ids: listParameter([Bun.randomUUIDv7(), id]) })).toEqual([{ id }]);
  });
});
