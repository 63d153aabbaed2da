/** First step of signing up: its result, its errors and their order. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, domainErrorOf } from '../outcomes.ts';
import { createTestCtx, newHandle, newKey, registration, signUp } from './sign-up.ts';

forEachStore((store) => {
  test('a registration returns one line that binds purpose, service, handle, key, a nonce and the expiry', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    const opened = await registerAgent(ctx, registration('line-binder', key));
    const expiresAt = new Date(ctx.clock.now().getTime() + 600_000).toISOString();
    expect(opened).toEqual({
      handle: 'line-binder',
      expiresInSeconds: 600,
      challenge: expect.stringMatching(/^agent-hub-challenge-v1 [\x20-\x7e]+$/),
    });
    const fields = new Map(
      opened.challenge
        .split(' ')
        .slice(1)
        .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
    );
    expect(Object.fromEntries(fields)).toEqual({
      purpose: 'register',
      service: 'https://hub.example',
      handle: 'line-binder',
      public_key: key.publicKey,
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: expiresAt,
    });
  });

  test('no two registrations share a nonce', async () => {
    const ctx = createTestCtx(store.db);
    const challenges = await Promise.all(
      Array.from({ length: 50 }, () => registerAgent(ctx, registration(newHandle(), newKey()))),
    );
    const nonces = challenges.map(({ challenge }) => /nonce=(\w+)/.exec(challenge)?.[1]);
    expect(new Set(nonces).size).toBe(50);
  });

  test('the handle of a verified agent is taken for every key, including its own', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    expect(await codeOf(registerAgent(ctx, registration(agent.handle, newKey())))).toBe('handle_taken');
    expect(await codeOf(registerAgent(ctx, registration(agent.handle, key)))).toBe('handle_taken');
  });

  test('a handle that names a path of the hub is taken', async () => {
    const ctx = createTestCtx(store.db);
    for (const handle of ['login', 'register', 'verify']) {
      expect(await codeOf(registerAgent(ctx, registration(handle, newKey())))).toBe('handle_taken');
    }
  });

  test('the key of an agent is taken for every other handle', async () => {
    const ctx = createTestCtx(store.db);
    const { key } = await signUp(ctx);
    const handle = newHandle();
    expect(await codeOf(registerAgent(ctx, registration(handle, key)))).toBe('key_taken');
    // The failed call reserved nothing.
    expect(await registerAgent(ctx, registration(handle, newKey()))).toMatchObject({ handle });
  });

  test('an open registration reserves the handle, and the error says until when', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    const key = newKey();
    await registerAgent(ctx, registration(handle, key));
    ctx.clock.advance(200_500);
    for (const again of [newKey(), key]) {
      const refusal = await domainErrorOf(registerAgent(ctx, registration(handle, again)));
      expect(refusal.code).toBe('registration_in_progress');
      expect(refusal.extras.retryAfterSeconds).toBe(400);
    }
    ctx.clock.advance(399_499);
    const last = await domainErrorOf(registerAgent(ctx, registration(handle, key)));
    expect(last.extras.retryAfterSeconds).toBe(1);
  });

  test('registrations of other handles do not affect the time to wait', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    await registerAgent(ctx, registration(newHandle(), newKey()));
    ctx.clock.advance(100_000);
    await registerAgent(ctx, registration(handle, newKey()));
    ctx.clock.advance(100_000);
    await registerAgent(ctx, registration(newHandle(), newKey()));
    const refusal = await domainErrorOf(registerAgent(ctx, registration(handle, newKey())));
    expect(refusal.extras.retryAfterSeconds).toBe(500);
  });

  test('an expired registration is kept while others begin, so that its late signature gets challenge_expired', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    const key = newKey();
    const { challenge } = await registerAgent(ctx, registration(handle, key));
    ctx.clock.advance(600_000);
    await registerAgent(ctx, registration(newHandle(), newKey()));
    const late = verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    expect(await codeOf(late)).toBe('challenge_expired');
  });

  test('key_taken is reported before registration_in_progress, and handle_taken before both', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, key } = await signUp(ctx);
    const handle = newHandle();
    await registerAgent(ctx, registration(handle, newKey()));
    expect(await codeOf(registerAgent(ctx, registration(handle, key)))).toBe('key_taken');
    const { key: otherKey } = await signUp(ctx);
    expect(await codeOf(registerAgent(ctx, registration(agent.handle, otherKey)))).toBe('handle_taken');
  });

  test('after 600 seconds the handle is free, and the old signature proves nothing', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    const first = newKey();
    const { challenge } = await registerAgent(ctx, registration(handle, first));
    ctx.clock.advance(600_000);
    const second = newKey();
    const replaced = await registerAgent(ctx, registration(handle, second));
    expect(await codeOf(verifyChallenge(ctx, { handle, signature: first.sign(challenge) }))).toBe(
      'invalid_signature',
    );
    const { agent } = await verifyChallenge(ctx, { handle, signature: second.sign(replaced.challenge) });
    expect(agent.publicKey).toBe(second.publicKey);
    const { challenges } = store.db.tables;
    expect(await store.db.query.select().from(challenges).where(eq(challenges.handle, handle))).toHaveLength(
      1,
    );
  });

  test('a key may be in several registrations, so that nobody can block it for its owner', async () => {
    const ctx = createTestCtx(store.db);
    const key = newKey();
    await registerAgent(ctx, registration(newHandle(), key));
    expect((await signUp(ctx, newHandle(), key)).agent.publicKey).toBe(key.publicKey);
  });

  test('a site that is not a link is rejected before anything is stored', async () => {
    const ctx = createTestCtx(store.db);
    const handle = newHandle();
    const key = newKey();
    const bad = { ...registration(handle, key), site: 'ftp://example.org' };
    expect(await codeOf(registerAgent(ctx, bad))).toBe('invalid_body');
    expect(await registerAgent(ctx, registration(handle, key))).toMatchObject({ handle });
  });
});
