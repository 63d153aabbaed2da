/**
 * Guessing a token reveals nothing: for every kind of invalid token the hub does the same work and returns
 * the same text, so that neither timing nor content distinguishes a revoked token from one that never
 * existed.
 */
import { beforeAll, expect, test } from 'bun:test';
import { countStatements, statementsOnSqlite } from '#test/harness/count-statements.ts';
import { createBearerToken, findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore, openScratchStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let agent: TestAgent;
  let revoked: TestAgent;
  const hub = useTestHub({ store, settings: everythingConfigured });
  beforeAll(async () => {
    agent = await createTestAgent(hub.ctx);
    revoked = await createTestAgent(hub.ctx);
    await revokeBearerToken(actingAs(hub.ctx, revoked), { tokenId: revoked.tokenId });
  });

  test('a token takes one statement, valid or not, by the hash only', async () => {
    const fresh = await openScratchStore(store.dialect);
    const look = () => findActingAgents(fresh.db, [hashBearerToken(createBearerToken())]);
    const plans = await plansOf(fresh, look);
    // The list of hashes is scanned; the tokens are not.
    const faults = plans.map(faultOf).filter((fault) => fault?.includes('json_each') !== true);
    expect([plans.length, faults.filter((fault) => fault !== null)]).toEqual([1, []]);
    await fresh.remove();
    for (const token of [createBearerToken(), revoked.bearerToken, agent.bearerToken]) {
      const statements = await store.db.transaction((tx) =>
        countStatements(tx, () => findActingAgents(tx, [hashBearerToken(token)])),
      );
      expect(statements).toBe(1);
    }
    const stored = JSON.stringify(await store.db.query.select().from(store.db.tables.bearerTokens));
    expect(stored).toContain(hashBearerToken(agent.bearerToken));
    for (const { bearerToken } of [agent, revoked]) expect(stored).not.toContain(bearerToken.slice(4, 20));
  });

  test('rejected tokens get byte-identical bodies and headers', async () => {
    const tokens = [createBearerToken(), revoked.bearerToken, 'x', `${agent.bearerToken}x`];
    const seen = new Set<string>();
    for (const token of tokens) {
      const { status, headers, text } = await hub.fetch('/v1/agents/me', { token });
      const id = headers.get('x-request-id') ?? '';
      const named = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      seen.add(JSON.stringify([status, named, text.replace(id, '')]));
    }
    expect([...seen]).toHaveLength(1);
  });

  if (store.dialect === 'sqlite') {
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
  }

  test('a missing, closed or wrongly signed challenge issues nothing, however often it is tried', async () => {
    const count = async () => (await store.db.query.select().from(store.db.tables.bearerTokens)).length;
    await hub.fetch('/v1/agents/login', { json: { handle: agent.handle } });
    const before = await count();
    for (let guess = 0; guess < 20; guess += 1) {
      const signature = Buffer.from(crypto.getRandomValues(new Uint8Array(64))).toString('base64');
      const { status, body } = await hub.fetch('/v1/agents/verify', {
        json: { handle: agent.handle, signature },
      });
      expect([status, body.error]).toEqual([401, 'invalid_signature']);
    }
    expect(await count()).toBe(before);
  });
});
