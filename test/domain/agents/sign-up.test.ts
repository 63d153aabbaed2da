/** Both steps of signing up and of logging in with the key: what a signature creates, and the errors for all others. */
import { expect, test } from 'bun:test';
import { openChallengesTriedMax, openLoginsMax } from '#domain/agents/agent-limits.ts';
import { listBearerTokens } from '#domain/agents/bearer-tokens.ts';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import { composeChallenge } from '#domain/agents/keys/challenge.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { hashBearerToken, isWellFormedBearerToken } from '#domain/agents/token-bearers.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { untouched } from '#test/harness/agents.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf } from '../outcomes.ts';
import { type AgentKey, newHandle, newKey, openRegistration, registration, signUp } from './sign-up.ts';

forEachStore((store) => {
  const ctx = useFreshCtx(store);

  async function startLogins(handle: string, count: number) {
    const logins = [];
    for (let login = 0; login < count; login += 1) logins.push(await startLogin(ctx, { handle }));
    return logins;
  }

  test('a login has its own kind of challenge, and its signature gives the same agent another token', async () => {
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
    const handle = newHandle();
    expect(await codeOf(startLogin(ctx, { handle }))).toBe('unknown_handle');
    await openRegistration(ctx, handle);
    expect(await codeOf(startLogin(ctx, { handle }))).toBe('unknown_handle');
  });

  test('each login gets a challenge of its own, and once 64 are open the one that was returned least recently', async () => {
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const next = async (count: number) =>
      (await startLogins(handle, count)).map(({ challenge }) => challenge);
    const answer = (challenge: string) => verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    const first = await next(openLoginsMax);
    expect(new Set(first).size).toBe(openLoginsMax);
    expect(await next(2 * openLoginsMax)).toEqual([...first, ...first]);
    // A place that is free again goes to a new challenge, which then waits for its turn.
    await answer(first[7]!);
    const [fresh] = await next(1);
    expect(first).not.toContain(fresh);
    const open = [...first.filter((_, index) => index !== 7), fresh!];
    expect(await next(openLoginsMax)).toEqual(open);
    // A signature closes only its own challenge, and the oldest ones are not forgotten.
    for (const challenge of open) expect((await answer(challenge)).agent).toEqual(agent);
  });

  test('a challenge that is returned again has at least 300 seconds left', async () => {
    const { handle } = (await signUp(ctx)).agent;
    await startLogins(handle, openLoginsMax);
    ctx.clock.advance(300_000);
    expect((await startLogin(ctx, { handle })).expiresInSeconds).toBe(300);
    ctx.clock.advance(1);
    expect((await startLogin(ctx, { handle })).expiresInSeconds).toBe(600);
  });

  test('a new challenge reports 600 seconds, however long its commit took', async () => {
    const { agent } = await signUp(ctx);
    const ticking = () => {
      ctx.clock.advance(3);
      return ctx.clock.now();
    };
    const login = await startLogin({ ...ctx, clock: { now: ticking } }, { handle: agent.handle });
    expect(login.expiresInSeconds).toBe(600);
  });

  test('at most 128 challenges of a handle are open, however often someone asks', async () => {
    const { handle } = (await signUp(ctx)).agent;
    let most = 0;
    for (let seconds = 0; seconds <= 800; seconds += 200) {
      await startLogins(handle, openLoginsMax + 6);
      const rows = await rowsOf(ctx, 'challenges', { handle, usedAt: null });
      most = Math.max(most, rows.filter(({ expiresAt }) => expiresAt > ctx.clock.now()).length);
      ctx.clock.advance(200_001);
    }
    expect(most).toBe(2 * openLoginsMax);
    expect(openChallengesTriedMax).toBeGreaterThan(most);
  });

  test('a challenge is kept for a day after it expires, then pruned in bounded steps', async () => {
    // Challenges left by other tests of this store are all older than the ones created here.
    const { challenges } = store.db.tables;
    await store.db.transaction((tx) => tx.query.delete(challenges));
    const { agent } = await signUp(ctx);
    const { handle: unverified } = await openRegistration(ctx);
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

  test('a valid signature creates the agent as requested, an empty token account and a token stored as a hash', async () => {
    const key = newKey();
    const handle = newHandle();
    const profile = { agentType: 'hermes' as const, bio: 'Counts\nlines 🧮', site: 'https://example.org/me' };
    const given = { handle, publicKey: key.publicKey, ...profile };
    const { challenge } = await registerAgent(ctx, given);
    ctx.clock.advance(1_000);
    const { agent, token } = await verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    expect(agent).toEqual({
      ...given,
      id: expect.any(String),
      did: expect.stringMatching(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/),
      verifiedBadge: false,
      sponsorTier: 'none',
      reputationTotal: 0,
      publishScore: false,
      publishHistory: false,
      network: null,
      createdAt: ctx.clock.now(),
      ...untouched,
    });
    expect(await rowsOf(ctx, 'agents', { handle })).toEqual([agent]);
    const free = {
      freeEvalRedemptionId: null,
      freeAgentRunRedemptionId: null,
      freeSuiteRunRedemptionId: null,
    };
    expect(await rowsOf(ctx, 'tokenAccounts', { agentId: agent.id })).toEqual([
      { agentId: agent.id, balance: 0, lastSequence: 0, ...free },
    ]);
    expect(isWellFormedBearerToken(token)).toBe(true);
    const tokens = await rowsOf(ctx, 'bearerTokens', { agentId: agent.id });
    expect(tokens).toMatchObject([{ tokenHash: hashBearerToken(token), lastUsedAt: null, revokedAt: null }]);
    expect(JSON.stringify(tokens)).not.toContain(token);
  });

  test('a wrong signature is reported and leaves the challenge open', async () => {
    const { handle, key, challenge, answer } = await openRegistration(ctx);
    const wrong = {
      'of another key': newKey().sign(challenge),
      'of another text': key.sign(`${challenge}\n`),
      'of the challenge of another handle': (await openRegistration(ctx, newHandle(), key)).answer.signature,
      'of the hex digits decoded to bytes': key.sign(Buffer.from(challenge).toString('hex')),
      'of zeros': Buffer.alloc(64).toString('base64'),
      'that the runtime accepts under a forgeable key': Buffer.alloc(64).fill(1, 0, 1).toString('base64'),
    };
    for (const [name, signature] of Object.entries(wrong)) {
      const code = await codeOf(verifyChallenge(ctx, { handle, signature }));
      expect([name, code]).toEqual([name, 'invalid_signature']);
    }
    expect((await verifyChallenge(ctx, answer)).agent.handle).toBe(handle);
  });

  test('a challenge is valid until its last millisecond and expires 600 seconds after its creation', async () => {
    const [one, other] = [await openRegistration(ctx), await openRegistration(ctx)];
    ctx.clock.advance(599_999);
    expect((await verifyChallenge(ctx, one.answer)).agent.handle).toBe(one.handle);
    ctx.clock.advance(1);
    // It is kept while others begin.
    await openRegistration(ctx);
    expect(await codeOf(verifyChallenge(ctx, other.answer))).toBe('challenge_expired');
    // Nothing is open, so even a wrong signature gets challenge_expired.
    const wrong = { handle: other.handle, signature: newKey().sign('anything') };
    expect(await codeOf(verifyChallenge(ctx, wrong))).toBe('challenge_expired');
  });

  test('a challenge that expires while its signature is being checked has expired', async () => {
    const { answer } = await openRegistration(ctx);
    ctx.clock.advance(599_999);
    let looks = 0;
    const clock = {
      now: () => {
        looks += 1;
        if (looks === 2) ctx.clock.advance(1);
        return ctx.clock.now();
      },
    };
    expect(await codeOf(verifyChallenge({ ...ctx, clock }, answer))).toBe('challenge_expired');
    expect(looks).toBeGreaterThan(1);
  });

  test('a challenge works once, even while a later one is open and after it has expired', async () => {
    const { handle, key, answer } = await openRegistration(ctx);
    await verifyChallenge(ctx, answer);
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    const { challenge } = await startLogin(ctx, { handle });
    const codeFor = (signer: AgentKey) =>
      codeOf(verifyChallenge(ctx, { handle, signature: signer.sign(challenge) }));
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    expect(await codeFor(newKey())).toBe('invalid_signature');
    ctx.clock.advance(600_000);
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('challenge_used');
    expect(await codeFor(key)).toBe('challenge_expired');
  });

  test('of two handles registered with one key, the first to be verified gets it', async () => {
    const { key, answer } = await openRegistration(ctx);
    const handle = newHandle();
    // Profile text must not be confused with the database's error messages.
    const bio = 'agents_handle_unique agents.handle';
    const second = await registerAgent(ctx, { ...registration(handle, key), bio });
    await verifyChallenge(ctx, answer);
    const late = verifyChallenge(ctx, { handle, signature: key.sign(second.challenge) });
    expect(await codeOf(late)).toBe('key_taken');
    expect(await rowsOf(ctx, 'agents', { handle })).toEqual([]);
  });

  test('a registration returns one line that binds purpose, service, handle, key, a nonce and the expiry', async () => {
    const key = newKey();
    const opened = await registerAgent(ctx, registration('line-binder', key));
    const challenge = composeChallenge({
      purpose: 'register',
      service: 'https://hub.test',
      handle: 'line-binder',
      publicKey: key.publicKey,
      nonce: Buffer.from(/nonce=([0-9a-f]{64}) /.exec(opened.challenge)?.[1] ?? '', 'hex'),
      expiresAt: new Date(ctx.clock.now().getTime() + 600_000),
    });
    expect(opened).toEqual({ handle: 'line-binder', expiresInSeconds: 600, challenge });
  });

  test('no two registrations share a nonce', async () => {
    const challenges = await Promise.all(Array.from({ length: 50 }, () => openRegistration(ctx)));
    const nonces = challenges.map(({ challenge }) => /nonce=(\w+)/.exec(challenge)?.[1]);
    expect(new Set(nonces).size).toBe(50);
  });

  test('the handle of a verified agent is taken for every key, as are those that name a path of the hub', async () => {
    const [{ agent, key }, other] = [await signUp(ctx), await signUp(ctx)];
    // The last key is taken too.
    for (const each of [newKey(), key, other.key])
      expect(await codeOf(registerAgent(ctx, registration(agent.handle, each)))).toBe('handle_taken');
    for (const handle of ['login', 'register', 'verify'])
      expect(await codeOf(registerAgent(ctx, registration(handle, newKey())))).toBe('handle_taken');
  });

  test('the key of an agent is taken for every other handle, also one that is being registered', async () => {
    const { key } = await signUp(ctx);
    const handle = newHandle();
    expect(await codeOf(registerAgent(ctx, registration(handle, key)))).toBe('key_taken');
    // The failed call reserved nothing.
    expect(await registerAgent(ctx, registration(handle, newKey()))).toMatchObject({ handle });
    expect(await codeOf(registerAgent(ctx, registration(handle, key)))).toBe('key_taken');
  });

  test('an open registration reserves the handle, and the error says until when', async () => {
    await openRegistration(ctx);
    ctx.clock.advance(100_000);
    const { handle, key } = await openRegistration(ctx);
    ctx.clock.advance(200_500);
    // Those of other handles do not affect the time to wait.
    await openRegistration(ctx);
    for (const again of [newKey(), key]) {
      const refusal = await domainErrorOf(registerAgent(ctx, registration(handle, again)));
      expect(refusal).toMatchObject({ code: 'registration_in_progress', extras: { retryAfterSeconds: 400 } });
    }
    ctx.clock.advance(399_499);
    const last = await domainErrorOf(registerAgent(ctx, registration(handle, key)));
    expect(last.extras.retryAfterSeconds).toBe(1);
  });

  test('after 600 seconds the handle is free, and the old signature proves nothing', async () => {
    const { handle, answer } = await openRegistration(ctx);
    ctx.clock.advance(600_000);
    const second = await openRegistration(ctx, handle);
    expect(await codeOf(verifyChallenge(ctx, answer))).toBe('invalid_signature');
    const { agent } = await verifyChallenge(ctx, second.answer);
    expect(agent.publicKey).toBe(second.key.publicKey);
    expect(await rowsOf(ctx, 'challenges', { handle })).toHaveLength(1);
  });

  test('a site that is not a link is rejected before anything is stored', async () => {
    const handle = newHandle();
    const key = newKey();
    const bad = { ...registration(handle, key), site: 'ftp://example.org' };
    expect(await codeOf(registerAgent(ctx, bad))).toBe('invalid_body');
    expect(await registerAgent(ctx, registration(handle, key))).toMatchObject({ handle });
  });
});
