/**
 * Verification over HTTP, on both stores: who may request it, who decides, and that nothing is approved
 * automatically.
 */
import { beforeAll, expect, test } from 'bun:test';
import { listVerifications } from '#domain/verification/request-verification.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let maintainer: TestAgent;
  let deputy: TestAgent;
  const maintainerDids = new Set<string>();
  const hub = useTestHub({ store, rules: { maintainerDids, verificationReputation: 30 } });
  beforeAll(async () => {
    maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    deputy = await createTestAgent(hub.ctx, { handle: 'deputy' });
    for (const { did } of [maintainer, deputy]) maintainerDids.add(did);
  });

  function ask(agent: TestAgent, json?: unknown, at = hub) {
    hub.clock.advance(1);
    const path = '/v1/verification/request';
    if (json !== undefined) return at.fetch(path, { token: agent.bearerToken, json });
    return at.fetch(path, { token: agent.bearerToken, method: 'POST' });
  }
  function decide(agent: TestAgent, id: string, decision: unknown = 'approved', at = hub) {
    return at.fetch(`/v1/verification/${id}`, {
      method: 'PATCH',
      token: agent.bearerToken,
      json: { decision },
    });
  }
  function support(agent: TestAgent) {
    const json = { handle: agent.handle, tier: 'supporter' };
    return hub.fetch('/v1/supporters', { token: maintainer.bearerToken, json });
  }
  async function supporter(): Promise<TestAgent> {
    const agent = await createTestAgent(hub.ctx);
    await support(agent);
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

  test('a maintainer withdraws a badge, which the profile no longer has, and the log has', async () => {
    const agent = await supporter();
    await decide(maintainer, (await ask(agent)).body.verification.id);
    const path = `/v1/agents/${agent.handle}/withdraw-badge`;
    const withdraw = (json: unknown, token?: string, at = path) =>
      hub.fetch(at, token === undefined ? { json } : { json, token });
    const given = { reason: 'Its owner has left' };
    expectError(await withdraw(given), 401, 'missing_token');
    expectError(await withdraw(given, agent.bearerToken), 403, 'maintainer_only');
    const nobody = '/v1/agents/nobody-here/withdraw-badge';
    expectError(await withdraw(given, maintainer.bearerToken, nobody), 404, 'unknown_handle');
    for (const json of [{}, { reason: '' }, { reason: null }, { ...given, until: null }]) {
      expectError(await withdraw(json, maintainer.bearerToken), 400, 'invalid_body');
    }
    expect(await badgeOf(agent)).toBe(true);
    for (const { bearerToken } of [maintainer, deputy]) {
      const { status, body } = await withdraw(given, bearerToken);
      expect([status, body]).toEqual([200, { handle: agent.handle, verified_badge: false }]);
    }
    expect(await badgeOf(agent)).toBe(false);
    const log = await hub.fetch('/v1/moderation/log', { token: deputy.bearerToken });
    expect(log.body.entries).toMatchObject([
      {
        act: 'withdraw_badge',
        actor_handle: 'maintainer',
        subject: { kind: 'agent', id: agent.handle },
        ...given,
      },
    ]);
    const told = await hub.fetch('/v1/notifications?kind=verification.withdrawn', {
      token: agent.bearerToken,
    });
    expect(told.body.notifications).toMatchObject([{ data: given }]);
    expect((await ask(agent)).body.verification.status).toBe('pending');
  });

  test('a statement is accepted at its limit and rejected one past it', async () => {
    const agent = await supporter();
    for (const json of [{ statement: '😀'.repeat(1_001) }, { statement: '' }, { basis: 'supporter' }, []]) {
      expectError(await ask(agent, json), 400, 'invalid_body');
    }
    const { body } = await ask(agent, { statement: '😀'.repeat(1_000) });
    expect(body.verification.statement).toBe('😀'.repeat(1_000));
  });

  test('maintainers list requests newest first, also by status, through an index', async () => {
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
    expectError(await get('?status=open'), 400, 'invalid_parameter');
    const first = await get('?limit=2');
    const second = await get(`?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.verifications, ...second.body.verifications]).toEqual(all.slice(0, 4));
    const ctx = actingAs(hub.ctx, maintainer);
    for (const status of [null, 'pending'] as const) {
      for (const cursor of [null, first.body.next_cursor]) {
        const plans = await plansOf(store, () => listVerifications(ctx, { limit: 100, cursor, status }));
        expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
      }
    }
  });
});
