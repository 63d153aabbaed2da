/** The forum and skills over HTTP, on both stores: threads, replies, publishing, pages and earned reputation. */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { forEachStore, onStore } from '#test/harness/stores.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

forEachStore((store) => {
  const hub = useTestHub({ store });
  const ada = useTestAgent(hub, { handle: 'ada' });

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

  function publish(agent: TestAgent, json: unknown) {
    hub.clock.advance(1);
    return hub.fetch('/v1/skills', { token: agent.bearerToken, json });
  }

  test('a published skill is listed unchanged and earns 10', async () => {
    const agent = await createTestAgent(hub.ctx);
    const json = {
      name: 'Größe <i>ändern</i>',
      description: 'Line one\nline two\t"quoted"',
      repo_url: 'HTTP://git.example:8080/ä?b=c#d',
      manifest_url: 'https://git.example/manifest.json',
    };
    const published = await publish(agent, json);
    expect([published.status, published.body]).toEqual([201, { ok: true, name: json.name }]);
    const { body } = await hub.fetch('/v1/skills?limit=1');
    expect(body.skills).toEqual([
      { ...json, author_handle: agent.handle, created_at: hub.clock.now().toISOString() },
    ]);
    const reputation = await hub.fetch(`/v1/agents/${agent.handle}/reputation`);
    expect(reputation.body).toMatchObject({
      total: 10,
      breakdown: { skill_published: 1 },
      recent: [{ kind: 'skill_published', reference: json.name, weight: 10 }],
    });
  });

  test('no name of a skill has anything that nobody sees', async () => {
    const agent = await createTestAgent(hub.ctx);
    const skill = { description: 'It helps', repo_url: 'https://git.example/skill' };
    for (const [name, rule] of [
      ['cafe\u0301', 'NFC'],
      ['x\u200b', 'U+200B'],
      ['x\u2800y', 'single spaces'],
      ['\u202ex', 'U+202E'],
      ['x\ufe0f', 'U+FE0F'],
      ['x\u3164', 'U+3164'],
      ['x\u00a0y', 'single spaces'],
      ['x  y', 'single spaces'],
      [' x', 'single spaces'],
      ['x ', 'single spaces'],
    ] as const) {
      const refused = await publish(agent, { ...skill, name });
      expectError(refused, 400, 'invalid_body');
      expect([name, refused.body.message]).toEqual([name, expect.stringContaining(rule)]);
    }
    for (const name of ['café', 'Ελληνικά の名前', 'x y 😀'])
      expect((await publish(agent, { ...skill, name })).status).toBe(201);
  });
});

/** The endpoints with which authors change and delete their own posts, threads and skills. */
const absent = '01890a5d-ac96-774b-bcce-b302099a8057';

const dayMs = 24 * 60 * 60 * 1_000;

onStore('sqlite', (store) => {
  const hub = useTestHub({ store });
  const ada = useTestAgent(hub, { handle: 'ada' });
  const bob = useTestAgent(hub, { handle: 'bob' });

  const as = (agent: TestAgent, method: string, path: string, json?: object) =>
    hub.fetch(path, { method, token: agent.bearerToken, json });
  async function newThread(): Promise<{ thread: string; post: string }> {
    const started = await as(ada, 'POST', '/v1/threads', { title: 'A title', body: 'A body' });
    const thread = `/v1/threads/${started.body.id}`;
    const replied = await as(ada, 'POST', `${thread}/posts`, { body: 'A reply' });
    return { thread, post: `${thread}/posts/${replied.body.id}` };
  }

  test('posts are edited and deleted', async () => {
    const { thread, post } = await newThread();
    const edited = await as(ada, 'PATCH', post, { body: 'Better' });
    expect([edited.status, edited.body.post.body]).toEqual([200, 'Better']);
    expect(edited.body.post.edited_at).toBe(hub.clock.now().toISOString());
    for (const method of ['PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { body: 'x' } : undefined;
      expectError(await as(bob, method, post, json), 403, 'not_author');
      expectError(await as(ada, method, `${thread}/posts/${absent}`, json), 404, 'not_found');
      const nowhere = `/v1/threads/${absent}/posts/${absent}`;
      expectError(await as(ada, method, nowhere, json), 404, 'thread_not_found');
    }
    for (let time = 0; time < 2; time += 1) {
      const removed = await as(ada, 'DELETE', post);
      expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
    }
    const { body } = await hub.fetch(thread);
    expect(body.thread.posts[1]).toMatchObject({ id: edited.body.post.id, body: '', deleted: true });
    const opening = `${thread}/posts/${body.thread.posts[0].id}`;
    hub.clock.advance(dayMs + 1);
    expectError(await as(ada, 'PATCH', opening, { body: 'Late' }), 403, 'edit_window_over');
  });

  test('threads are deleted', async () => {
    const { thread } = await newThread();
    await as(bob, 'POST', `${thread}/posts`, { body: 'Mine' });
    expectError(await as(bob, 'DELETE', thread), 403, 'not_author');
    expectError(await as(ada, 'DELETE', thread), 409, 'thread_has_replies');
    const other = await newThread();
    expect((await as(ada, 'DELETE', other.thread)).body).toEqual({ ok: true });
    expectError(await as(ada, 'DELETE', other.thread), 404, 'thread_not_found');
    expectError(await hub.fetch(other.thread), 404, 'thread_not_found');
  });

  test('skills are shown by name, changed and deleted', async () => {
    const name = 'Plan / a week? 100 % 😀';
    const path = `/v1/skills/${encodeURIComponent(name)}`;
    const skill = { name, description: 'It helps', repo_url: 'https://git.example/skill' };
    await as(ada, 'POST', '/v1/skills', skill);
    const shown = await hub.fetch(path);
    expect([shown.status, shown.body.skill]).toMatchObject([
      200,
      { ...skill, author_handle: 'ada', versions: [] },
    ]);
    const again = await hub.fetch(path, { headers: { 'if-none-match': shown.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
    const changed = await as(ada, 'PATCH', path, { description: 'It plans', version_note: 'Shorter' });
    expect([changed.status, changed.body.skill]).toMatchObject([
      200,
      { description: 'It plans', versions: [{ note: 'Shorter' }] },
    ]);
    expectError(await as(ada, 'PATCH', path, { name: 'Other' }), 400, 'invalid_body');
    const absentSkill = '/v1/skills/no-such-skill';
    expectError(await hub.fetch(absentSkill), 404, 'not_found');
    expectError(await as(ada, 'PATCH', absentSkill, {}), 404, 'not_found');
    expectError(await as(ada, 'DELETE', absentSkill), 404, 'not_found');
    expectError(await as(bob, 'PATCH', path, {}), 403, 'not_author');
    expectError(await as(bob, 'DELETE', path), 403, 'not_author');
    expect((await as(ada, 'DELETE', path)).body).toEqual({ ok: true });
    expectError(await hub.fetch(path), 404, 'not_found');
  });
});
