/** Suspension over HTTP: other processes refuse the agent at once, and its seats are released. */
import { DomainError } from '#domain/errors.ts';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { newKey, registration } from '#test/domain/agents/sign-up.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { listSuspendedAgents } from '#domain/moderation/suspend-agent.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let hub: TestHub;
  let otherHub: TestHub;
  let maintainer: TestAgent;
  beforeAll(async () => {
    ({ hub, maintainer } = await startEventHub({ store }));
    otherHub = await startTestHub({ store, redisUrl: hub.redisUrl, clock: hub.clock });
  });
  afterAll(async () => {
    await otherHub.close();
    await hub.close();
  });
  const moderate = (act: 'suspend' | 'reinstate', handle: string, json: object = { reason: 'Spam' }) =>
    hub.fetch(`/v1/agents/${handle}/${act}`, { token: maintainer.bearerToken, json });

  test('every process refuses the tokens at once, and shows the agent as suspended', async () => {
    const ada = await createTestAgent(hub.ctx);
    const me = () => otherHub.fetch('/v1/agents/me', { token: ada.bearerToken });
    expect((await me()).status).toBe(200);
    const suspended = await moderate('suspend', ada.handle);
    expect([suspended.status, suspended.body]).toEqual([
      200,
      { handle: ada.handle, suspended: true, until: null },
    ]);
    expectError(await me(), 403, 'agent_suspended');
    expectError(
      await otherHub.fetch('/v1/skills', { token: ada.bearerToken, json: {} }),
      403,
      'agent_suspended',
    );
    const login = await otherHub.fetch('/v1/agents/login', { json: { handle: ada.handle } });
    expectError(login, 403, 'agent_suspended');
    const shown = await otherHub.fetch(`/v1/agents/${ada.handle}`);
    expect(shown.body.agent.suspended).toBe(true);
    const reinstated = await moderate('reinstate', ada.handle, {});
    expect(reinstated.body).toEqual({ handle: ada.handle, suspended: false, until: null });
    expect((await me()).body.agent.suspended).toBeUndefined();
  });

  test('maintainers see who is suspended now, with the reason, in pages', async () => {
    const agents = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    const until = new Date(hub.clock.now().getTime() + hourMs).toISOString();
    for (const { handle } of agents)
      await moderate('suspend', handle, { reason: `Spam of ${handle}`, until });
    const list = (path = '', { bearerToken: token } = maintainer) =>
      hub.fetch(`/v1/moderation/suspensions${path}`, { token });
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.agents, ...second.body.agents]).toEqual(
      agents.toReversed().map(({ handle }) => ({
        handle,
        suspended: true,
        until,
        since: hub.clock.now().toISOString(),
        reason: `Spam of ${handle}`,
      })),
    );
    expect(second.body.next_cursor).toBeNull();
    const lister = { ...hub.ctx, agent: maintainer };
    const plans = await plansOf(store, () => listSuspendedAgents(lister, { limit: 9, cursor: null }));
    expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
    await moderate('reinstate', agents[0]!.handle, {});
    expect((await list()).body.agents).toHaveLength(1);
    // Not only what happens at the instant: nobody has to end a suspension.
    hub.clock.advance(hourMs);
    expect((await list()).body.agents).toEqual([]);
    expectError(await list('', await createTestAgent(hub.ctx)), 403, 'maintainer_only');
  });

  test('a login that was started before the suspension does not succeed', async () => {
    const key = newKey();
    const handle = `late-${store.dialect}`;
    const { challenge } = await registerAgent(hub.ctx, registration(handle, key));
    await verifyChallenge(hub.ctx, { handle, signature: key.sign(challenge) });
    const login = await startLogin(hub.ctx, { handle });
    await moderate('suspend', handle);
    const verified = await hub.fetch('/v1/agents/verify', {
      json: { handle, signature: key.sign(login.challenge) },
    });
    expectError(verified, 403, 'agent_suspended');
  });

  test('future seats are refunded in full, however late, and past ones are kept', async () => {
    const ada = await createTestAgent(hub.ctx, { tokens: 20 });
    const bob = await createTestAgent(hub.ctx, { tokens: 20 });
    const startsAt = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs);
    const [soon, later, full] = [
      await createTestEvent(hub.ctx, { startsAt: startsAt(1) }),
      await createTestEvent(hub.ctx, { seatsTotal: 1 }),
      await createTestEvent(hub.ctx, { seatsTotal: 1 }),
    ];
    const book = (agent: TestAgent, event: { id: string }, act = 'reserve') =>
      hub.fetch(`/v1/events/${event.id}/${act}`, {
        method: 'POST',
        token: agent.bearerToken,
        json: act === 'reserve' ? { idempotency_key: event.id } : undefined,
      });
    for (const event of [soon, later]) expect((await book(ada, event)).status).toBe(200);
    expect((await book(bob, full)).status).toBe(200);
    expect((await book(ada, full, 'waitlist')).status).toBe(200);
    await moderate('suspend', ada.handle);
    const seen = async ({ id }: { id: string }) => (await hub.fetch(`/v1/events/${id}`)).body.event;
    expect([(await seen(soon)).seats_taken, (await seen(later)).seats_taken]).toEqual([0, 0]);
    const { seats, waitlistEntries, tokenAccounts } = store.db.tables;
    const ofAda = (await store.db.query.select().from(seats)).filter(({ agentId }) => agentId === ada.id);
    expect(ofAda.map(({ status, refunded }) => [status, refunded])).toEqual([
      ['cancelled', 2],
      ['cancelled', 2],
    ]);
    const waits = await store.db.query.select().from(waitlistEntries);
    expect(waits.filter(({ agentId }) => agentId === ada.id)).toEqual([]);
    const accounts = await store.db.query.select().from(tokenAccounts);
    expect(accounts.find(({ agentId }) => agentId === ada.id)?.balance).toBe(20);
    expect(await giveSeatsBack(hub.ctx, hub.deps.actors, null)).toBe(0);
    expect((await auditHub(hub.ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });

  test('a command to book a seat that was on its way at the suspension is refused', async () => {
    const ada = await createTestAgent(hub.ctx, { tokens: 20 });
    await moderate('suspend', ada.handle, { reason: 'x', until: '2100-01-01T00:00:00Z' });
    const event = await createTestEvent(hub.ctx);
    const { seatActor } = await import('#actors/seat-actor.ts');
    const command = { kind: 'reserve-seat', agentId: ada.id, agentHandle: ada.handle, key: 'k' } as const;
    expect(await hub.deps.actors.ask(seatActor, event.id, command).catch(codeOf)).toBe('agent_suspended');
    expect(await giveSeatsBack(hub.ctx, hub.deps.actors, null)).toBe(0);
  });

  test('invalid suspensions are rejected', async () => {
    const past = { reason: 'x', until: '2000-01-01T00:00:00Z' };
    const ada = await createTestAgent(hub.ctx);
    expectError(await moderate('suspend', ada.handle, past), 400, 'invalid_body');
    expectError(await moderate('suspend', ada.handle, {}), 400, 'invalid_body');
    for (const act of ['suspend', 'reinstate'] as const) {
      expectError(await moderate(act, 'nobody-here', { reason: 'x' }), 404, 'unknown_handle');
    }
    expectError(await moderate('suspend', maintainer.handle), 403, 'cannot_suspend_maintainer');
  });
});

function codeOf(error: unknown): string | null {
  return error instanceof DomainError ? error.code : null;
}
