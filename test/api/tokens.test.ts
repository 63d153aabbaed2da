/** The token endpoints over HTTP: balance and history of the caller, and grants by maintainers. */
import { describe, expect, test } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';

const hourMs = 60 * 60 * 1_000;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const { hub, maintainer } = useEventHub();

const grant = ({ handle }: Pick<TestAgent, 'handle'>, json: object = {}) =>
  hub.fetch('/v1/tokens/grants', {
    token: maintainer.bearerToken,
    json: { handle, amount: 1, reason: 'Thank you', ...json },
  });
const get = (agent: TestAgent, path: string) => hub.fetch(`/v1/tokens/${path}`, { token: agent.bearerToken });
const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();

describe('GET /v1/tokens/balance', () => {
  const free = {
    free_eval_available: true,
    free_agent_run_available: true,
    free_suite_run_available: true,
  };

  test('a new agent has only its free run', async () => {
    const response = await get(await createTestAgent(hub.ctx), 'balance');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ ...free, balance: 0, held: 0, next_expiry: null });
  });

  test('reports what is held and what expires next, and deducts what has expired', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 2, freeEvalTaken: true });
    const at = inHours(1);
    await grant(agent, { amount: 5, expires_at: at });
    const redemption = await hub.fetch('/v1/redemptions', {
      token: agent.bearerToken,
      json: { product: 'eval-run', target_url: 'http://127.0.0.1:9/' },
    });
    expect(redemption.status).toBe(200);
    const used = { ...free, free_eval_available: false, held: 1 };
    expect((await get(agent, 'balance')).body).toEqual({
      ...used,
      balance: 6,
      next_expiry: { amount: 4, at },
    });
    hub.clock.advance(hourMs);
    expect((await get(agent, 'balance')).body).toEqual({ ...used, balance: 2, next_expiry: null });
  });
});

describe('GET /v1/tokens/history', () => {
  test('shows the entries newest first, with every field', async () => {
    const agent = await createTestAgent(hub.ctx);
    const [expiresAt, createdAt] = [inHours(1), inHours(0)];
    await grant(agent, {
      amount: 3,
      reason: 'For reviews ✨',
      reference: `r-${agent.id}`,
      expires_at: expiresAt,
    });
    hub.clock.advance(hourMs);
    const { status, body } = await get(agent, 'history');
    expect(status).toBe(200);
    expect(body).toEqual({
      entries: [
        {
          id: expect.stringMatching(uuidForm),
          kind: 'expiry',
          amount: -3,
          balance_after: 0,
          reason: expect.any(String),
          reference: expect.stringMatching(uuidForm),
          expires_at: expiresAt,
          created_at: inHours(0),
        },
        {
          id: expect.stringMatching(uuidForm),
          kind: 'grant',
          amount: 3,
          balance_after: 3,
          reason: 'For reviews ✨',
          reference: `r-${agent.id}`,
          expires_at: expiresAt,
          created_at: createdAt,
        },
      ],
      next_cursor: null,
    });
  });
});

describe('POST /v1/tokens/grants', () => {
  test('201 with the entry and the balance of the agent', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 4 });
    const response = await grant(agent, { amount: 3 });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      entry: {
        id: expect.stringMatching(uuidForm),
        kind: 'grant',
        amount: 3,
        balance_after: 7,
        reason: 'Thank you',
        reference: null,
        expires_at: null,
        created_at: inHours(0),
      },
      balance: 7,
    });
  });

  test('repeating a reference is 200 with the first entry, the current balance, and no second grant', async () => {
    const agent = await createTestAgent(hub.ctx);
    const reference = `r-${agent.id}`;
    const first = await grant(agent, { amount: 3, reference });
    await grant(agent, { amount: 4 });
    const again = await grant(agent, { amount: 3, reference });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual({ entry: first.body.entry, balance: 7 });
    const other = await createTestAgent(hub.ctx);
    expectError(await grant(other, { amount: 3, reference }), 409, 'conflict');
    expectError(await grant(agent, { amount: 5, reference }), 409, 'conflict');
    expect((await get(agent, 'history')).body.entries).toHaveLength(2);
    expect((await get(other, 'history')).body.entries).toEqual([]);
  });

  test('an unknown handle is 400 unknown_agent', async () => {
    expectError(await grant({ handle: 'nobody-at-all' }), 400, 'unknown_agent');
  });
});
