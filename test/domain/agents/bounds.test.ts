/**
 * Bounds of sign-up and tokens: which challenges a signature is checked against, what is pruned when, and
 * what using a token writes.
 */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import * as limits from '#domain/agents/agent-limits.ts';
import { issueBearerToken, requireValidToken, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { markTokensUsed } from '#domain/agents/token-bearers.ts';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { withTransaction } from '#domain/context.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, newHandle, newKey, registration, signUp } from './sign-up.ts';

const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  test('while a challenge is open, the last 64 closed ones are recognised and older ones are not', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const signatures: string[] = [];
    for (let login = 0; login <= limits.closedChallengesTriedMax; login += 1) {
      ctx.clock.advance(1_000);
      const { challenge } = await startLogin(ctx, { handle });
      signatures.push(key.sign(challenge));
      await verifyChallenge(ctx, { handle, signature: signatures[login]! });
    }
    ctx.clock.advance(1_000);
    const { challenge } = await startLogin(ctx, { handle });
    const codes: string[] = [];
    for (const signature of signatures) codes.push(await codeOf(verifyChallenge(ctx, { handle, signature })));
    const used = Array.from({ length: limits.closedChallengesTriedMax }, () => 'challenge_used');
    expect(codes).toEqual(['invalid_signature', ...used]);
    expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
  });

  test('at most a thousand challenges are pruned at a time', async () => {
    const ctx = createTestCtx(store.db);
    const { challenges } = store.db.tables;
    await store.db.transaction((tx) => tx.query.delete(challenges));
    await registerAgent(ctx, registration(newHandle(), newKey()));
    const [row] = await store.db.query.select().from(challenges);
    const old = new Date(ctx.clock.now().getTime() - 2 * dayMs);
    const rows = Array.from({ length: 1_001 }, (_, index) => ({
      ...row!,
      id: createId(old),
      handle: `old-${index}`,
      expiresAt: old,
    }));
    await store.db.transaction((tx) => tx.query.insert(challenges).values(rows));
    expect([await pruneChallenges(ctx), await pruneChallenges(ctx), await pruneChallenges(ctx)]).toEqual([
      1_000, 1, 0,
    ]);
    expect(await store.db.query.select().from(challenges)).toEqual([row!]);
  });

  test('the latest use of a token wins, even if an earlier use is recorded later', async () => {
    const ctx = createTestCtx(store.db);
    const [one, other] = [await signUp(ctx), await signUp(ctx)];
    const { bearerTokens } = store.db.tables;
    const tokenIds = [one.ctx.agent.tokenId];
    const lastUseOf = async (id: string) =>
      (await store.db.query.select().from(bearerTokens).where(eq(bearerTokens.id, id)))[0]?.lastUsedAt;
    const first = ctx.clock.now();
    const second = new Date(first.getTime() + 1);
    await markTokensUsed(ctx, { tokenIds: [], usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toBeNull();
    await markTokensUsed(ctx, { tokenIds, usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toEqual(first);
    await markTokensUsed(ctx, { tokenIds, usedAt: second });
    await markTokensUsed(ctx, { tokenIds, usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toEqual(second);
    expect(await lastUseOf(other.ctx.agent.tokenId)).toBeNull();
  });

  test('of tokens issued at the same instant the first is revoked, and other agents keep theirs', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx } = await signUp(ctx);
    const quiet = await signUp(ctx);
    await revokeBearerToken(quiet.ctx, { tokenId: quiet.ctx.agent.tokenId });
    for (let token = 0; token < 100; token += 1) {
      await requireValidToken(agentCtx);
      await withTransaction(ctx, (inner) => issueBearerToken(inner, agent.id));
    }
    expect(await codeOf(requireValidToken(agentCtx))).toBe('invalid_token');
    const { bearerTokens } = store.db.tables;
    ctx.clock.advance(30 * dayMs + 1);
    await withTransaction(ctx, (inner) => issueBearerToken(inner, agent.id));
    const kept = await store.db.query
      .select()
      .from(bearerTokens)
      .where(eq(bearerTokens.agentId, quiet.agent.id));
    expect(kept.map(({ id }) => id)).toEqual([quiet.ctx.agent.tokenId]);
  });
});
