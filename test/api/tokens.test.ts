/** The token endpoints over HTTP: balance and history of the caller, and grants by maintainers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const hourMs = 60 * 60 * 1_000;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

onStore('sqlite', (store) => {
  let hub: TestHub;
  let maintainer: TestAgent;
  beforeAll(async () => {
    const maintainerDids = new Set<string>();
    hub = await startTestHub({ store, rules: { maintainerDids } });
    maintainer = await createTestAgent(hub.ctx);
    maintainerDids.add(maintainer.did);
  });
  afterAll(() => hub.close());

  interface GrantBody {
    [field: string]: unknown;
  }
  const grantAs = (giver: TestAgent, json: GrantBody, headers: Record<string, string> = {}) =>
    hub.fetch('/v1/tokens/grants', { token: giver.bearerToken, json, headers });
  const grant = (receiver: TestAgent, json: GrantBody = {}, headers: Record<string, string> = {}) =>
    grantAs(maintainer, { handle: receiver.handle, amount: 1, reason: 'Thank you', ...json }, headers);
  const get = (agent: TestAgent, path: string) =>
    hub.fetch(`/v1/tokens/${path}`, { token: agent.bearerToken });
  const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();

  async function entriesOf(agent: TestAgent) {
    const { tokenEntries } = hub.db.tables;
    return hub.db.query.select().from(tokenEntries).where(eq(tokenEntries.agentId, agent.id));
  }

  describe('GET /v1/tokens/balance', () => {
    test('a new agent has only its free run', async () => {
      const response = await get(await createTestAgent(hub.ctx), 'balance');
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        balance: 0,
        held: 0,
        free_eval_available: true,
        free_agent_run_available: true,
        free_suite_run_available: true,
        next_expiry: null,
      });
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
      expect((await get(agent, 'balance')).body).toEqual({
        balance: 6,
        held: 1,
        free_eval_available: false,
        free_agent_run_available: true,
        free_suite_run_available: true,
        next_expiry: { amount: 4, at },
      });
      hub.clock.advance(hourMs);
      expect((await get(agent, 'balance')).body).toEqual({
        balance: 2,
        held: 1,
        free_eval_available: false,
        free_agent_run_available: true,
        free_suite_run_available: true,
        next_expiry: null,
      });
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
      expect((await get(agent, 'balance')).body.balance).toBe(7);
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
      expect(await entriesOf(agent)).toHaveLength(2);
      expect(await entriesOf(other)).toHaveLength(0);
    });

    test('tokens expire at an instant with any offset', async () => {
      const agent = await createTestAgent(hub.ctx);
      const { status, body } = await grant(agent, { expires_at: '2999-01-31t12:00:00.5+05:30' });
      expect([status, body.entry.expires_at]).toEqual([201, '2999-01-31T06:30:00.500Z']);
    });

    test('an unknown handle is 400 unknown_agent', async () => {
      const body = { handle: 'nobody-at-all', amount: 1, reason: 'Thank you' };
      expectError(await grantAs(maintainer, body), 400, 'unknown_agent');
    });
  });
});
