/** Pages are bounded in bytes, and finding one reads little of what is not on it. */
import { expect, test } from 'bun:test';
import { between, eq, sql } from 'drizzle-orm';
import { findPage } from '#db/pages.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore, onStore } from '#test/harness/stores.ts';

const replyOf = (at: number, characters: number) => ({ index: at, response_text: 'a'.repeat(characters) });

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('a page of JSON that compresses well is as small as any', async () => {
    const ada = await signUp(ctx);
    const run = await startAgentRun(ada.ctx);
    const { runItems } = store.db.tables;
    const of = { runId: run.id, share: 1, finishedAt: ctx.clock.now() };
    const items = Array.from({ length: 40 }, (_, at) => ({
      ...of,
      itemIndex: at,
      position: at + 1,
      result: replyOf(at, 50_000) as never,
    }));
    await store.db.transaction(({ query }) => query.insert(runItems).values(items));
    const rows = { table: runItems, id: runItems.itemIndex, where: eq(runItems.runId, run.id) };
    const { ids, isLast } = await findPage<number>(store.db, rows);
    expect([ids, isLast]).toEqual([[0, 1, 2, 3, 4], false]);
  });
});

onStore('postgres', (store) => {
  const ctx = useTestCtx(store);

  // Reading all of it takes longer than a statement may.
  test('JSON that is not on the page is not read', async () => {
    const ada = await signUp(ctx);
    const run = await startAgentRun(ada.ctx);
    const { runItems } = store.db.tables;
    const of = { runId: run.id, share: 1, finishedAt: ctx.clock.now() };
    const items = Array.from({ length: 100 }, (_, at) => ({
      ...of,
      itemIndex: at,
      position: at + 1,
      result: { index: at } as never,
    }));
    await store.db.transaction(async ({ query }) => {
      await query.insert(runItems).values(items);
      const long = sql`json_build_object('response_text', repeat(${createId(of.finishedAt)}, 100000))`;
      // Few at once, because a statement has a limit of time.
      for (let at = 0; at < items.length; at += 5)
        await query
          .update(runItems)
          .set({ result: long })
          .where(between(runItems.itemIndex, at, at + 4));
    });
    const rows = { table: runItems, id: runItems.itemIndex, where: eq(runItems.runId, run.id) };
    expect((await findPage<number>(store.db, rows)).ids).toEqual([0]);
  });
});
