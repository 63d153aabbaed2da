/** Reading a feed: order, positions, the unread mark and pruning. */
import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { withTransaction } from '#domain/context.ts';
import {
  countOwnUnread,
  listNotifications,
  type ListNotificationsInput,
  markNotificationsRead,
  listNewestNotifications,
} from '#domain/notifications/list-notifications.ts';
import { notifyAgents, pruneNotifications } from '#domain/notifications/notify-agents.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tell } from '#test/harness/webhooks.ts';
import { codeOf } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';

const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);

  async function list(agent: TestAgent, input: Partial<ListNotificationsInput> = {}) {
    const page = { limit: 100, cursor: null, kind: null, ...input };
    const listed = await listNotifications(actingAs(ctx, agent), page);
    return { ...listed, events: listed.notifications.map(({ data }) => data['event_id']) };
  }
  const read = (agent: TestAgent, upTo: string) => markNotificationsRead(actingAs(ctx, agent), { upTo });

  test('a feed that was never written to is empty, without a cursor', async () => {
    const agent = await createTestAgent(ctx);
    expect(await list(agent)).toMatchObject({ notifications: [], nextCursor: null, unread: 0 });
    expect(await codeOf(read(agent, createId(ctx.clock.now())))).toBe('not_found');
  });

  test('pages go from the oldest to the newest, and the last cursor is where the next notification will appear', async () => {
    const agent = await createTestAgent(ctx);
    const told = await tell(ctx, agent, 5);
    const first = await list(agent, { limit: 2 });
    const second = await list(agent, { limit: 3, cursor: first.nextCursor });
    expect([first.events, second.events]).toEqual([told.slice(0, 2), told.slice(2)]);
    expect(second.nextCursor).toBe(second.notifications.at(-1)!.id);
    expect(await list(agent, { cursor: second.nextCursor })).toMatchObject({
      events: [],
      nextCursor: second.nextCursor,
    });
    const more = await tell(ctx, agent);
    expect((await list(agent, { cursor: second.nextCursor })).events).toEqual(more);
  });

  test('a filtered page moves the cursor past the notifications that it leaves out', async () => {
    const agent = await createTestAgent(ctx);
    await tell(ctx, agent, 3);
    const none = await list(agent, { kind: 'thread.reply' });
    expect(none).toMatchObject({ notifications: [], unread: 3 });
    expect((await list(agent, { cursor: none.nextCursor })).notifications).toEqual([]);
    expect((await list(agent, { kind: 'waitlist.open' })).notifications).toHaveLength(3);
  });

  test('the unread mark never moves back, and a foreign id is unknown', async () => {
    const [agent, stranger] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    await tell(ctx, agent, 4);
    await tell(ctx, stranger);
    const ids = (await list(agent)).notifications.map(({ id }) => id);
    expect(await read(agent, ids[2]!)).toBe(1);
    expect(await read(agent, ids[0]!)).toBe(1);
    expect(await codeOf(read(stranger, ids[3]!))).toBe('not_found');
    expect(await countOwnUnread(actingAs(ctx, agent))).toBe(1);
    expect((await list(agent, { limit: 1 })).unread).toBe(1);
    expect(await read(agent, ids[3]!)).toBe(0);
  });

  test('concurrent transactions number a feed without gaps, so a reader that follows it misses nothing', async () => {
    const agents = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const writers = race(ctx, 20, (at, index) =>
      // In both orders, which would deadlock if feeds were locked in the order of the notices.
      withTransaction(at, (inner) =>
        notifyAgents(
          inner,
          (index % 3 === 0 ? agents : agents.toReversed()).map(({ id }) => ({
            agentId: id,
            kind: 'waitlist.open' as const,
            data: { event_id: String(index) },
          })),
        ),
      ),
    );
    let ended = false;
    const writing = Promise.all(writers).then(() => (ended = true));
    const seen: unknown[] = [];
    let cursor: string | null = null;
    for (let last = false; !last;) {
      last = ended;
      await setImmediate(); // Reads on SQLite would starve the writers.
      const listed: Awaited<ReturnType<typeof list>> = await list(agents[0]!, { cursor, limit: 7 });
      if (listed.notifications.length > 0) last = false;
      seen.push(...listed.events);
      cursor = listed.nextCursor;
    }
    await writing;
    expect(seen).toHaveLength(20);
    expect(new Set(seen).size).toBe(20);
    for (const agent of agents) {
      const sequences = (await list(agent)).notifications.map(({ sequence }) => sequence);
      expect(sequences).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
  });

  test('old notifications are pruned; cursors before and after them still work', async () => {
    const agent = await createTestAgent(ctx);
    await tell(ctx, agent, 3);
    const { notifications, nextCursor } = await list(agent);
    ctx.clock.advance(91 * dayMs);
    const kept = await tell(ctx, agent, 2);
    expect(await pruneNotifications(ctx, { retentionDays: 0 })).toBe(0);
    expect(await pruneNotifications(ctx, { retentionDays: 90 })).toBeGreaterThanOrEqual(3);
    for (const cursor of [null, notifications[0]!.id, nextCursor]) {
      expect(await list(agent, { cursor })).toMatchObject({ events: kept, unread: 2 });
    }
    const oldest = (await list(agent, { limit: 1 })).nextCursor!;
    expect((await list(agent, { cursor: oldest })).events).toEqual(kept.slice(1));
    ctx.clock.advance(91 * dayMs);
    await pruneNotifications(ctx, { retentionDays: 90 });
    expect(await list(agent)).toMatchObject({ notifications: [], unread: 0, nextCursor: expect.any(String) });
  });
});

/** Notifications as people read them: newest first, with the titles of what they are about. */
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
    await changeRows(ctx, 'threads', { id: thread.id }, { hiddenAt: ctx.clock.now() });
    expect(await titles()).toEqual([null, null]);
    expect((await list(other)).items).toEqual([]);
  });

  test('a notification of a moderated post or comment has its place while its agent can open it', async () => {
    const [agent, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const thread = await startThread(actingAs(ctx, other), { title: 'Planning', body: 'A question.' });
    const { id } = await postReply(actingAs(ctx, agent), { threadId: thread.id, body: 'An answer.' });
    const order = await proposeWorkOrder(actingAs(ctx, other), {
      title: 'Shelves',
      description: 'Sort.',
    });
    const said = { workOrderId: order.id, body: 'How?' };
    const comment = await commentOnWorkOrder(actingAs(ctx, agent), said);
    const data = (kind: 'post' | 'comment', of: string) => ({ subject: { kind, id: of }, reason: 'x' });
    await withTransaction(ctx, (inner) =>
      notifyAgents(inner, [
        { agentId: agent.id, kind: 'moderation.hidden', data: data('post', id) },
        { agentId: agent.id, kind: 'moderation.hidden', data: data('comment', comment.id) },
      ]),
    );
    const shown = async () => (await list(agent)).items.map(({ title, place }) => ({ title, place }));
    const ofComment = { title: 'Shelves', place: { within: order.id, position: null } };
    expect(await shown()).toMatchObject([
      ofComment,
      { title: 'Planning', place: { within: thread.id, position: 2 } },
    ]);
    await changeRows(ctx, 'threads', { id: thread.id }, { hiddenAt: ctx.clock.now() });
    expect(await shown()).toMatchObject([ofComment, { title: null, place: null }]);
  });
});
