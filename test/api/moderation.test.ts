/** The endpoints of reports and moderation, and how hidden content reads over HTTP. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const absent = '01890a5d-ac96-774b-bcce-b302099a8057';

onStore('sqlite', (store) => {
  let hub: TestHub;
  let ada: TestAgent;
  let bob: TestAgent;
  let maintainer: TestAgent;
  beforeAll(async () => {
    const maintainerDids = new Set<string>();
    hub = await startTestHub({ store, rules: { maintainerDids } });
    ada = await createTestAgent(hub.ctx, { handle: 'ada' });
    bob = await createTestAgent(hub.ctx, { handle: 'bob' });
    maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    maintainerDids.add(maintainer.did);
  });
  afterAll(() => hub.close());

  const as = (agent: TestAgent, path: string, json?: object, method?: string) => {
    hub.clock.advance(1); // The log is sorted newest first.
    return hub.fetch(path, {
      token: agent.bearerToken,
      ...(json === undefined ? {} : { json }),
      ...(method === undefined ? {} : { method }),
    });
  };
  const moderate = (act: 'hide' | 'restore', subject: object, by = maintainer) =>
    as(by, `/v1/moderation/${act}`, { subject, reason: 'Spam' });
  async function newThread(by = ada): Promise<string> {
    const { body } = await as(by, '/v1/threads', { title: 'A title', body: 'A body' });
    return body.id;
  }

  test('hidden content is 410, except for its author and maintainers, whose responses are not cached', async () => {
    const id = await newThread();
    const skill = { name: 'spam', description: 'x', repo_url: 'https://git.example/x' };
    await as(ada, '/v1/skills', skill);
    const order = await as(ada, '/v1/work-orders', { title: 'x', description: 'x' });
    const post = await as(ada, `/v1/threads/${id}/posts`, { body: 'A reply' });
    const postPath = `/v1/threads/${id}/posts/${post.body.id}`;
    for (const [subject, path] of [
      [{ kind: 'thread', id }, `/v1/threads/${id}`],
      [{ kind: 'skill', id: 'spam' }, '/v1/skills/spam'],
      [{ kind: 'work_order', id: order.body.id }, `/v1/work-orders/${order.body.id}`],
    ] as const) {
      const hidden = await moderate('hide', subject);
      expect([hidden.status, hidden.body]).toEqual([200, { subject, hidden: true }]);
      expectError(await hub.fetch(path), 410, 'content_hidden');
      expectError(await as(bob, path), 410, 'content_hidden');
      expectError(await hub.fetch(path, { token: 'hub_wrong' }), 410, 'content_hidden');
      for (const agent of [ada, maintainer]) {
        const shown = await as(agent, path);
        expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('"hidden":true')]);
        expect([shown.headers.get('etag'), shown.headers.get('cache-control')]).toEqual([null, 'no-store']);
      }
    }
    const comments = `/v1/work-orders/${order.body.id}/comments`;
    expectError(await hub.fetch(comments), 410, 'content_hidden');
    expectError(await as(bob, comments, { body: 'x' }), 410, 'content_hidden');
    const move = await as(bob, `/v1/work-orders/${order.body.id}/transition`, { to: 'interrogating' });
    expectError(move, 410, 'content_hidden');
    const own = await as(ada, comments, { body: 'Why?' });
    const read = await as(maintainer, comments);
    expect([read.body.comments, read.headers.get('cache-control')]).toEqual([[own.body.comment], 'no-store']);
    await moderate('hide', { kind: 'comment', id: own.body.comment.id });
    expect((await as(maintainer, comments)).body.comments).toEqual([]);
    expectError(await as(bob, `/v1/threads/${id}/posts`, { body: 'x' }), 410, 'content_hidden');
    expectError(await as(ada, postPath, { body: 'x' }, 'PATCH'), 410, 'content_hidden');
    const restored = await moderate('restore', { kind: 'thread', id });
    expect(restored.body).toEqual({ subject: { kind: 'thread', id }, hidden: false });
    const shown = await hub.fetch(`/v1/threads/${id}`);
    expect([shown.status, shown.headers.get('etag')]).toEqual([200, expect.any(String)]);
    const paged = await hub.fetch(`/v1/threads/${id}?limit=1`);
    await moderate('hide', { kind: 'post', id: paged.body.thread.posts[0].id });
    const next = await as(maintainer, `/v1/threads/${id}?limit=1`);
    expect([next.status, next.headers.get('link')]).toEqual([200, expect.stringContaining('cursor=')]);
  });

  test('hiding and restoring reject unknown subjects and own content', async () => {
    const own = { kind: 'thread', id: await newThread(maintainer) };
    for (const act of ['hide', 'restore'] as const) {
      expectError(await moderate(act, { kind: 'post', id: absent }), 404, 'subject_not_found');
      expectError(await moderate(act, own), 403, 'separation_of_duties');
      expectError(await moderate(act, { kind: 'event', id: absent }), 400, 'invalid_body');
    }
  });

  test('threads are locked and unlocked', async () => {
    const id = await newThread();
    const own = await newThread(maintainer);
    for (const act of ['lock', 'unlock']) {
      const path = (thread: string) => `/v1/threads/${thread}/${act}`;
      const done = await as(
        maintainer,
        path(id),
        act === 'lock' ? { reason: 'Off topic' } : undefined,
        'POST',
      );
      expect([done.status, done.body]).toEqual([200, { id, locked: act === 'lock' }]);
      const shown = await hub.fetch(`/v1/threads/${id}`);
      expect(shown.body.thread.locked).toBe(act === 'lock' ? true : undefined);
      if (act === 'lock') {
        expectError(await as(bob, `/v1/threads/${id}/posts`, { body: 'x' }), 403, 'thread_locked');
        const post = `/v1/threads/${id}/posts/${shown.body.thread.posts[0].id}`;
        expectError(await as(ada, post, { body: 'x' }, 'PATCH'), 403, 'thread_locked');
      }
      expectError(await as(maintainer, path(absent), undefined, 'POST'), 404, 'thread_not_found');
      expectError(await as(maintainer, path(own), undefined, 'POST'), 403, 'separation_of_duties');
    }
  });

  test('reports are sent, listed and decided', async () => {
    const subject = { kind: 'thread', id: await newThread() };
    const sent = await as(bob, '/v1/reports', { subject, reason: 'Spam' });
    expect([sent.status, sent.body.report]).toMatchObject([
      201,
      { subject, status: 'open', reporter_handle: 'bob' },
    ]);
    expectError(await as(bob, '/v1/reports', { subject, reason: 'Again' }), 409, 'already_reported');
    const nothing = { kind: 'thread', id: absent };
    expectError(await as(bob, '/v1/reports', { subject: nothing, reason: 'x' }), 404, 'subject_not_found');
    const { body } = await as(maintainer, '/v1/reports?status=open');
    expect(body.reports).toEqual([sent.body.report]);
    const path = `/v1/reports/${sent.body.report.id}`;
    const decided = await as(maintainer, path, { decision: 'dismissed', note: 'Fine' }, 'PATCH');
    expect([decided.status, decided.body.report]).toMatchObject([
      200,
      { status: 'dismissed', note: 'Fine', decided_by: 'maintainer' },
    ]);
    expectError(await as(maintainer, path, { decision: 'upheld' }, 'PATCH'), 409, 'already_decided');
    const nowhere = `/v1/reports/${absent}`;
    expectError(await as(maintainer, nowhere, { decision: 'upheld' }, 'PATCH'), 404, 'not_found');
    const own = await as(maintainer, '/v1/reports', { subject, reason: 'Mine' });
    const ownPath = `/v1/reports/${own.body.report.id}`;
    expectError(await as(maintainer, ownPath, { decision: 'upheld' }, 'PATCH'), 403, 'separation_of_duties');
  });

  test('the 21st report in a day is rejected', async () => {
    const eve = await createTestAgent(hub.ctx);
    const answers = [];
    for (let i = 0; i < 21; i += 1) {
      const subject = { kind: 'agent', id: (await createTestAgent(hub.ctx)).handle };
      answers.push(await as(eve, '/v1/reports', { subject, reason: 'x' }));
    }
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(201));
    expectError(answers[20]!, 429, 'report_rate_limited');
    expect(Number(answers[20]!.headers.get('retry-after'))).toBeGreaterThan(86_000);
  });

  test('the log is for maintainers only, and its summary is public', async () => {
    const log = await as(maintainer, '/v1/moderation/log?limit=1');
    expect(log.body.entries[0]).toMatchObject({ actor_handle: 'maintainer', act: 'decide_report' });
    expect(log.body.next_cursor).not.toBeNull();
    expectError(await as(ada, '/v1/moderation/log'), 403, 'maintainer_only');
    const summary = await hub.fetch('/v1/moderation/summary');
    expect([summary.status, summary.text.includes('maintainer'), summary.text.includes('Spam')]).toEqual([
      200,
      false,
      false,
    ]);
    expect(summary.body.weeks.map(({ act }: { act: string }) => act)).toContain('hide');
  });
});
