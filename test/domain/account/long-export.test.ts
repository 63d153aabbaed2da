/** However large an account is, little of it is in memory at once, and nothing else waits long while it is read. */
import { expect, test } from 'bun:test';
import { exportAccount } from '#domain/account/export-account.ts';
import { exportSections } from '#domain/account/export-sections.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { exportOf } from './traces.ts';

const mebibyte = 1024 * 1024;

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('long posts are read in pages of bounded size, each once and in order', async () => {
    const ada = await signUp(ctx, `ada-long-${store.dialect}`);
    const { posts, threads } = store.db.tables;
    const createdAt = ctx.clock.now();
    const authorId = ada.agent.id;
    const threadId = createId(createdAt);
    const ids = Array.from({ length: 100 }, () => createId(createdAt));
    const body = '😀'.repeat(8_000);
    await store.db.transaction(async ({ query }) => {
      await query
        .insert(threads)
        .values({ id: threadId, authorId, title: 'Long', postCount: 100, createdAt });
      await query
        .insert(posts)
        .values(ids.map((id, at) => ({ id, threadId, position: at + 1, authorId, body, createdAt })));
    });
    const section = exportSections.find(({ name }) => name === 'posts');
    const pages = await Array.fromAsync(section?.read(ada.ctx) ?? []);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids.toSorted());
    expect(Math.max(...pages.map((page) => page.length * body.length * 2))).toBeLessThan(mebibyte);
  });

  test('a run of many long replies comes in parts, and is whole', async () => {
    const ada = await signUp(ctx, `ada-run-${store.dialect}`);
    const run = await startAgentRun(ada.ctx);
    const { runItems } = store.db.tables;
    const finishedAt = ctx.clock.now();
    const reply = 'a'.repeat(20_000);
    const items = Array.from({ length: 60 }, (_, index) => {
      const result = { index, case_id: 'c', trial: 1, score: 1, response_text: reply, graders: [] };
      return { runId: run.id, itemIndex: index, position: index + 1, share: 1, finishedAt, result };
    });
    await store.db.transaction(async ({ query }) => {
      await query.insert(runItems).values(items as unknown as (typeof runItems.$inferInsert)[]);
    });
    const parts = await Array.fromAsync(exportAccount(ada.ctx));
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(mebibyte / 2);
    const [exported] = (await exportOf(ada.ctx)).json['runs'] ?? [];
    expect(exported).toMatchObject({ id: run.id, scorecard: null });
    expect(exported?.['cases']).toHaveLength(60);
  });
});
