/** Second step of signing up: what a valid signature creates, and the errors for all others. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { hashBearerToken, isWellFormedBearerToken } from '#domain/agents/token-bearers.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { untouched } from '#test/harness/agents.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, newHandle, newKey, registration } from './sign-up.ts';

forEachStore((store) => {
  test('a valid signature creates the agent as requested, an empty token account and a token stored as a hash', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const handle = newHandle();
    const { challenge } = await registerAgent(ctx, {
      handle,
      publicKey: key.publicKey,
      agentType: 'hermes',
      bio: 'Counts\nlines 🧮',
      site: 'https://example.org/me',
    });
    ctx.clock.advance(1_000);
    const { agent, token } = await verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    expect(agent).toEqual({
      id: expect.any(String),
      handle,
      agentType: 'hermes',
      publicKey: key.publicKey,
      did: expect.stringMatching(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/),
      bio: 'Counts\nlines 🧮',
      site: 'https://example.org/me',
      verifiedBadge: false,
      sponsorTier: 'none',
      reputationTotal: 0,
      publishScore: false,
      publishHistory: false,
      network: null,
      createdAt: ctx.clock.now(),
      ...untouched,
    });
    const { agents, tokenAccounts, bearerTokens } = store.db.tables;
    expect(await store.db.query.select().from(agents).where(eq(agents.handle, handle))).toEqual([agent]);
    expect(
      await store.db.query.select().from(tokenAccounts).where(eq(tokenAccounts.agentId, agent.id)),
    ).toEqual([
      {
        agentId: agent.id,
        balance: 0,
        lastSequence: 0,
        freeEvalRedemptionId: null,
        freeAgentRunRedemptionId: null,
        freeSuiteRunRedemptionId: null,
      },
    ]);
    expect(isWellFormedBearerToken(token)).toBe(true);
    const tokens = await store.db.query.select().from(bearerTokens).where(eq(bearerTokens.agentId, agent.id));
    expect(tokens).toMatchObject([{ tokenHash: hashBearerToken(token), lastUsedAt: null, revokedAt: null }]);
    expect(JSON.stringify(tokens)).not.toContain(token);
  });

  test('a wrong signature is reported and leaves the challenge open', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const handle = newHandle();
    const { challenge } = await registerAgent(ctx, registration(handle, key));
    const wrong = {
      'of another key': newKey().sign(challenge),
      'of another text': key.sign(`${challenge}\n`),
      'of the hex digits decoded to bytes': key.sign(Buffer.from(challenge).toString('hex')),
      'of zeros': Buffer.alloc(64).toString('base64'),
      'that the runtime accepts under a forgeable key': Buffer.concat([
        Buffer.of(1),
        Buffer.alloc(63),
      ]).toString('base64'),
    };
    for (const [name, signature] of Object.entries(wrong)) {
      expect([name, await codeOf(verifyChallenge(ctx, { handle, signature }))]).toEqual([
        name,
        'invalid_signature',
      ]);
    }
    expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent.handle).toBe(
      handle,
    );
  });

  test("a signature of another handle's challenge proves nothing", async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const [one, other] = [newHandle(), newHandle()];
    const { challenge } = await registerAgent(ctx, registration(one, key));
    await registerAgent(ctx, registration(other, key));
    expect(await codeOf(verifyChallenge(ctx, { handle: other, signature: key.sign(challenge) }))).toBe(
      'invalid_signature',
    );
  });

  test('a handle that was never registered is unknown', async () => {
    const ctx = createTestCtx(store.db);
    const signature = newKey().sign('anything');
    expect(await codeOf(verifyChallenge(ctx, { handle: newHandle(), signature }))).toBe('unknown_handle');
  });

  test('a challenge is valid until its last millisecond and expires 600 seconds after its creation', async () => {
    const ctx = createTestCtx(store.db);
    const answers = await Promise.all(
      [newHandle(), newHandle()].map(async (handle) => {
        const key = newKey();
        const { challenge } = await registerAgent(ctx, registration(handle, key));
        return { handle, signature: key.sign(challenge) };
      }),
    );
    ctx.clock.advance(599_999);
    expect((await verifyChallenge(ctx, answers[0]!)).agent.handle).toBe(answers[0]!.handle);
    ctx.clock.advance(1);
    expect(await codeOf(verifyChallenge(ctx, answers[1]!))).toBe('challenge_expired');
    // Nothing is open, so even a wrong signature gets challenge_expired.
    const wrong = newKey().sign('anything');
    expect(await codeOf(verifyChallenge(ctx, { handle: answers[1]!.handle, signature: wrong }))).toBe(
      'challenge_expired',
    );
  });

  test('a challenge that expires while its signature is being checked has expired', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const handle = newHandle();
    const { challenge } = await registerAgent(ctx, registration(handle, key));
    ctx.clock.advance(599_999);
    let looks = 0;
    const clock = {
      now: () => {
        looks += 1;
        if (looks === 2) ctx.clock.advance(1);
        return ctx.clock.now();
      },
    };
    const answer = { handle, signature: key.sign(challenge) };
    expect(await codeOf(verifyChallenge({ ...ctx, clock }, answer))).toBe('challenge_expired');
    expect(looks).toBeGreaterThan(1);
  });

  test('a challenge works once, even while a later one is open and after it has expired', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const handle = newHandle();
    const { challenge } = await registerAgent(ctx, registration(handle, key));
    const answer = { handle, signature: key.sign(challenge) };
    await verifyChallenge(ctx, answer);
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    const login = await startLogin(ctx, { handle });
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    expect(await codeOf(verifyChallenge(ctx, { handle, signature: newKey().sign(login.challenge) }))).toBe(
      'invalid_signature',
    );
    ctx.clock.advance(600_000);
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    expect(await codeOf(verifyChallenge(ctx, { handle, signature: key.sign(login.challenge) }))).toBe(
      'challenge_expired',
    );
  });

  test('of two handles registered with one key, the first to be verified gets it', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const [one, other] = [newHandle(), newHandle()];
    const first = await registerAgent(ctx, registration(one, key));
    // Profile text must not be confused with the database's error messages.
    const second = await registerAgent(ctx, {
      ...registration(other, key),
      bio: 'agents_handle_unique agents.handle',
    });
    await verifyChallenge(ctx, { handle: one, signature: key.sign(first.challenge) });
    expect(await codeOf(verifyChallenge(ctx, { handle: other, signature: key.sign(second.challenge) }))).toBe(
      'key_taken',
    );
    const { agents } = store.db.tables;
    expect(await store.db.query.select().from(agents).where(eq(agents.handle, other))).toEqual([]);
  });
});
