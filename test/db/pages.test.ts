/** Pages are bounded in bytes, and finding one reads little of what is not on it. */
import { expect, test } from 'bun:test';
import { between, eq, sql } from 'drizzle-orm';
import { findPage } from '#db/pages.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore, onStore } from '#test/harness/stores.ts';

/** A run with items that have such results. */
async function startRun(ctx: TestCtx, count: number, resultOf: (at: number) => object) {
  const { id: runId } = await startAgentRun((await signUp(ctx)).ctx);
  const { runItems } = ctx.db.tables;
  const items = Array.from({ length: count }, (_, at) => ({
    runId,
    share: 1,
    finishedAt: ctx.clock.now(),
    itemIndex: at,
    position: at + 1,
    result: resultOf(at) as never,
  }));
  await ctx.db.transaction(({ query }) => query.insert(runItems).values(items));
  return { table: runItems, id: runItems.itemIndex, where: eq(runItems.runId, runId) };
}

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('a page of JSON that compresses well is as small as any', async () => {
    const text = 'a'.repeat(50_000);
    const rows = await startRun(ctx, 40, (at) => ({ index: at, response_text: text }));
    const { ids, isLast } = await findPage<number>(store.db, rows);
    expect([ids, isLast]).toEqual([[0, 1, 2, 3, 4], false]);
  });
});

onStore('postgres', (store) => {
  const ctx = useTestCtx(store);

  // Reading all of it takes longer than a statement may.
  test('JSON that is not on the page is not read', async () => {
    const rows = await startRun(ctx, 100, (at) => ({ index: at }));
    const long = sql`json_build_object('response_text', repeat(${createId(ctx.clock.now())}, 100000))`;
    // Few at once, because a statement has a limit of time.
    for (let at = 0; at < 100; at += 5)
      await store.db.transaction(({ query }) =>
        query
          .update(rows.table)
          .set({ result: long })
          .where(between(rows.id, at, at + 4)),
      );
    expect((await findPage<number>(store.db, rows)).ids).toEqual([0]);
  });
});
