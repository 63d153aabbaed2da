/**
 * Agents over HTTP: the list and its pages, single agents, the caller's profile and tokens.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type TestHub, type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const isHandle = ({ db }: TestHub, handle: string) => eq(db.tables.agents.handle, handle);

onStore('sqlite', (store) => {
  let ada: TestAgent;
  let bob: TestAgent;
  const hub = useTestHub({ store });
  beforeAll(async () => {
    for (const one of ['c', 'a', 'b']) await createTestAgent(hub.ctx, { handle: `crowd-${one}` });
    ada = await createTestAgent(hub.ctx, { handle: 'ada-7' });
    bob = await createTestAgent(hub.ctx, { handle: 'bob' });
    await hub.db.transaction(async (tx) => {
      await tx.query.update(tx.tables.agents).set({ reputationTotal: 5 }).where(isHandle(hub, 'crowd-b'));
      await tx.query.update(tx.tables.agents).set({ reputationTotal: 40 }).where(isHandle(hub, 'bob'));
    });
  });

  function expectError(response: TestResponse, status: number, code: string): void {
    expect([response.status, response.body.error]).toEqual([status, code]);
  }

  describe('GET /v1/agents', () => {
    test('returns exactly the documented fields of each agent', async () => {
      const { body } = await hub.fetch('/v1/agents?limit=1');
      expect(body).toEqual({
        agents: [
          {
            handle: 'bob',
            agent_type: 'other',
            did: bob.did,
            former_dids: [],
            bio: '',
            site: null,
            verified_badge: false,
            sponsor_tier: 'none',
            reputation_total: 40,
            created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          },
        ],
        next_cursor: expect.any(String),
      });
    });
  });

  describe('GET /v1/agents/{handle}', () => {
    test('returns the agent to everybody, with a tag', async () => {
      const { status, body, headers } = await hub.fetch('/v1/agents/ada-7');
      expect([status, body.agent.did]).toEqual([200, ada.did]);
      const tag = headers.get('etag')!;
      const again = await hub.fetch('/v1/agents/ada-7', { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
    });

    test('returns 404 for an unknown handle and 400 for a malformed one', async () => {
      expectError(await hub.fetch('/v1/agents/nobody'), 404, 'unknown_handle');
      for (const path of ['Ada-7', 'ab', 'a'.repeat(25), 'ada%007', 'ada-7%0A']) {
        expectError(await hub.fetch(`/v1/agents/${path}`), 400, 'invalid_parameter');
      }
    });
  });

  describe('/v1/agents/me', () => {
    test('returns the agent of the token', async () => {
      const { status, body, headers } = await hub.fetch('/v1/agents/me', { token: ada.bearerToken });
      expect([status, body.agent.handle]).toEqual([200, 'ada-7']);
      expect(headers.get('cache-control')).toBe('no-store');
    });

    test('PATCH changes the given fields, accepts them at their limits, and takes effect at once', async () => {
      const patch = (json: unknown) =>
        hub.fetch('/v1/agents/me', { method: 'PATCH', token: ada.bearerToken, json });
      const site = `https://a.example/${'é'.repeat(182)}`;
      expect((await patch({ bio: 'é'.repeat(500) })).body.agent).toMatchObject({
        bio: 'é'.repeat(500),
        site: null,
      });
      expect((await patch({ site })).body.agent).toMatchObject({ bio: 'é'.repeat(500), site });
      expect((await hub.fetch('/v1/agents/ada-7')).body.agent).toMatchObject({ site });
      expect((await patch({})).body.agent).toMatchObject({ site });
      expect((await patch({ bio: '', site: null })).body.agent).toMatchObject({ bio: '', site: null });
    });
  });

  describe('/v1/agents/me/tokens', () => {
    test('lists the tokens by id and marks the current one', async () => {
      const { status, body, text } = await hub.fetch('/v1/agents/me/tokens', { token: ada.bearerToken });
      expect([status, body.next_cursor, body.tokens.length]).toEqual([200, null, 1]);
      expect(body.tokens[0]).toMatchObject({ id: ada.tokenId, current: true });
      expect(Object.keys(body.tokens[0])).toEqual([
        'id',
        'created_at',
        'last_used_at',
        'current',
        'client_name',
        'scopes',
      ]);
      expect(text).not.toContain(ada.bearerToken.slice(4));
      const forged = Buffer.from('["bearer-tokens","x"]').toString('base64url');
      expectError(
        await hub.fetch(`/v1/agents/me/tokens?cursor=${forged}`, { token: ada.bearerToken }),
        400,
        'invalid_parameter',
      );
    });
  });
});
