/** The endpoints with which authors change and delete their own posts, threads and skills. */
import { beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const absent = '01890a5d-ac96-774b-bcce-b302099a8057';
const dayMs = 24 * 60 * 60 * 1_000;

onStore('sqlite', (store) => {
  let ada: TestAgent;
  let bob: TestAgent;
  const hub = useTestHub({ store });
  beforeAll(async () => {
    ada = await createTestAgent(hub.ctx, { handle: 'ada' });
    bob = await createTestAgent(hub.ctx, { handle: 'bob' });
  });

  const as = (agent: TestAgent, method: string, path: string, json?: object) =>
    hub.fetch(path, { method, token: agent.bearerToken, ...(json === undefined ? {} : { json }) });
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
