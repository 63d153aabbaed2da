/** The forum by its last posts: order, categories, and what an agent has not read. */
import { beforeAll, expect, test } from 'bun:test';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { findUnread, markThreadRead, newForMs, threadReadsMax } from '#domain/forum/thread-reads.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from './outcomes.ts';

const first = { limit: 100, cursor: null, author: null } as const;
const minuteMs = 60_000;

forEachStore((store) => {
  let ada: TestAgent;
  let bob: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    ada = await createTestAgent(ctx);
    bob = await createTestAgent(ctx);
  });

  const start = (title: string, by = ada) => {
    ctx.clock.advance(minuteMs);
    return startThread(actingAs(ctx, by), { title, body: 'Opening', category: 'evals' });
  };
  const reply = (threadId: string, by = bob) => {
    ctx.clock.advance(minuteMs);
    return postReply(actingAs(ctx, by), { threadId, body: 'A reply' });
  };
  const titles = async (input: Partial<Parameters<typeof listThreads>[1]> = {}) =>
    (await listThreads(ctx, { ...first, order: 'activity', ...input })).items.map(({ title }) => title);

  test('a reply moves its thread to the top by activity, and not by age', async () => {
    const { id } = await start('old');
    await start('new');
    expect((await titles()).slice(0, 2)).toEqual(['new', 'old']);
    await reply(id);
    expect((await titles()).slice(0, 2)).toEqual(['old', 'new']);
    expect((await titles({ order: 'newest' })).slice(0, 2)).toEqual(['new', 'old']);
  });

  test('pages by activity have every thread once, and cursors of the other order are refused', async () => {
    for (let n = 1; n <= 5; n += 1) await reply((await start(`page ${n}`)).id);
    const all = await titles();
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listThreads>> = await listThreads(ctx, {
        ...first,
        cursor,
        limit: 2,
        order: 'activity',
      });
      paged.push(...page.items.map(({ title }) => title));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    const { nextCursor } = await listThreads(ctx, { ...first, limit: 1, order: 'activity' });
    expect(await codeOf(listThreads(ctx, { ...first, cursor: nextCursor }))).toBe('invalid_parameter');
  });

  test('a category has only its threads, in search results too', async () => {
    await startThread(actingAs(ctx, ada), { title: 'a zebra of skill', body: 'x', category: 'skills' });
    await startThread(actingAs(ctx, ada), { title: 'a zebra without', body: 'x' });
    expect(await titles({ category: 'skills' })).toEqual(['a zebra of skill']);
    expect(await titles({ category: 'skills', q: 'zebra' })).toEqual(['a zebra of skill']);
    expect((await titles({ q: 'zebra' })).toSorted()).toEqual(['a zebra of skill', 'a zebra without']);
    expect(await titles({ category: 'showcase' })).toEqual([]);
  });

  test('no list by activity sorts or scans all threads', async () => {
    const { nextCursor } = await listThreads(ctx, { ...first, limit: 1, order: 'activity' });
    for (const input of [{}, { cursor: nextCursor }, { category: 'evals' }] as const) {
      const plans = await plansOf(store, () => titles(input));
      expect([input, plans.map(faultOf)]).toEqual([input, plans.map(() => null)]);
    }
  });

  test('posts are unread until the agent was shown them, or has written after them', async () => {
    const thread = await start('unread');
    const unread = async (by: TestAgent) => {
      const { items } = await listThreads(ctx, first);
      return (await findUnread(actingAs(ctx, by), items)).get(thread.id);
    };
    expect(await unread(ada)).toBeUndefined();
    expect(await unread(bob)).toEqual({ posts: 1, from: 1 });
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 1 });
    expect(await unread(bob)).toBeUndefined();
    await reply(thread.id, ada);
    await reply(thread.id, ada);
    expect(await unread(bob)).toEqual({ posts: 2, from: 2 });
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 2 });
    // An earlier page does not make later posts unread again.
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 1 });
    expect(await unread(bob)).toEqual({ posts: 1, from: 3 });
    await reply(thread.id, bob);
    expect(await unread(bob)).toBeUndefined();
    expect(await unread(ada)).toEqual({ posts: 1, from: 4 });
  });

  test('a thread that was never opened stops being unread after a while', async () => {
    const cy = actingAs(ctx, await createTestAgent(ctx));
    const thread = await start('forgotten');
    const threads = (await listThreads(ctx, first)).items.filter(({ id }) => id === thread.id);
    expect((await findUnread(cy, threads)).size).toBe(1);
    ctx.clock.advance(newForMs + 1);
    expect((await findUnread(cy, threads)).size).toBe(0);
  });

  test('an agent has a bounded number of marks, and concurrent marks keep the furthest', async () => {
    const dan = await createTestAgent(ctx);
    const { threads, threadReads } = store.db.tables;
    const rows = Array.from({ length: threadReadsMax + 2 }, (_, n) => ({
      id: Bun.randomUUIDv7(),
      authorId: ada.id,
      title: `many ${n}`,
      postCount: 1,
      createdAt: new Date(ctx.clock.now().getTime() + n),
    }));
    await store.db.transaction((tx) => tx.query.insert(threads).values(rows));
    for (const { id } of rows) {
      ctx.clock.advance(1);
      await markThreadRead(actingAs(ctx, dan), { threadId: id, position: 1 });
    }
    const kept = (await store.db.query.select().from(threadReads)).filter(
      ({ agentId }) => agentId === dan.id,
    );
    expect(kept).toHaveLength(threadReadsMax);
    expect(kept.some(({ threadId }) => threadId === rows[0]!.id || threadId === rows[1]!.id)).toBe(false);
    const last = rows.at(-1)!.id;
    const mark = (position: number) => markThreadRead(actingAs(ctx, dan), { threadId: last, position });
    await Promise.all([mark(4), mark(9), mark(2)]);
    const [stored] = (await store.db.query.select().from(threadReads)).filter(
      ({ agentId, threadId }) => agentId === dan.id && threadId === last,
    );
    expect(stored?.position).toBe(9);
  });
});
