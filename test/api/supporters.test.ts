/**
 * Supporters over HTTP, on both stores: start, change and end of support, the wall, and interest in
 * supporting.
 */
import { beforeAll, expect, test } from 'bun:test';
import { listSupporters } from '#domain/supporters/find-support.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let maintainer: TestAgent;
  const maintainerDids = new Set<string>();
  const hub = useTestHub({ store, rules: { maintainerDids } });
  beforeAll(async () => {
    maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    maintainerDids.add(maintainer.did);
  });

  const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * 3_600_000).toISOString();
  function support(handle: string, terms: unknown = { tier: 'supporter' }, by = maintainer, at = hub) {
    hub.clock.advance(1);
    return at.fetch('/v1/supporters', { token: by.bearerToken, json: { handle, ...(terms as object) } });
  }
  function end(handle: string, by = maintainer) {
    return hub.fetch(`/v1/supporters/${handle}`, { method: 'DELETE', token: by.bearerToken });
  }
  async function statusOf(agent: TestAgent) {
    return (await hub.fetch('/v1/supporter/status', { token: agent.bearerToken })).body;
  }
  async function tierOf(agent: TestAgent): Promise<string> {
    return (await hub.fetch(`/v1/agents/${agent.handle}`)).body.agent.sponsor_tier;
  }
  async function wall(): Promise<{ handle: string; since: string }[]> {
    return (await hub.fetch('/v1/supporter/list')).body;
  }

  test('a new hub has an empty wall, and nobody is a supporter by default', async () => {
    const { status, text } = await hub.fetch('/v1/supporter/list');
    expect([status, text]).toEqual([200, '[]']);
    expect(await statusOf(maintainer)).toEqual({ active: false, since: null, ends_at: null });
    expectError(await hub.fetch('/v1/supporter/status'), 401, 'missing_token');
  });

  test('support starts, is renewed, ends, and starts again; profile, status and wall agree', async () => {
    const ada = await createTestAgent(hub.ctx, { handle: 'ada' });
    const begun = await support('ada', { tier: 'donation' });
    const since = hub.clock.now().toISOString();
    expect([begun.status, begun.body]).toEqual([
      201,
      { supporter: { handle: 'ada', tier: 'donation', active: true, since, ends_at: null } },
    ]);
    expect(await statusOf(ada)).toEqual({ active: true, since, ends_at: null });
    expect([await tierOf(ada), await wall()]).toEqual(['donation', [{ handle: 'ada', since }]]);
    const ends_at = inHours(48);
    const renewed = await support('ada', { tier: 'sponsor', ends_at: ends_at.replace('Z', '+00:00') });
    expect(renewed.body.supporter).toEqual({ handle: 'ada', tier: 'sponsor', active: true, since, ends_at });
    expect([await tierOf(ada), await wall()]).toEqual(['sponsor', [{ handle: 'ada', since }]]);
    hub.clock.advance(1_000);
    const ended = await end('ada');
    expect([ended.status, ended.body]).toEqual([200, { ok: true }]);
    const endedAt = hub.clock.now().toISOString();
    expect(await statusOf(ada)).toEqual({ active: false, since, ends_at: endedAt });
    expect([await tierOf(ada), await wall()]).toEqual(['none', []]);
    expectError(await end('ada'), 404, 'not_found');
    await support('ada');
    expect(await statusOf(ada)).toEqual({
      active: true,
      since: hub.clock.now().toISOString(),
      ends_at: null,
    });
    await end('ada');
  });

  test('only maintainers start and end support, for registered agents, with an end in the future', async () => {
    const carol = await createTestAgent(hub.ctx, { handle: 'carol' });
    expectError(await support('carol', { tier: 'sponsor' }, carol), 403, 'maintainer_only');
    expectError(await end('carol', carol), 403, 'maintainer_only');
    expectError(
      await hub.fetch('/v1/supporters', { json: { handle: 'carol', tier: 'sponsor' } }),
      401,
      'missing_token',
    );
    expectError(await hub.fetch('/v1/supporters/carol', { method: 'DELETE' }), 401, 'missing_token');
    expectError(await support('nobody-here'), 400, 'unknown_agent');
    expectError(await end('nobody-here'), 404, 'unknown_handle');
    expectError(await end('X'), 400, 'invalid_parameter');
    const now = hub.clock.now().toISOString();
    const wrong: unknown[] = [
      {},
      { tier: 'none' },
      { tier: 'gold' },
      { tier: 'sponsor', ends_at: now },
      { tier: 'sponsor', ends_at: 'tomorrow' },
      { tier: 'sponsor', ends_at: '2999-13-01T00:00:00Z' },
      { tier: 'sponsor', since: now },
    ];
    for (const terms of wrong) expectError(await support('carol', terms), 400, 'invalid_body');
    expect((await statusOf(carol)).active).toBe(false);
  });

  test('the wall is paged as bare arrays, newest first, linked by the header only', async () => {
    const handles: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { handle } = await createTestAgent(hub.ctx);
      handles.unshift(handle);
      await support(handle);
    }
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let path: string | null = '/v1/supporter/list?limit=2'; path !== null;) {
      const { body, headers }: TestResponse = await hub.fetch(path);
      sizes.push(body.length);
      seen.push(...body.map((entry: { handle: string }) => entry.handle));
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect([sizes, seen]).toEqual([[2, 1], handles]);
    const { nextCursor } = await listSupporters(hub.ctx, { limit: 1, cursor: null });
    for (const cursor of [null, nextCursor]) {
      const plans = await plansOf(store, () => listSupporters(hub.ctx, { limit: 100, cursor }));
      expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
    }
  });

  test('interest in supporting reaches the inbox of the operator and has no other effect', async () => {
    const { inboxEmails, supporters } = store.db.tables;
    const supportersBefore = (await store.db.query.select().from(supporters)).length;
    const said = [
      { tier: 'sponsor' },
      { tier: 'supporter', contact: null },
      { tier: 'donation', contact: '😀'.repeat(200) },
    ];
    for (const json of said) {
      const { status, body } = await hub.fetch('/v1/support/intent', { json });
      expect([status, body]).toEqual([200, { ok: true, message: expect.stringContaining(json.tier) }]);
    }
    const noted = await store.db.query.select().from(inboxEmails);
    expect(noted.map(({ subject, sender }) => [subject, sender])).toEqual([
      ['Interest in supporting the hub: sponsor', ''],
      ['Interest in supporting the hub: supporter', ''],
      ['Interest in supporting the hub: donation', '😀'.repeat(200)],
    ]);
    const wrong: unknown[] = [
      {},
      { tier: 'none' },
      { tier: 'sponsor', contact: '😀'.repeat(201) },
      { tier: 'sponsor', contact: '' },
      { tier: 'sponsor', contact: 'a\nb' },
      { tier: 'sponsor', amount: 5 },
    ];
    for (const json of wrong) {
      expectError(await hub.fetch('/v1/support/intent', { json }), 400, 'invalid_body');
    }
    expect(await store.db.query.select().from(inboxEmails)).toHaveLength(3);
    expect(await store.db.query.select().from(supporters)).toHaveLength(supportersBefore);
  });
});
