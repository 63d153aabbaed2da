/** Logging in again with the key. */
import { expect, test } from 'bun:test';
import { and, eq, isNull } from 'drizzle-orm';
import { openChallengesTriedMax, openLoginsMax } from '#domain/agents/agent-limits.ts';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { listBearerTokens } from '#domain/agents/bearer-tokens.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, newHandle, newKey, registration, signUp } from './sign-up.ts';
import { hashBearerToken, isWellFormedBearerToken } from '#domain/agents/token-bearers.ts';
import { untouched } from '#test/harness/agents.ts';

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

  test('each login gets a challenge of its own, and a signature closes only that one', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const logins = [];
    for (let login = 0; login < openLoginsMax; login += 1) logins.push(await startLogin(ctx, { handle }));
    expect(new Set(logins.map(({ challenge }) => challenge)).size).toBe(openLoginsMax);
    // The oldest ones are not forgotten either.
    for (const { challenge, expiresInSeconds } of logins) {
      expect(expiresInSeconds).toBe(600);
      expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
    }
  });

  test('once 64 logins are open, each request gets the one that was returned least recently', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const next = async () => (await startLogin(ctx, { handle })).challenge;
    const first: string[] = [];
    for (let login = 0; login < openLoginsMax; login += 1) first.push(await next());
    const again: string[] = [];
    for (let login = 0; login < 2 * openLoginsMax; login += 1) again.push(await next());
    expect(again).toEqual([...first, ...first]);
    // A place that is free again goes to a new challenge, which then waits for its turn.
    await verifyChallenge(ctx, { handle, signature: key.sign(first[7]!) });
    const fresh = await next();
    expect(first).not.toContain(fresh);
    const others = first.filter((_, index) => index !== 7);
    const later: string[] = [];
    for (let login = 0; login < openLoginsMax; login += 1) later.push(await next());
    expect(later).toEqual([...others, fresh]);
  });

  test('a challenge that is returned again has at least 300 seconds left', async () => {
    const ctx = createTestCtx(store.db);
    const { agent } = await signUp(ctx);
    const { handle } = agent;
    for (let login = 0; login < openLoginsMax; login += 1) await startLogin(ctx, { handle });
    ctx.clock.advance(300_000);
    expect((await startLogin(ctx, { handle })).expiresInSeconds).toBe(300);
    ctx.clock.advance(1);
    expect((await startLogin(ctx, { handle })).expiresInSeconds).toBe(600);
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

  test('a stranger who requests many logins invalidates none', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const mine = await startLogin(ctx, { handle });
    let asked = mine;
    for (let times = 0; times < 3 * openLoginsMax; times += 1) {
      if (times % openLoginsMax === 0) ctx.clock.advance(180_000);
      asked = await startLogin(ctx, { handle });
    }
    for (const { challenge } of [mine, asked]) {
      expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
    }
  });

  test('at most 128 challenges of a handle are open, however often someone asks', async () => {
    const ctx = createTestCtx(store.db);
    const { agent } = await signUp(ctx);
    const { challenges } = store.db.tables;
    let most = 0;
    for (let seconds = 0; seconds <= 800; seconds += 200) {
      for (let times = 0; times < openLoginsMax + 6; times += 1)
        await startLogin(ctx, { handle: agent.handle });
      const rows = await store.db.query
        .select()
        .from(challenges)
        .where(and(eq(challenges.handle, agent.handle), isNull(challenges.usedAt)));
      most = Math.max(most, rows.filter(({ expiresAt }) => expiresAt > ctx.clock.now()).length);
      ctx.clock.advance(200_001);
    }
    expect(most).toBe(2 * openLoginsMax);
    expect(openChallengesTriedMax).toBeGreaterThan(most);
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

/** Second step of signing up: what a valid signature creates, and the errors for all others. */
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
