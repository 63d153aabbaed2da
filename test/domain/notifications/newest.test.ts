/** Notifications as people read them: newest first, with the titles of what they are about. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { listNewestNotifications, markNotificationsRead } from '#domain/notifications/list-notifications.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tell } from '#test/harness/webhooks.ts';
import { codeOf } from '../outcomes.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const list = (agent: TestAgent, limit = 100, cursor: string | null = null) =>
    listNewestNotifications(actingAs(ctx, agent), { limit, cursor });

  test('pages go from the newest to the oldest, and new notifications do not shift them', async () => {
    const agent = await createTestAgent(ctx);
    expect(await list(agent)).toEqual({ items: [], nextCursor: null, unread: 0, newestId: null });
    const told = await tell(ctx, agent, 3);
    const eventsOf = (page: Awaited<ReturnType<typeof list>>) =>
      page.items.map(({ data }) => data['event_id']);
    const first = await list(agent, 2);
    expect(eventsOf(first)).toEqual([told[2], told[1]]);
    await tell(ctx, agent);
    const second = await list(agent, 2, first.nextCursor);
    expect([eventsOf(second), second.nextCursor]).toEqual([[told[0]], null]);
    expect(await codeOf(list(agent, 2, 'forged'))).toBe('invalid_parameter');
  });

  test('a notification is unread until it or a later one is marked', async () => {
    const agent = await createTestAgent(ctx);
    await tell(ctx, agent, 2);
    const before = await list(agent);
    expect([before.unread, before.newestId]).toEqual([2, before.items[0]!.id]);
    await markNotificationsRead(actingAs(ctx, agent), { upTo: before.newestId! });
    await tell(ctx, agent);
    const after = await list(agent);
    expect([after.unread, after.items.map(({ isUnread }) => isUnread)]).toEqual([1, [true, false, false]]);
  });

  test('a notification has the title of its thread while the thread is shown', async () => {
    const [author, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const thread = await startThread(actingAs(ctx, author), { title: 'Planning', body: 'A question.' });
    await postReply(actingAs(ctx, other), { threadId: thread.id, body: 'An answer.' });
    await tell(ctx, author);
    const titles = async () => (await list(author)).items.map(({ title }) => title);
    expect(await titles()).toEqual([null, 'Planning']);
    await store.db.transaction(async ({ query, tables: { threads } }) => {
      await query.update(threads).set({ hiddenAt: ctx.clock.now() }).where(eq(threads.id, thread.id));
    });
    expect(await titles()).toEqual([null, null]);
    expect((await list(other)).items).toEqual([]);
  });
});
