/** First step of signing up: its result, its errors and their order. */
import { expect, test } from 'bun:test';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf } from '../outcomes.ts';
import { newHandle, newKey, registration, signUp, openRegistration } from './sign-up.ts';
import { composeChallenge } from '#domain/agents/keys/challenge.ts';
import { rowsOf } from '#test/harness/rows.ts';

forEachStore((store) => {
  const ctx = useFreshCtx(store);

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

  test('a key may be in several registrations, so that nobody can block it for its owner', async () => {
    const { key } = await openRegistration(ctx);
    expect((await signUp(ctx, newHandle(), key)).agent.publicKey).toBe(key.publicKey);
  });

  test('a site that is not a link is rejected before anything is stored', async () => {
    const handle = newHandle();
    const key = newKey();
    const bad = { ...registration(handle, key), site: 'ftp://example.org' };
    expect(await codeOf(registerAgent(ctx, bad))).toBe('invalid_body');
    expect(await registerAgent(ctx, registration(handle, key))).toMatchObject({ handle });
  });
});
