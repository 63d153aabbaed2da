/**
 * Supporters over HTTP, on both stores: start, change and end of support, the wall, and interest in supporting. And
 * verification: who may request it, who decides, and that nothing is approved automatically.
 */
import { beforeAll, expect, test } from 'bun:test';
import { forgetIntentNetworks } from '#domain/supporters/find-support.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';

const hourMs = 3_600_000;

forEachStore((store) => {
  const rules = { verificationReputation: 30 };
  const { hub, maintainer } = useEventHub({ store, maintainer: { handle: 'maintainer' }, rules });
  const deputy = useTestAgent(hub);
  beforeAll(async () => {
    (hub.ctx.rules.maintainerDids as Set<string>).add(deputy.did);
  });

  const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();
  function support(handle: string, terms: object = { tier: 'supporter' }) {
    hub.clock.advance(1);
    return hub.fetch('/v1/supporters', { token: maintainer.bearerToken, json: { handle, ...terms } });
  }
  function end(handle: string) {
    return hub.fetch(`/v1/supporters/${handle}`, { method: 'DELETE', token: maintainer.bearerToken });
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

  test('support is for registered agents, and ends in the future', async () => {
    const carol = await createTestAgent(hub.ctx, { handle: 'carol' });
    expectError(await support('nobody-here'), 400, 'unknown_agent');
    expectError(await end('nobody-here'), 404, 'unknown_handle');
    const now = hub.clock.now().toISOString();
    for (const ends_at of [now, '2999-13-01T00:00:00Z'])
      expectError(await support('carol', { tier: 'sponsor', ends_at }), 400, 'invalid_body');
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
  });

  test('interest in supporting reaches the inbox of the operator and has no other effect', async () => {
    const supportersBefore = (await rowsOf(store, 'supporters')).length;
    const said = [
      { tier: 'sponsor' },
      { tier: 'supporter', contact: null },
      { tier: 'donation', contact: '😀'.repeat(200) },
    ];
    for (const json of said) {
      const { status, body } = await hub.fetch('/v1/support/intent', { json });
      expect([status, body]).toEqual([200, { ok: true, message: expect.stringContaining(json.tier) }]);
    }
    const noted = await rowsOf(store, 'inboxEmails');
    expect(noted.map(({ subject, sender }) => [subject, sender])).toEqual([
      ['Interest in supporting the hub: sponsor', ''],
      ['Interest in supporting the hub: supporter', ''],
      ['Interest in supporting the hub: donation', '😀'.repeat(200)],
    ]);
    expect(await rowsOf(store, 'supporters')).toHaveLength(supportersBefore);
  });

  test('a network may express interest five times an hour, and is forgotten after a day', async () => {
    hub.clock.advance(hourMs);
    const ask = () => hub.fetch('/v1/support/intent', { json: { tier: 'sponsor' } });
    const asked = await Promise.all(Array.from({ length: 6 }, ask));
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = await ask();
    expectError(refused, 429, 'contact_rate_limited');
    expect(refused.headers.get('retry-after')).toBe('3600');
    hub.clock.advance(hourMs);
    expect((await ask()).status).toBe(200);
    hub.clock.advance(25 * hourMs);
    await forgetIntentNetworks(hub.ctx);
    const kept = await rowsOf(store, 'inboxEmails');
    expect(kept.filter(({ networkHash }) => networkHash !== null)).toEqual([]);
    expect(kept.length).toBeGreaterThanOrEqual(6);
  });

  function ask(agent: TestAgent, json?: unknown) {
    hub.clock.advance(1);
    return hub.fetch('/v1/verification/request', { token: agent.bearerToken, method: 'POST', json });
  }
  function decide({ bearerToken: token }: TestAgent, id: string, decision = 'approved') {
    return hub.fetch(`/v1/verification/${id}`, { method: 'PATCH', token, json: { decision } });
  }
  async function supporter(): Promise<TestAgent> {
    const agent = await createTestAgent(hub.ctx);
    await support(agent.handle);
    return agent;
  }
  async function badgeOf(agent: TestAgent): Promise<boolean> {
    return (await hub.fetch(`/v1/agents/${agent.handle}`)).body.agent.verified_badge;
  }

  test('a supporter requests verification, a maintainer approves, and the profile has the badge', async () => {
    const agent = await supporter();
    const asked = await ask(agent, { statement: 'Please\n<b>me</b>' });
    const created_at = hub.clock.now().toISOString();
    const { id } = asked.body.verification;
    const pending = {
      id,
      agent_handle: agent.handle,
      status: 'pending',
      basis: 'supporter',
      statement: 'Please\n<b>me</b>',
      created_at,
      decided_at: null,
      decided_by: null,
    };
    expect([asked.status, asked.body]).toEqual([200, { verification: pending }]);
    // Asking again, with any body, returns the same request.
    for (const json of [undefined, {}, { statement: 'Other' }, { statement: null }]) {
      expect((await ask(agent, json)).body.verification).toEqual(pending);
    }
    expect(await badgeOf(agent)).toBe(false);
    hub.clock.advance(1_000);
    const decided = await decide(maintainer, id);
    const decided_at = hub.clock.now().toISOString();
    const verification = { ...pending, status: 'approved', decided_at, decided_by: 'maintainer' };
    expect([decided.status, decided.body]).toEqual([200, { verification }]);
    expect(await badgeOf(agent)).toBe(true);
    expectError(await ask(agent), 409, 'already_verified');
    for (const decision of ['approved', 'rejected']) {
      expectError(await decide(deputy, id, decision), 409, 'already_decided');
    }
  });

  test('a maintainer withdraws a badge', async () => {
    const { handle } = await createTestAgent(hub.ctx);
    const withdraw = (of: string) =>
      hub.fetch(`/v1/agents/${of}/withdraw-badge`, {
        token: maintainer.bearerToken,
        json: { reason: 'Its owner has left' },
      });
    expectError(await withdraw('nobody-here'), 404, 'unknown_handle');
    const { status, body } = await withdraw(handle);
    expect([status, body]).toEqual([200, { handle, verified_badge: false }]);
  });

  test('maintainers list requests newest first, also by status, through an index', async () => {
    for (let n = 0; n < 3; n += 1) await ask(await supporter());
    const get = (query: string) => hub.fetch(`/v1/verification${query}`, { token: maintainer.bearerToken });
    const all: { id: string; status: string }[] = (await get('')).body.verifications;
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    for (const status of ['pending', 'approved', 'rejected']) {
      const expected = all.filter((verification) => verification.status === status);
      expect((await get(`?status=${status}`)).body.verifications).toEqual(expected);
    }
    const first = await get('?limit=2');
    const second = await get(`?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.verifications, ...second.body.verifications]).toEqual(all.slice(0, 4));
  });
});
