/** Logging in again with the key. */
import { expect, test } from 'bun:test';
import { and, eq, isNull } from 'drizzle-orm';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { listBearerTokens } from '#domain/agents/bearer-tokens.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, newHandle, newKey, registration, signUp } from './sign-up.ts';

forEachStore((store) => {
  test('a login has its own kind of challenge, and its signature gives the same agent another token', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key, ctx: agentCtx, token: firstToken } = await signUp(ctx);
    const login = await startLogin(ctx, { handle: agent.handle });
    expect(login).toMatchObject({ handle: agent.handle, expiresInSeconds: 600 });
    expect(login.challenge).toContain(' purpose=login ');
    expect(login.challenge).toContain(` public_key=${key.publicKey} `);
    const again = await verifyChallenge(ctx, { handle: agent.handle, signature: key.sign(login.challenge) });
    expect(again.agent).toEqual(agent);
    expect(again.token).not.toBe(firstToken);
    // The older token is still valid.
    expect((await listBearerTokens(agentCtx, { limit: 100, cursor: null })).items).toHaveLength(2);
  });

  test('only a verified agent can log in', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    expect(await codeOf(startLogin(ctx, { handle }))).toBe('unknown_handle');
    await registerAgent(ctx, registration(handle, newKey()));
    expect(await codeOf(startLogin(ctx, { handle }))).toBe('unknown_handle');
  });

  test('the open challenge is returned again while at least 300 seconds are left', async () => {
    const ctx = createTestCtx(store.db);
    const { agent } = await signUp(ctx);
    const first = await startLogin(ctx, { handle: agent.handle });
    ctx.clock.advance(299_500);
    expect(await startLogin(ctx, { handle: agent.handle })).toEqual({ ...first, expiresInSeconds: 301 });
    ctx.clock.advance(500);
    expect(await startLogin(ctx, { handle: agent.handle })).toEqual({ ...first, expiresInSeconds: 300 });
    ctx.clock.advance(1);
    const second = await startLogin(ctx, { handle: agent.handle });
    expect(second.challenge).not.toBe(first.challenge);
    expect(second.expiresInSeconds).toBe(600);
  });

  test('a new challenge reports 600 seconds, however long its commit took', async () => {
    const ctx = createTestCtx(store.db);
    const { agent } = await signUp(ctx);
    const ticking = {
      ...ctx,
      clock: {
        now: () => {
          ctx.clock.advance(3);
          return ctx.clock.now();
        },
      },
    };
    expect((await startLogin(ticking, { handle: agent.handle })).expiresInSeconds).toBe(600);
  });

  test('both open challenges can be used: a stranger who requests a login invalidates nothing', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const mine = await startLogin(ctx, { handle });
    ctx.clock.advance(300_001);
    const asked = await startLogin(ctx, { handle });
    for (const { challenge } of [mine, asked]) {
      expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
    }
  });

  test('at most two challenges of a handle are open, however often someone asks', async () => {
    const ctx = createTestCtx(store.db);
    const { agent } = await signUp(ctx);
    const { challenges } = store.db.tables;
    for (let seconds = 0; seconds <= 1_800; seconds += 75) {
      await startLogin(ctx, { handle: agent.handle });
      const rows = await store.db.query
        .select()
        .from(challenges)
        .where(and(eq(challenges.handle, agent.handle), isNull(challenges.usedAt)));
      const open = rows.filter(({ expiresAt }) => expiresAt > ctx.clock.now());
      expect(open.length).toBeLessThanOrEqual(2);
      ctx.clock.advance(75_000);
    }
  });

  test('a used login challenge is not returned again', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const first = await startLogin(ctx, { handle });
    await verifyChallenge(ctx, { handle, signature: key.sign(first.challenge) });
    const second = await startLogin(ctx, { handle });
    expect(second.challenge).not.toBe(first.challenge);
    expect(await codeOf(verifyChallenge(ctx, { handle, signature: key.sign(first.challenge) }))).toBe(
      'challenge_used',
    );
  });

  test('a challenge is kept for a day after it expires, then pruned in bounded steps', async () => {
    const ctx = createTestCtx(store.db);
    // Challenges left by other tests of this store are all older than the ones created here.
    const { challenges } = store.db.tables;
    await store.db.transaction((tx) => tx.query.delete(challenges));
    const { agent } = await signUp(ctx);
    const unverified = newHandle();
    await registerAgent(ctx, registration(unverified, newKey()));
    const day = 24 * 60 * 60 * 1_000;
    ctx.clock.advance(600_000 + day);
    expect(await pruneChallenges(ctx)).toBe(0);
    const signature = newKey().sign('anything');
    expect(await codeOf(verifyChallenge(ctx, { handle: unverified, signature }))).toBe('challenge_expired');
    ctx.clock.advance(1);
    expect(await pruneChallenges(ctx)).toBe(2);
    expect(await pruneChallenges(ctx)).toBe(0);
    expect(await codeOf(verifyChallenge(ctx, { handle: unverified, signature }))).toBe('unknown_handle');
    // A registered agent is known to have had a challenge.
    expect(await codeOf(verifyChallenge(ctx, { handle: agent.handle, signature }))).toBe('challenge_expired');
    expect((await startLogin(ctx, { handle: agent.handle })).expiresInSeconds).toBe(600);
  });
});
