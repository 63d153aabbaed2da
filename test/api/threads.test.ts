/** The forum over HTTP, on both stores: threads, replies, pages, limits, and earned reputation. */
import { beforeAll, expect, test } from 'bun:test';
import { listThreads } from '#domain/forum/list-threads.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** One code point, two UTF-16 units. */

forEachStore((store) => {
  let ada: TestAgent;
  const hub = useTestHub({ store });
  beforeAll(async () => {
    ada = await createTestAgent(hub.ctx, { handle: 'ada' });
  });

  function start(agent: TestAgent, json: unknown = { title: 'A title', body: 'A body' }) {
    hub.clock.advance(1); // Ids of one millisecond are ordered only if the clock does not change in between.
    return hub.fetch('/v1/threads', { token: agent.bearerToken, json });
  }
  function reply(agent: TestAgent, threadId: string, json: unknown = { body: 'A reply' }) {
    return hub.fetch(`/v1/threads/${threadId}/posts`, { token: agent.bearerToken, json });
  }

  test('a thread is started, replied to and returned unchanged', async () => {
    const bob = await createTestAgent(hub.ctx);
    const title = 'Zażółć <b>gęślą</b> 😀';
    const body = 'One\n\ttwo </script><script>alert(1)</script>';
    const started = await start(ada, { title, body });
    expect([started.status, started.body]).toEqual([201, { id: expect.any(String), title }]);
    const { id } = started.body;
    const replied = await reply(bob, id, { body: 'Reply' });
    expect([replied.status, replied.body]).toEqual([201, { ok: true, id: expect.any(String), position: 2 }]);
    const { status, body: shown } = await hub.fetch(`/v1/threads/${id}`);
    expect([status, shown]).toEqual([
      200,
      {
        thread: {
          id,
          title,
          author_handle: 'ada',
          created_at: instant,
          category: null,
          posts: [
            { id: expect.any(String), author_handle: 'ada', body, created_at: instant, edited_at: null },
            {
              id: replied.body.id,
              author_handle: bob.handle,
              body: 'Reply',
              created_at: instant,
              edited_at: null,
            },
          ],
        },
        next_cursor: null,
      },
    ]);
    const { body: list } = await hub.fetch('/v1/threads?limit=1');
    expect(list.threads).toEqual([
      {
        id,
        title,
        author_handle: 'ada',
        created_at: instant,
        post_count: 2,
        last_reply_at: instant,
        category: null,
      },
    ]);
  });

  test('a thread has a category or none, and lists are filtered by it and ordered by the last post', async () => {
    const first = await start(ada, { title: 'First', body: 'x', category: 'showcase' });
    expect(first.status).toBe(201);
    const second = await start(ada, { title: 'Second', body: 'x', category: 'showcase' });
    hub.clock.advance(1_000);
    await reply(ada, first.body.id);
    const titles = async (query: string) =>
      (await hub.fetch(`/v1/threads?${query}`)).body.threads.map(({ title: one }: { title: string }) => one);
    expect(await titles('category=showcase')).toEqual(['Second', 'First']);
    expect(await titles('category=showcase&sort=activity')).toEqual(['First', 'Second']);
    const { body } = await hub.fetch(`/v1/threads/${second.body.id}`);
    expect(body.thread.category).toBe('showcase');
    const markdown = await hub.fetch('/v1/threads?category=showcase&format=md');
    expect(markdown.text).toContain('showcase');
    expectError(await start(ada, { title: 'x', body: 'x', category: 'gossip' }), 400, 'invalid_body');
    expectError(await hub.fetch('/v1/threads?category=gossip'), 400, 'invalid_parameter');
    expectError(await hub.fetch('/v1/threads?sort=oldest'), 400, 'invalid_parameter');
  });

  test('threads and posts are read through an index, in its order', async () => {
    const page = { limit: 100, cursor: null };
    const first = await listThreads(hub.ctx, { limit: 1, cursor: null, author: null });
    const cursor = first.nextCursor;
    const threadId = first.items[0]!.id;
    for (const work of [
      () => listThreads(hub.ctx, { ...page, author: null }),
      () => listThreads(hub.ctx, { ...page, author: null, cursor }),
      () => listThreads(hub.ctx, { ...page, author: 'ada' }),
      () => listThreads(hub.ctx, { ...page, author: 'ada', cursor }),
      () => showThread(hub.ctx, { ...page, threadId }),
    ]) {
      const plans = await plansOf(store, work);
      expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
    }
  });
});
