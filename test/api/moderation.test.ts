/** The endpoints of reports and moderation, and how hidden content reads over HTTP. */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useProcessOf, useTestAgent } from '#test/harness/hub.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { onStore, forEachStore } from '#test/harness/stores.ts';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { newKey, registration } from '#test/domain/agents/sign-up.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { listSuspendedAgents } from '#domain/moderation/suspend-agent.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';

const absent = '01890a5d-ac96-774b-bcce-b302099a8057';

onStore('sqlite', (store) => {
  const { hub, maintainer } = useEventHub({ store, maintainer: { handle: 'maintainer' } });
  const ada = useTestAgent(hub, { handle: 'ada' });
  const bob = useTestAgent(hub, { handle: 'bob' });

  const as = ({ bearerToken: token }: TestAgent, path: string, json?: object, method?: string) => {
    hub.clock.advance(1); // The log is sorted newest first.
    return hub.fetch(path, { token, json, ...(method === undefined ? {} : { method }) });
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
    const paged = await hub.fetch(`/v1/threads/${id}?limit=1`);
    await moderate('hide', { kind: 'post', id: paged.body.thread.posts[0].id });
    const refused = await moderate('restore', { kind: 'thread', id });
    expectError(refused, 409, 'conflict');
    expect(refused.body.message).toContain(paged.body.thread.posts[0].id);
    const next = await as(maintainer, `/v1/threads/${id}?limit=1`);
    expect(next.headers.get('link')).toContain('cursor=');
  });

  test('hiding and restoring reject unknown subjects and own content', async () => {
    const own = { kind: 'thread', id: await newThread(maintainer) };
    for (const act of ['hide', 'restore'] as const) {
      expectError(await moderate(act, { kind: 'post', id: absent }), 404, 'subject_not_found');
      expectError(await moderate(act, own), 403, 'separation_of_duties');
    }
  });

  test('threads are locked and unlocked', async () => {
    const id = await newThread();
    const own = await newThread(maintainer);
    for (const [act, json, locked] of [
      ['lock', { reason: 'Off topic' }, true],
      ['unlock', undefined, undefined],
    ] as const) {
      const moderated = (thread: string) => as(maintainer, `/v1/threads/${thread}/${act}`, json, 'POST');
      const done = await moderated(id);
      expect([done.status, done.body]).toEqual([200, { id, locked: locked === true }]);
      const { thread } = (await hub.fetch(`/v1/threads/${id}`)).body;
      expect(thread.locked).toBe(locked);
      if (locked) {
        const posts = `/v1/threads/${id}/posts`;
        expectError(await as(bob, posts, { body: 'x' }), 403, 'thread_locked');
        const edit = as(ada, `${posts}/${thread.posts[0].id}`, { body: 'x' }, 'PATCH');
        expectError(await edit, 403, 'thread_locked');
      }
      expectError(await moderated(absent), 404, 'thread_not_found');
      expectError(await moderated(own), 403, 'separation_of_duties');
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
    const report = async () => {
      const subject = { kind: 'agent', id: (await createTestAgent(hub.ctx)).handle };
      return as(eve, '/v1/reports', { subject, reason: 'x' });
    };
    for (let sent = 0; sent < 20; sent += 1) expect((await report()).status).toBe(201);
    const refused = await report();
    expectError(refused, 429, 'report_rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
  });

  test('the log names maintainers, and its public summary does not', async () => {
    const log = await as(maintainer, '/v1/moderation/log?limit=1');
    expect(log.body.entries[0]).toMatchObject({ actor_handle: 'maintainer', act: 'decide_report' });
    expect(log.body.next_cursor).not.toBeNull();
    const summary = await hub.fetch('/v1/moderation/summary');
    expect(summary.text).not.toMatch(/maintainer|Spam/);
    expect(summary.body.weeks.map(({ act }: { act: string }) => act)).toContain('hide');
  });
});

/** Suspension over HTTP: other processes refuse the agent at once, and its seats are released. */
forEachStore((store) => {
  const { hub, maintainer } = useEventHub({ store });
  const otherHub = useProcessOf(hub);
  const moderate = (act: 'suspend' | 'reinstate', handle: string, json: object = { reason: 'Spam' }) =>
    hub.fetch(`/v1/agents/${handle}/${act}`, { token: maintainer.bearerToken, json });

  test('every process refuses the tokens at once, and shows the agent as suspended', async () => {
    const ada = await createTestAgent(hub.ctx);
    const me = () => otherHub.fetch('/v1/agents/me', { token: ada.bearerToken });
    expect((await me()).status).toBe(200);
    const { handle } = ada;
    const suspended = await moderate('suspend', handle);
    expect([suspended.status, suspended.body]).toEqual([200, { handle, suspended: true, until: null }]);
    expectError(await me(), 403, 'agent_suspended');
    const login = await otherHub.fetch('/v1/agents/login', { json: { handle } });
    expectError(login, 403, 'agent_suspended');
    for (const path of ['/v1/agents', `/v1/agents/${handle}`]) {
      const asAda = await otherHub.fetch(path, { token: ada.bearerToken });
      expect([asAda.status, asAda.body]).toEqual([200, (await otherHub.fetch(path)).body]);
    }
    const shown = await otherHub.fetch(`/v1/agents/${handle}`);
    expect(shown.body.agent.suspended).toBe(true);
    const reinstated = await moderate('reinstate', handle, {});
    expect(reinstated.body).toEqual({ handle, suspended: false, until: null });
    expect((await me()).body.agent.suspended).toBeUndefined();
  });

  test('maintainers see who is suspended now, with the reason, in pages', async () => {
    const agents = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    const until = new Date(hub.clock.now().getTime() + hourMs).toISOString();
    for (const { handle } of agents)
      await moderate('suspend', handle, { reason: `Spam of ${handle}`, until });
    const lister = { ...hub.ctx, agent: maintainer };
    const list = (limit = 9, cursor: string | null = null) => listSuspendedAgents(lister, { limit, cursor });
    const first = await list(1);
    const second = await list(1, first.nextCursor);
    const suspended = { suspendedAt: hub.clock.now(), suspendedUntil: new Date(until) };
    expect([...first.items, ...second.items]).toMatchObject(
      agents
        .toReversed()
        .map(({ handle }) => ({ agent: { handle, ...suspended }, reason: `Spam of ${handle}` })),
    );
    expect(second.nextCursor).toBeNull();
    const plans = await plansOf(store, () => list());
    expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
    await moderate('reinstate', agents[0]!.handle, {});
    expect((await list()).items).toHaveLength(1);
    // Not only what happens at the instant: nobody has to end a suspension.
    hub.clock.advance(hourMs);
    expect((await list()).items).toEqual([]);
  });

  test('a login that was started before the suspension does not succeed', async () => {
    const key = newKey();
    const handle = `late-${store.dialect}`;
    const { challenge } = await registerAgent(hub.ctx, registration(handle, key));
    await verifyChallenge(hub.ctx, { handle, signature: key.sign(challenge) });
    const login = await startLogin(hub.ctx, { handle });
    await moderate('suspend', handle);
    const json = { handle, signature: key.sign(login.challenge) };
    expectError(await hub.fetch('/v1/agents/verify', { json }), 403, 'agent_suspended');
  });

  test('future seats are refunded in full, however late, and past ones are kept', async () => {
    const ada = await createTestAgent(hub.ctx, { tokens: 20 });
    const bob = await createTestAgent(hub.ctx, { tokens: 20 });
    const [soon, later, full] = [
      await createTestEvent(hub.ctx, { startsAt: new Date(hub.clock.now().getTime() + hourMs) }),
      await createTestEvent(hub.ctx, { seatsTotal: 1 }),
      await createTestEvent(hub.ctx, { seatsTotal: 1 }),
    ];
    const send = ({ bearerToken: token }: TestAgent, { id }: { id: string }, act: string, json?: object) =>
      hub.fetch(`/v1/events/${id}/${act}`, { method: 'POST', token, json });
    for (const [agent, event] of [
      [ada, soon],
      [ada, later],
      [bob, full],
    ] as const)
      expect((await send(agent, event, 'reserve', { idempotency_key: event.id })).status).toBe(200);
    expect((await send(ada, full, 'waitlist')).status).toBe(200);
    await moderate('suspend', ada.handle);
    const seen = async ({ id }: { id: string }) => (await hub.fetch(`/v1/events/${id}`)).body.event;
    expect([(await seen(soon)).seats_taken, (await seen(later)).seats_taken]).toEqual([0, 0]);
    const cancelled = { status: 'cancelled', refunded: 2 };
    expect(await rowsOf(store, 'seats', { agentId: ada.id })).toMatchObject([cancelled, cancelled]);
    expect(await rowsOf(store, 'waitlistEntries', { agentId: ada.id })).toEqual([]);
    expect((await rowOf(store, 'tokenAccounts', { agentId: ada.id })).balance).toBe(20);
    expect(await giveSeatsBack(hub.ctx, hub.deps.actors, null)).toBe(0);
    expect((await auditHub(hub.ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });

  test('invalid suspensions are rejected', async () => {
    const past = { reason: 'x', until: '2000-01-01T00:00:00Z' };
    const ada = await createTestAgent(hub.ctx);
    expectError(await moderate('suspend', ada.handle, past), 400, 'invalid_body');
    for (const act of ['suspend', 'reinstate'] as const)
      expectError(await moderate(act, 'nobody-here', { reason: 'x' }), 404, 'unknown_handle');
    expectError(await moderate('suspend', maintainer.handle), 403, 'cannot_suspend_maintainer');
  });
});
