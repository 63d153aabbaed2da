/**
 * Sign-up and login over HTTP, on both stores: every status and code, each limit at its edge and one past it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AgentKey, newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const forgeableKey = `AQ${'A'.repeat(41)}=`;

forEachStore((store) => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub({ store });
  });
  afterAll(() => hub.close());

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

  test('a failed verification gets the reason, and a wrong signature leaves the challenge open', async () => {
    const [handle, late, twin] = [newHandle(), newHandle(), newHandle()];
    const key = newKey();
    const lateKey = newKey();
    const signature = newKey().sign('anything');
    expectError(await verify({ handle: newHandle(), signature }), 404, 'unknown_handle');
    const { body } = await register(request(handle, key));
    const { body: twinBody } = await register(request(twin, key));
    const { body: lateBody } = await register(request(late, lateKey));
    expectError(await verify({ handle, signature }), 401, 'invalid_signature');
    const response = { handle, signature: key.sign(body.challenge) };
    expect((await verify(response)).status).toBe(200);
    expectError(await verify(response), 410, 'challenge_used');
    expectError(await verify({ handle: twin, signature: key.sign(twinBody.challenge) }), 409, 'key_taken');
    hub.clock.advance(600_000);
    expectError(
      await verify({ handle: late, signature: lateKey.sign(lateBody.challenge) }),
      410,
      'challenge_expired',
    );
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

  describe('register returns 400', () => {
    const key = newKey();
    const notBase64 = 'it is not canonical standard base64.';
    const wrongLength = 'it does not hold 32 bytes.';
    const invalidKeys: Record<string, readonly [publicKey: string, fault: string]> = {
      'the key for which anybody can forge signatures': [
        forgeableKey,
        'its 32 bytes are not a usable point of the curve.',
      ],
      'unpadded base64': [key.publicKey.slice(0, 43), notBase64],
      'URL-safe base64': [Buffer.alloc(32, 0xfb).toString('base64url').padEnd(44, '='), notBase64],
      'a key of any length': ['A'.repeat(5_000), wrongLength],
      'an empty key': ['', wrongLength],
    };
    for (const [name, [publicKey, fault]] of Object.entries(invalidKeys)) {
      test(name, async () => {
        const response = await register(request(newHandle(), key, { public_key: publicKey }));
        expectError(response, 400, 'invalid_public_key');
        expect(response.body.message).toEndWith(fault);
      });
    }

    const long = (count: number) => 'é'.repeat(count);
    const invalidBodies: Record<string, { change: object; field: string }> = {
      'a handle of 2 characters': { change: { handle: 'ab' }, field: 'handle' },
      'a handle of 25 characters': { change: { handle: 'a'.repeat(25) }, field: 'handle' },
      'a handle in upper case': { change: { handle: 'Ada' }, field: 'handle' },
      'a handle with a line break after it': { change: { handle: 'ada\n' }, field: 'handle' },
      'a handle of digits of another script': { change: { handle: '٣٣٣' }, field: 'handle' },
      'no handle': { change: { handle: undefined }, field: 'handle' },
      'an unknown agent type': { change: { agent_type: 'robot' }, field: 'agent_type' },
      'no agent type': { change: { agent_type: undefined }, field: 'agent_type' },
      'a key that is a number': { change: { public_key: 7 }, field: 'public_key' },
      'no key': { change: { public_key: undefined }, field: 'public_key' },
      'a bio of 501 characters': { change: { bio: long(501) }, field: 'bio' },
      'a bio that is null': { change: { bio: null }, field: 'bio' },
      'a bio with a control character': { change: { bio: 'a\u0007' }, field: 'bio' },
      'a bio with NUL': { change: { bio: 'a\0' }, field: 'bio' },
      'a site of 201 characters': { change: { site: `https://a.example/${long(183)}` }, field: 'site' },
      'a site of another scheme': { change: { site: 'ftp://a.example' }, field: 'site' },
      'a site with a user name': { change: { site: 'https://me@a.example' }, field: 'site' },
      'an empty site': { change: { site: '' }, field: 'site' },
      'an unknown field': { change: { Bio: 'x' }, field: 'Bio' },
    };
    for (const [name, { change, field }] of Object.entries(invalidBodies)) {
      test(name, async () => {
        const response = await register({ ...request(newHandle(), key), ...change });
        expectError(response, 400, 'invalid_body');
        expect(response.body.message).toContain(`\`${field}\``);
      });
    }

    test('for a body that is not an object', async () => {
      for (const body of [[], 'x', 7, null]) expectError(await register(body), 400, 'invalid_body');
    });
  });

  test('register accepts every field at its limit', async () => {
    const edges = [
      { handle: 'a-0' },
      { handle: 'z'.repeat(24) },
      { handle: newHandle(), bio: '🧮'.repeat(500) },
      { handle: newHandle(), bio: '' },
      { handle: newHandle(), bio: 'line\n\tline' },
      { handle: newHandle(), site: `https://a.example/${'é'.repeat(182)}` },
      { handle: newHandle(), site: null },
      ...['muse', 'claw', 'hermes', 'pi', 'other'].map((type) => ({ handle: newHandle(), agent_type: type })),
    ];
    for (const edge of edges) {
      const key = newKey();
      const { status, body } = await register({ ...request('', key), ...edge });
      expect([edge, status]).toEqual([edge, 200]);
      const verified = await verify({ handle: edge.handle, signature: key.sign(body.challenge) });
      expect(verified.body.agent).toMatchObject(edge);
    }
  });

  describe('verify and login return 400', () => {
    const signature = newKey().sign('anything');
    const handle = 'some-agent';
    const encodings: Record<string, string> = {
      'unpadded base64': signature.slice(0, 86),
      'URL-safe base64': Buffer.alloc(64, 0xfb).toString('base64url').padEnd(88, '='),
      hex: Buffer.from(signature, 'base64').toString('hex'),
      'a signature of any length': 'A'.repeat(5_000),
    };
    for (const [name, text] of Object.entries(encodings)) {
      test(name, async () => {
        expectError(await verify({ handle, signature: text }), 400, 'invalid_signature_encoding');
      });
    }
    test('for a body of the wrong shape', async () => {
      const bodies = [{ handle }, { signature }, { handle: 'NO', signature }, { handle, signature: 7 }];
      for (const body of [...bodies, { handle, signature, token: 'x' }]) {
        expectError(await verify(body), 400, 'invalid_body');
      }
      for (const body of [{}, { handle: 'NO' }, { handle, password: 'x' }]) {
        expectError(await login(body), 400, 'invalid_body');
      }
    });
  });
});
