/** Idempotency keys: one holder at a time, replay of its response, and takeover from a dead process. */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import {
  type Claim,
  claimKey,
  type ClaimResult,
  pruneIdempotencyKeys,
  releaseKey,
  storeResponse,
} from '#domain/idempotency/claim-key.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf, tally } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent } = useAgentCtx(ctx);
  const newKey = () => Bun.randomUUIDv7();
  const claim = (
    key: string,
    changes: { route?: string; requestHash?: string; agent?: TestAgent } = {},
    at = ctx,
  ) =>
    claimKey(actingAs(at, changes.agent ?? agent), {
      route: changes.route ?? 'POST /v1/threads',
      key,
      requestHash: changes.requestHash ?? 'hash',
    });
  function claimOf(result: ClaimResult): Claim {
    if (!('claim' in result)) throw new Error('The key has a stored response.');
    return result.claim;
  }
  const store201 = (held: Claim) =>
    withTransaction(ctx, (inner) => storeResponse(inner, held, { status: 201, body: { by: held.claimId } }));

  test('of concurrent requests with one key, one holds it', async () => {
    const key = newKey();
    expect(await tally(race(ctx, 12, (at) => claim(key, {}, at)))).toEqual({
      ok: 1,
      request_in_progress: 11,
    });
  });

  test('a stored response is replayed to the same request only', async () => {
    const key = newKey();
    const held = claimOf(await claim(key));
    await store201(held);
    expect(await claim(key)).toEqual({ stored: { status: 201, body: { by: held.claimId } } });
    expect(await codeOf(claim(key, { requestHash: 'other' }))).toBe('idempotency_key_reused');
  });

  test('keys are scoped to agent and route', async () => {
    const key = newKey();
    await store201(claimOf(await claim(key)));
    claimOf(await claim(key, { route: 'POST /v1/skills' }));
    claimOf(await claim(key, { agent: await createTestAgent(ctx) }));
  });

  test('a claim can be taken over after 5 seconds, and its late response is not stored', async () => {
    const key = newKey();
    const dead = claimOf(await claim(key));
    ctx.clock.advance(4_000);
    const error = await domainErrorOf(claim(key));
    expect([error.code, error.extras.retryAfterSeconds]).toEqual(['request_in_progress', 1]);
    ctx.clock.advance(1_000);
    const next = claimOf(await claim(key));
    expect(await codeOf(store201(dead))).toBe('request_in_progress');
    await releaseKey(ctx, dead);
    await store201(next);
    expect(await claim(key)).toEqual({ stored: { status: 201, body: { by: next.claimId } } });
  });

  test('a released key can be claimed at once, and a stored response is not released', async () => {
    const key = newKey();
    await releaseKey(ctx, claimOf(await claim(key)));
    const held = claimOf(await claim(key));
    await store201(held);
    await releaseKey(ctx, held);
    expect(await claim(key)).toHaveProperty('stored');
  });

  test('a response is kept for 24 hours, and expired keys are pruned', async () => {
    const key = newKey();
    await store201(claimOf(await claim(key)));
    ctx.clock.advance(dayMs - 1);
    expect(await claim(key)).toHaveProperty('stored');
    ctx.clock.advance(1);
    claimOf(await claim(key, { requestHash: 'other' }));
    ctx.clock.advance(dayMs + 1);
    await pruneIdempotencyKeys(ctx);
    expect(await ctx.db.query.$count(ctx.db.tables.idempotencyKeys)).toBe(0);
  });
});
