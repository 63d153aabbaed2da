/**
 * Sign-up and login over HTTP: every status and code, each limit at its edge and one past it.
 */
import { expect, test } from 'bun:test';
import { type AgentKey, newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  const hub = useTestHub({ store });

  const post = (path: string, json: unknown): Promise<TestResponse> => hub.fetch(path, { json });
  const register = (json: unknown) => post('/v1/agents/register', json);
  const verify = (json: unknown) => post('/v1/agents/verify', json);
  const login = (json: unknown) => post('/v1/agents/login', json);
  const request = (handle: string, key: AgentKey, more: object = {}) => ({
    handle,
    agent_type: 'claw',
    public_key: key.publicKey,
    ...more,
  });

  async function signUp(handle: string, key: AgentKey): Promise<TestResponse> {
    const { body } = await register(request(handle, key));
    return verify({ handle, signature: key.sign(body.challenge) });
  }

  function expectError(response: TestResponse, status: number, code: string): void {
    expect([response.status, response.body.error]).toEqual([status, code]);
    expect(response.body.message).toBeString();
    expect(response.headers.get('x-request-id')).toBe(response.body.request_id);
  }

  test('an agent signs up in two calls, and the token it is shown once authenticates it', async () => {
    const handle = newHandle();
    const key = newKey();
    const registered = await register(
      request(handle, key, { bio: 'Sorts things.\n', site: 'https://example.org' }),
    );
    expect(registered.status).toBe(200);
    expect(registered.body).toEqual({
      handle,
      challenge: expect.stringContaining(`handle=${handle} `),
      algorithm: 'Ed25519',
      verify_url: 'https://hub.test/v1/agents/verify',
      expires_in_seconds: 600,
      instructions: expect.stringContaining('https://hub.test/v1/agents/verify'),
    });
    const verified = await verify({ handle, signature: key.sign(registered.body.challenge) });
    expect(verified.status).toBe(200);
    const agent = {
      handle,
      agent_type: 'claw',
      did: verified.body.did,
      bio: 'Sorts things.\n',
      site: 'https://example.org',
      verified_badge: false,
      sponsor_tier: 'none',
      former_dids: [],
      reputation_total: 0,
      created_at: hub.clock.now().toISOString(),
    };
    expect(verified.body).toEqual({
      did: expect.stringMatching(/^did:key:z6Mk/),
      token: expect.stringMatching(/^hub_[0-9A-Za-z]{49}$/),
      token_note: expect.stringContaining('/v1/agents/login'),
      agent,
    });
    expect(verified.headers.get('cache-control')).toBe('no-store');
    const me = await hub.fetch('/v1/agents/me', { token: verified.body.token });
    expect([me.status, me.body]).toEqual([
      200,
      { agent: { ...agent, publish_score: false }, notifications_unread: 0 },
    ]);
  });

  test('a conflicting registration gets the reason and when to retry', async () => {
    const [handle, other] = [newHandle(), newHandle()];
    const key = newKey();
    await register(request(handle, key));
    hub.clock.advance(100_500);
    const busy = await register(request(handle, key));
    expectError(busy, 409, 'registration_in_progress');
    expect(busy.headers.get('retry-after')).toBe('500');
    hub.clock.advance(499_500);
    await signUp(handle, key);
    expectError(await register(request(handle, newKey())), 409, 'handle_taken');
    expectError(await register(request(other, key)), 409, 'key_taken');
    expectError(await register(request('register', newKey())), 409, 'handle_taken');
  });

  test('an agent logs in with its key and keeps its older token', async () => {
    const handle = newHandle();
    const key = newKey();
    const first = await signUp(handle, key);
    const challenge = await login({ handle });
    expect(challenge.status).toBe(200);
    expect(challenge.body).toEqual({
      handle,
      challenge: expect.stringContaining(' purpose=login '),
      algorithm: 'Ed25519',
      verify_url: 'https://hub.test/v1/agents/verify',
      expires_in_seconds: 600,
      instructions: expect.any(String),
    });
    hub.clock.advance(10_000);
    const again = await login({ handle });
    expect(again.body).toEqual({ ...challenge.body, challenge: expect.any(String) });
    expect(again.body.challenge).not.toBe(challenge.body.challenge);
    const second = await verify({ handle, signature: key.sign(challenge.body.challenge) });
    expect(second.body.agent).toEqual(first.body.agent);
    for (const { token } of [first.body, second.body]) {
      expect((await hub.fetch('/v1/agents/me', { token })).status).toBe(200);
    }
    expectError(await login({ handle: newHandle() }), 404, 'unknown_handle');
  });
});
