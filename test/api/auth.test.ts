import { beforeAll, describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, replies } from '#api/plugins/edge.ts';
import { object } from '#api/schemas.ts';
import { createBearerToken, findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { onStore, forEachStore, openScratchStore } from '#test/harness/stores.ts';
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';

const response = replies({ 200: { description: 'You.', schema: object({ handle: Type.String() }) } });
const detail = () => ({ summary: 'Return the caller' });

const modules = [
  new Elysia({ tags: ['service'] }).use(edge).get(
    '/who',
    ({ agent, ctx }) => {
      expect(ctx.agent).toBe(agent);
      return { handle: agent.handle };
    },
    { agent: true, response, detail: detail() },
  ),
];

onStore('sqlite', (store) => {
  const hub = useTestHub({ store, modules });
  const agent = useTestAgent(hub);

  const authorized = (authorization: string) => hub.fetch('/who', { headers: { authorization } });
  const lastUsed = async (id: string) => (await rowOf(store, 'bearerTokens', { id })).lastUsedAt;

  test.each<[string, string, Record<string, string>]>([
    ['the query parameter `token`', '/who?token=hub_x', {}],
    ['the header `x-api-key`', '/who', { 'x-api-key': 'hub_x' }],
    ['Basic credentials', '/who', { authorization: 'Basic aHViX3g6' }],
  ])(
    'a token in %s is 401, and the message says where it belongs instead of suggesting a sign-up',
    async (place, path, headers) => {
      const rejected = await hub.fetch(path, { headers });
      const { body } = rejected;
      expectError(rejected, 401, 'missing_token');
      expect(body.message).toBe(
        `The token does not belong in ${place}, but in the header \`Authorization: Bearer <token>\`.`,
      );
      expect(body.hint).toContain('/v1/agents/login');
      expect(body.hint).not.toContain('register');
    },
  );

  describe('a bearer token', () => {
    test.each(['bearer', 'BEARER'])('accepts the scheme %s', async (scheme) => {
      expect((await authorized(`${scheme} ${agent.bearerToken}`)).status).toBe(200);
    });

    test('is requested with 401 when it is missing', async () => {
      const response = await hub.fetch('/who');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.body.hint).toContain('POST /v1/agents/register');
    });

    test('identifies the right agent for each of many concurrent requests', async () => {
      const agents = await Promise.all(Array.from({ length: 40 }, () => createTestAgent(hub.ctx)));
      const unknown = { bearerToken: createBearerToken(), handle: undefined };
      const calls = agents.flatMap((each) => [each, each, unknown]);
      const found = await Promise.all(
        calls.map(async ({ bearerToken: token }) => (await hub.fetch('/who', { token })).body.handle),
      );
      expect(found).toEqual(calls.map(({ handle }) => handle));
    });
  });

  describe('the last use of a token', () => {
    test('is recorded in the background, at most once a minute', async () => {
      const { bearerToken: token, tokenId } = await createTestAgent(hub.ctx);
      await hub.fetch('/who', { token });
      expect(await lastUsed(tokenId)).toBeNull();
      const first = hub.clock.now();
      await hub.deps.tokenUsage.flush();
      expect(await lastUsed(tokenId)).toEqual(first);
      const useAfter = async (ms: number) => {
        hub.clock.advance(ms);
        await hub.fetch('/who', { token });
        await hub.deps.tokenUsage.flush();
        return lastUsed(tokenId);
      };
      expect(await useAfter(59_000)).toEqual(first);
      expect(await useAfter(1_000)).toEqual(hub.clock.now());
    });

    test('is recorded when the process shuts down', async () => {
      const other = await startTestHub({ store, modules, redisUrl: hub.redisUrl });
      const { bearerToken, tokenId } = await createTestAgent(other.ctx);
      await other.fetch('/who', { token: bearerToken });
      await other.close();
      expect(await lastUsed(tokenId)).toEqual(other.clock.now());
    });

    test('does not delay a request while another transaction holds the database', async () => {
      const { bearerToken } = await createTestAgent(hub.ctx);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const holding = store.db.transaction(async (tx) => {
        await tx.query.$count(tx.tables.agents);
        await held;
      });
      await hub.fetch('/who', { token: bearerToken });
      const flushed = hub.deps.tokenUsage.flush();
      expect((await hub.fetch('/who', { token: bearerToken })).status).toBe(200);
      release();
      await Promise.all([holding, flushed]);
    });
  });
});

/**
 * Guessing a token reveals nothing: for every kind of invalid token the hub does the same work and returns
 * the same text, so that neither timing nor content distinguishes a revoked token from one that never
 * existed.
 */
forEachStore((store) => {
  const hub = useTestHub({ store, settings: everythingConfigured });
  const agent = useTestAgent(hub);
  const revoked = useTestAgent(hub);
  beforeAll(async () => {
    await revokeBearerToken(actingAs(hub.ctx, revoked), { tokenId: revoked.tokenId });
  });

  test('a token is found by its hash only, which the store has instead of it', async () => {
    const fresh = await openScratchStore(store.dialect);
    const look = () => findActingAgents(fresh.db, [hashBearerToken(createBearerToken())]);
    const plans = await plansOf(fresh, look);
    // The list of hashes is scanned; the tokens are not.
    const faults = plans.map(faultOf).filter((fault) => fault?.includes('json_each') !== true);
    expect([plans.length, faults.filter((fault) => fault !== null)]).toEqual([1, []]);
    await fresh.remove();
    const stored = JSON.stringify(await rowsOf(store, 'bearerTokens'));
    expect(stored).toContain(hashBearerToken(agent.bearerToken));
    for (const { bearerToken } of [agent, revoked]) expect(stored).not.toContain(bearerToken.slice(4, 20));
  });

  test('rejected tokens get byte-identical bodies and headers', async () => {
    const tokens = [createBearerToken(), revoked.bearerToken, 'x', `${agent.bearerToken}x`];
    const seen = new Set<string>();
    for (const token of tokens) {
      const { status, headers, text, body } = await hub.fetch('/v1/agents/me', { token });
      expect([status, body.error]).toEqual([401, 'invalid_token']);
      expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      const id = headers.get('x-request-id') ?? '';
      const named = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      seen.add(JSON.stringify([status, named, text.replace(id, '')]));
    }
    expect([...seen]).toHaveLength(1);
  });

  if (store.dialect === 'sqlite')
    test('a well-formed guess takes one query, revoked or not, and a malformed token none', async () => {
      const costOf = async (token: string): Promise<number> => {
        const before = statementsOnSqlite();
        expect((await hub.fetch('/v1/agents/me', { token })).status).toBe(401);
        return statementsOnSqlite() - before;
      };
      expect(await costOf(createBearerToken())).toBe(1);
      expect(await costOf(revoked.bearerToken)).toBe(1);
      for (const token of ['x', `${agent.bearerToken}x`, 'hub_' + 'A'.repeat(49)]) {
        expect(await costOf(token)).toBe(0);
      }
    });
});
