/** The forum and skills over HTTP, on both stores: what is published, listed, edited and deleted, and its refusals. */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const absent = '01890a5d-ac96-774b-bcce-b302099a8057';
const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const hub = useTestHub({ store });
  const ada = useTestAgent(hub, { handle: 'ada' });
  const bob = useTestAgent(hub, { handle: 'bob' });

  function as({ bearerToken: token }: TestAgent, method: string, path: string, json?: object) {
    hub.clock.advance(1); // Ids of one millisecond are ordered only if the clock does not change in between.
    return hub.fetch(`/v1${path}`, { method, token, json });
  }
  const start = (json: object = { title: 'A title', body: 'A body' }) => as(ada, 'POST', '/threads', json);
  const reply = (agent: TestAgent, threadId: string) =>
    as(agent, 'POST', `/threads/${threadId}/posts`, { body: 'A reply' });

  test('a thread is started, replied to and returned', async () => {
    const title = 'Zażółć <b>gęślą</b> 😀';
    const started = await start({ title, body: 'One' });
    expect([started.status, started.body]).toEqual([201, { id: expect.any(String), title }]);
    const { id } = started.body;
    const replied = await reply(bob, id);
    expect([replied.status, replied.body]).toEqual([201, { ok: true, id: expect.any(String), position: 2 }]);
    const thread = { id, title, author_handle: 'ada', created_at: instant, category: null };
    const post = { id: expect.any(String), created_at: instant, edited_at: null };
    const posts = [
      { ...post, author_handle: 'ada', body: 'One' },
      { ...post, id: replied.body.id, author_handle: 'bob', body: 'A reply' },
    ];
    const shown = await hub.fetch(`/v1/threads/${id}`);
    expect([shown.status, shown.body]).toEqual([200, { thread: { ...thread, posts }, next_cursor: null }]);
    const { body: list } = await hub.fetch('/v1/threads?limit=1');
    expect(list.threads).toEqual([{ ...thread, post_count: 2, last_reply_at: instant }]);
  });

  test('a thread has a category or none, and lists are filtered by it and ordered by the last post', async () => {
    const first = await start({ title: 'First', body: 'x', category: 'showcase' });
    const second = await start({ title: 'Second', body: 'x', category: 'showcase' });
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
    expectError(await start({ title: 'x', body: 'x', category: 'gossip' }), 400, 'invalid_body');
    for (const query of ['category=gossip', 'sort=oldest'])
      expectError(await hub.fetch(`/v1/threads?${query}`), 400, 'invalid_parameter');
  });

  test('posts are edited and deleted', async () => {
    const { id } = (await start()).body;
    const thread = `/threads/${id}`;
    const post = `${thread}/posts/${(await reply(ada, id)).body.id}`;
    const edited = await as(ada, 'PATCH', post, { body: 'Better' });
    expect([edited.status, edited.body.post.body]).toEqual([200, 'Better']);
    expect(edited.body.post.edited_at).toBe(hub.clock.now().toISOString());
    for (const [method, json] of [
      ['PATCH', { body: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      expectError(await as(ada, method, `${thread}/posts/${absent}`, json), 404, 'not_found');
      const nowhere = `/threads/${absent}/posts/${absent}`;
      expectError(await as(ada, method, nowhere, json), 404, 'thread_not_found');
    }
    for (let time = 0; time < 2; time += 1) {
      const removed = await as(ada, 'DELETE', post);
      expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
    }
    const { posts } = (await hub.fetch(`/v1${thread}`)).body.thread;
    expect(posts[1]).toMatchObject({ id: edited.body.post.id, body: '', deleted: true });
    hub.clock.advance(dayMs + 1);
    const late = await as(ada, 'PATCH', `${thread}/posts/${posts[0].id}`, { body: 'Late' });
    expectError(late, 403, 'edit_window_over');
  });

  test('threads are deleted unless others have replied', async () => {
    const [answered, other] = [(await start()).body.id, (await start()).body.id];
    await reply(bob, answered);
    expectError(await as(ada, 'DELETE', `/threads/${answered}`), 409, 'thread_has_replies');
    expect((await as(ada, 'DELETE', `/threads/${other}`)).body).toEqual({ ok: true });
    expectError(await as(ada, 'DELETE', `/threads/${other}`), 404, 'thread_not_found');
    expectError(await hub.fetch(`/v1/threads/${other}`), 404, 'thread_not_found');
    expectError(await reply(bob, other), 404, 'thread_not_found');
  });

  const skill = { description: 'It helps', repo_url: 'https://git.example/skill' };

  test('a skill is published, listed, shown by its name, changed and deleted', async () => {
    const agent = await createTestAgent(hub.ctx);
    const name = 'Plan / a week? 100 % 😀';
    const json = { ...skill, name, manifest_url: 'https://git.example/manifest.json' };
    const published = await as(agent, 'POST', '/skills', json);
    expect([published.status, published.body]).toEqual([201, { ok: true, name }]);
    expectError(await as(agent, 'POST', '/skills', json), 409, 'conflict');
    const shown = { ...json, author_handle: agent.handle, created_at: instant };
    expect((await hub.fetch('/v1/skills?limit=1')).body.skills).toEqual([shown]);
    const reputation = await hub.fetch(`/v1/agents/${agent.handle}/reputation`);
    expectError(await hub.fetch('/v1/agents/nobody-here/reputation'), 404, 'unknown_handle');
    expect(reputation.body).toMatchObject({
      total: 10,
      breakdown: { skill_published: 1 },
      recent: [{ kind: 'skill_published', reference: name, weight: 10 }],
    });
    const path = `/skills/${encodeURIComponent(name)}`;
    const found = await hub.fetch(`/v1${path}`);
    expect([found.status, found.body.skill]).toMatchObject([200, { ...shown, versions: [] }]);
    const headers = { 'if-none-match': found.headers.get('etag') ?? '' };
    expect((await hub.fetch(`/v1${path}`, { headers })).status).toBe(304);
    const changed = await as(agent, 'PATCH', path, { description: 'It plans', version_note: 'Shorter' });
    expect([changed.status, changed.body.skill]).toMatchObject([
      200,
      { description: 'It plans', versions: [{ note: 'Shorter' }] },
    ]);
    expectError(await as(agent, 'PATCH', path, { name: 'Other' }), 400, 'invalid_body');
    expect((await as(agent, 'DELETE', path)).body).toEqual({ ok: true });
    expectError(await hub.fetch(`/v1${path}`), 404, 'not_found');
    expectError(await as(agent, 'PATCH', '/skills/no-such-skill', {}), 404, 'not_found');
    expectError(await as(agent, 'DELETE', '/skills/no-such-skill'), 404, 'not_found');
  });

  test('no name of a skill has anything that nobody sees', async () => {
    const agent = await createTestAgent(hub.ctx);
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
      const refused = await as(agent, 'POST', '/skills', { ...skill, name });
      expectError(refused, 400, 'invalid_body');
      expect([name, refused.body.message]).toEqual([name, expect.stringContaining(rule)]);
    }
    for (const name of ['café', 'Ελληνικά の名前', 'x y 😀'])
      expect((await as(agent, 'POST', '/skills', { ...skill, name })).status).toBe(201);
  });
});
