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
  const as = ({ bearerToken: token }: TestAgent, method: string, path: string, json?: object) => {
    hub.clock.advance(1);
    return hub.fetch(`/v1${path}`, { token, method, json });
  };
  const support = (handle: string, terms: object = { tier: 'supporter' }) =>
    as(maintainer, 'POST', '/supporters', { handle, ...terms });
  const end = (handle: string) => as(maintainer, 'DELETE', `/supporters/${handle}`);
  const statusOf = async (agent: TestAgent) => (await as(agent, 'GET', '/supporter/status')).body;
  const profileOf = async ({ handle }: TestAgent) => (await hub.fetch(`/v1/agents/${handle}`)).body.agent;
  const tierOf = async (agent: TestAgent) => (await profileOf(agent)).sponsor_tier;
  const wall = async () => (await hub.fetch('/v1/supporter/list')).body;

  test('a new hub has an empty wall, and nobody is a supporter by default', async () => {
    expect(await wall()).toEqual([]);
    expect(await statusOf(maintainer)).toEqual({ active: false, since: null, ends_at: null });
  });

  test('support starts, is renewed, ends, and starts again; profile, status and wall agree', async () => {
    const ada = await createTestAgent(hub.ctx, { handle: 'ada' });
    const begun = await support('ada', { tier: 'donation' });
    const since = inHours(0);
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
    const ended = await end('ada');
    expect([ended.status, ended.body]).toEqual([200, { ok: true }]);
    const endedAt = inHours(0);
    expect(await statusOf(ada)).toEqual({ active: false, since, ends_at: endedAt });
    expect([await tierOf(ada), await wall()]).toEqual(['none', []]);
    expectError(await end('ada'), 404, 'not_found');
    await support('ada');
    const again = await statusOf(ada);
    expect([again.active, again.since > since, again.ends_at]).toEqual([true, true, null]);
    await end('ada');
  });

  test('support of an unknown agent, and an end that does not exist, are refused', async () => {
    expectError(await support('nobody-here'), 400, 'unknown_agent');
    expectError(await end('nobody-here'), 404, 'unknown_handle');
    const terms = { tier: 'sponsor', ends_at: '2999-13-01T00:00:00Z' };
    expectError(await support(maintainer.handle, terms), 400, 'invalid_body');
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
    const supporters = await rowsOf(store, 'supporters');
    const contact = '😀'.repeat(200);
    for (const json of [
      { tier: 'sponsor' },
      { tier: 'supporter', contact: null },
      { tier: 'donation', contact },
    ]) {
      const { status, body } = await hub.fetch('/v1/support/intent', { json });
      expect([status, body]).toEqual([200, { ok: true, message: expect.stringContaining(json.tier) }]);
    }
    expect(await rowsOf(store, 'inboxEmails')).toMatchObject([
      { subject: 'Interest in supporting the hub: sponsor', sender: '' },
      { subject: 'Interest in supporting the hub: supporter', sender: '' },
      { subject: 'Interest in supporting the hub: donation', sender: contact },
    ]);
    expect(await rowsOf(store, 'supporters')).toEqual(supporters);
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

  const ask = (agent: TestAgent, json?: object) => as(agent, 'POST', '/verification/request', json);
  const decide = (by: TestAgent, id: string, decision = 'approved') =>
    as(by, 'PATCH', `/verification/${id}`, { decision });
  async function supporter(): Promise<TestAgent> {
    const agent = await createTestAgent(hub.ctx);
    await support(agent.handle);
    return agent;
  }
  const badgeOf = async (agent: TestAgent) => (await profileOf(agent)).verified_badge;

  test('a supporter requests verification, a maintainer approves, and the profile has the badge', async () => {
    const agent = await supporter();
    const statement = 'Please\n<b>me</b>';
    const asked = await ask(agent, { statement });
    const { id } = asked.body.verification;
    const open = { status: 'pending', decided_at: null, decided_by: null };
    const request = { basis: 'supporter', statement, created_at: inHours(0) };
    const pending = { id, agent_handle: agent.handle, ...request, ...open };
    expect([asked.status, asked.body]).toEqual([200, { verification: pending }]);
    // Asking again, with any body, returns the same request.
    for (const json of [undefined, {}, { statement: 'Other' }, { statement: null }])
      expect((await ask(agent, json)).body.verification).toEqual(pending);
    expect(await badgeOf(agent)).toBe(false);
    const decided = await decide(maintainer, id);
    const decided_at = inHours(0);
    const verification = { ...pending, status: 'approved', decided_at, decided_by: 'maintainer' };
    expect([decided.status, decided.body]).toEqual([200, { verification }]);
    expect(await badgeOf(agent)).toBe(true);
    expectError(await ask(agent), 409, 'already_verified');
    expectError(await decide(deputy, id, 'rejected'), 409, 'already_decided');
  });

  test('verification is refused to those who have done nothing for it, and decided by another maintainer', async () => {
    expectError(await ask(await createTestAgent(hub.ctx)), 403, 'not_eligible');
    expectError(await decide(maintainer, Bun.randomUUIDv7()), 404, 'verification_not_found');
    await support(maintainer.handle);
    const { id } = (await ask(maintainer)).body.verification;
    expectError(await decide(maintainer, id), 403, 'separation_of_duties');
  });

  test('a maintainer withdraws a badge', async () => {
    const { handle } = await createTestAgent(hub.ctx);
    const withdraw = (of: string) =>
      as(maintainer, 'POST', `/agents/${of}/withdraw-badge`, { reason: 'Its owner has left' });
    expectError(await withdraw('nobody-here'), 404, 'unknown_handle');
    const { status, body } = await withdraw(handle);
    expect([status, body]).toEqual([200, { handle, verified_badge: false }]);
  });

  test('maintainers list requests newest first, also by status, in pages', async () => {
    for (let n = 0; n < 3; n += 1) await ask(await supporter());
    const get = async (query: string) => (await as(maintainer, 'GET', `/verification${query}`)).body;
    const all: { id: string; status: string }[] = (await get('')).verifications;
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    for (const status of ['pending', 'approved', 'rejected']) {
      const expected = all.filter((verification) => verification.status === status);
      expect((await get(`?status=${status}`)).verifications).toEqual(expected);
    }
    const first = await get('?limit=2');
    const second = await get(`?limit=2&cursor=${first.next_cursor}`);
    expect([...first.verifications, ...second.verifications]).toEqual(all.slice(0, 4));
  });
});
