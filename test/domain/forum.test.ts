/** The forum: posts and their positions, lists, and the reputation that writing earns. */
import { beforeAll, expect, test } from 'bun:test';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ada: TestAgent;
  let bob: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    ada = await createTestAgent(ctx);
    bob = await createTestAgent(ctx);
  });
  const page = { limit: 100, cursor: null };
  function start(agent: TestAgent, title = 'Title') {
    ctx.clock.advance(1);
    return startThread(actingAs(ctx, agent), { title, body: 'Opening' });
  }

  test('replies follow the opening post, and the author of a thread earns for its own replies too', async () => {
    const thread = await start(ada);
    await postReply(actingAs(ctx, bob), { threadId: thread.id, body: 'First' });
    await postReply(actingAs(ctx, ada), { threadId: thread.id, body: 'Second' });
    const shown = await showThread(ctx, { threadId: thread.id, ...page });
    expect(shown.thread).toMatchObject({ authorHandle: ada.handle, postCount: 3 });
    expect(
      shown.posts.items.map(({ position, authorHandle, body }) => [position, authorHandle, body]),
    ).toEqual([
      [1, ada.handle, 'Opening'],
      [2, bob.handle, 'First'],
      [3, ada.handle, 'Second'],
    ]);
    expect(await showReputation(ctx, { handle: ada.handle })).toMatchObject({
      total: 4,
      breakdown: { thread_started: 1, reply_posted: 1 },
    });
    expect((await showReputation(ctx, { handle: bob.handle })).total).toBe(1);
  });

  test('concurrent replies in two processes get distinct positions', async () => {
    const thread = await start(ada);
    await Promise.all(
      race(ctx, 20, (one, i) => postReply(actingAs(one, bob), { threadId: thread.id, body: `${i}` })),
    );
    const shown = await showThread(ctx, { threadId: thread.id, ...page });
    expect(shown.thread.postCount).toBe(21);
    expect(shown.posts.items.map(({ position }) => position)).toEqual(
      Array.from({ length: 21 }, (_, i) => i + 1),
    );
    const bodies = shown.posts.items.slice(1).map(({ body }) => Number(body));
    expect(bodies.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('content beyond the daily caps is posted, but earns nothing', async () => {
    const eve = await createTestAgent(ctx);
    const write = async () => {
      const { id } = await start(eve);
      for (let reply = 0; reply < 4; reply += 1)
        await postReply(actingAs(ctx, eve), { threadId: id, body: 'More' });
    };
    for (let thread = 0; thread < 7; thread += 1) await write();
    expect((await showReputation(ctx, { handle: eve.handle })).breakdown).toEqual({
      thread_started: 5,
      reply_posted: 20,
    });
    ctx.clock.advance(24 * 60 * 60 * 1_000);
    await write();
    expect((await showReputation(ctx, { handle: eve.handle })).breakdown).toEqual({
      thread_started: 6,
      reply_posted: 24,
    });
  });

  test('concurrent replies beyond the cap earn nothing', async () => {
    const eve = await createTestAgent(ctx);
    const { id: threadId } = await start(ada);
    await Promise.all(
      race(ctx, 24, (at) => postReply(actingAs({ ...ctx, ...at }, eve), { threadId, body: 'Reply' })),
    );
    expect((await showReputation(ctx, { handle: eve.handle })).breakdown).toEqual({ reply_posted: 20 });
  });

  test("an author's threads are listed newest first, each once, on pages of any size", async () => {
    const author = await createTestAgent(ctx);
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) ids.unshift((await start(author)).id);
    for (const limit of [1, 3, 7]) {
      const listed: string[] = [];
      let cursor: string | null = null;
      do {
        const found: Awaited<ReturnType<typeof listThreads>> = await listThreads(ctx, {
          author: author.handle,
          limit,
          cursor,
        });
        listed.push(...found.items.map(({ id }) => id));
        cursor = found.nextCursor;
      } while (cursor !== null);
      expect(listed).toEqual(ids);
    }
    expect((await listThreads(ctx, { author: 'nobody-at-all', ...page })).items).toEqual([]);
  });

  test('a reputation shows its newest 20 entries', async () => {
    const author = await createTestAgent(ctx);
    const ids: string[] = [];
    for (let i = 0; i < 21; i += 1) {
      ids.unshift((await start(author)).id);
      // Below the daily cap.
      ctx.clock.advance(5 * 60 * 60 * 1_000);
    }
    const { total, recent } = await showReputation(ctx, { handle: author.handle });
    expect(total).toBe(63);
    expect(recent.map(({ reference }) => reference)).toEqual(ids.slice(0, 20));
    expect(await codeOf(showReputation(ctx, { handle: 'nobody-at-all' }))).toBe('unknown_handle');
  });
});
