/** Hostile clients of OAuth. Each test names what the hub must refuse. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { rotateKey, startKeyRotation } from '#domain/account/rotate-key.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { pruneOauth } from '#domain/oauth/prune-oauth.ts';
import { newKey, signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useProcessOf, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { cookieOf, sendForm } from '#test/site/tour/sign-in.ts';
import { callMcp, callback, TestHost } from './test-host.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

let host: TestHost;
const { hub, maintainer } = useEventHub();
const other = useProcessOf(hub);
const foreignHub = useTestHub();
const agent = useTestAgent(hub);
beforeAll(async () => {
  host = await TestHost.register(hub);
});

describe('a code', () => {
  test('needs its verifier, its client and its redirect URI', async () => {
    const stranger = await TestHost.register(hub);
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: host.challenge },
      { client_id: stranger.clientId },
      { redirect_uri: 'https://host.example/other' },
    ])
      expectError(await host.exchange(await host.code(agent), changes), 400, 'invalid_grant');
    expectError(await host.exchange(await host.code(agent), { code_verifier: '' }), 400, 'invalid_request');
  });

  test('does not outlive the key of the agent that approved it', async () => {
    const { ctx, key, token } = await signUp(hub.ctx, 'rotating');
    const owner = { ...ctx.agent, bearerToken: token };
    const code = await host.code(owner);
    const { refresh } = await host.connect(owner);
    const next = newKey();
    const { challenge } = await startKeyRotation(ctx, next);
    await rotateKey(ctx, {
      publicKey: next.publicKey,
      oldSignature: key.sign(challenge),
      newSignature: next.sign(challenge),
    });
    expectError(await host.exchange(code), 400, 'invalid_grant');
    expectError(await host.refresh(refresh), 400, 'invalid_grant');
  });

  test('expires after two minutes', async () => {
    const code = await host.code(agent);
    hub.clock.advance(2 * minuteMs);
    expectError(await host.exchange(code), 400, 'invalid_grant');
  });
});

describe('a request', () => {
  const refusal = async (changes: Record<string, string>, by = host) => {
    const response = await by.askFor(changes);
    const { error } = (await response.json()) as { error: string };
    return [response.status, error, response.headers.get('location')];
  };

  test('is refused without PKCE by S256', async () => {
    for (const changes of [
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: '' },
    ])
      expect(await refusal(changes)).toEqual([400, 'invalid_request', null]);
  });

  test('is refused with a redirect URI that the client has not registered', async () => {
    const local = await TestHost.register(hub, { redirect_uris: ['http://127.0.0.1/cb', callback] });
    for (const redirect_uri of ['https://host.example/callback/', 'http://127.0.0.1/other'])
      expect(await refusal({ redirect_uri }, local)).toEqual([400, 'invalid_redirect_uri', null]);
    // On this machine, the port is free (RFC 8252 section 7.3).
    expect((await local.askFor({ redirect_uri: 'http://localhost:5123/cb' })).status).toBe(303);
  });

  test('is refused for the resource of another hub', async () => {
    for (const resource of [
      'https://other.example/mcp',
      `${hub.ctx.rules.baseUrl}/v1`,
      `${hub.ctx.rules.baseUrl}/mcp/me/x`,
      `${hub.ctx.rules.baseUrl}.evil/mcp`,
    ]) {
      expect(await refusal({ resource })).toEqual([400, 'invalid_target', null]);
      const exchanged = await host.exchange(await host.code(agent), { resource });
      expectError(exchanged, 400, 'invalid_target');
      const { refresh } = await host.connect(agent);
      expectError(await host.refresh(refresh, { resource }), 400, 'invalid_target');
    }
    expect((await host.askFor({ resource: `${hub.ctx.rules.baseUrl}/mcp/` })).status).toBe(303);
  });

  test('is refused with repeated parameters, at every endpoint', async () => {
    for (const name of ['scope', 'redirect_uri', 'state', 'resource', 'unknown']) {
      const response = await fetch(`${host.requestUrl({ [name]: 'a' })}&${name}=b`, { redirect: 'manual' });
      const { error } = (await response.json()) as { error: string };
      expect([name, response.status, error]).toEqual([name, 400, 'invalid_request']);
    }
    const token = await hub.fetch('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=authorization_code&client_id=a&client_id=b&code=c&code_verifier=d',
    });
    expectError(token, 400, 'invalid_request');
    expect(token.body.error_description).toContain('client_id');
  });

  test('expires after ten minutes', async () => {
    const page = await host.ask();
    hub.clock.advance(10 * minuteMs);
    await expect(host.decide(page, 'approve', agent)).rejects.toThrow('consent: 410');
    expect((await fetch(page, { headers: { accept: 'text/html' } })).status).toBe(410);
  });
});

describe('consent', () => {
  test('is not given by a form of another site, without a session, or for another agent', async () => {
    const page = await host.ask();
    const cookie = await cookieOf(hub, agent);
    const fields = { _form: 'approve', _agent: agent.handle };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ])
      expect((await sendForm(page, fields, { cookie, ...headers })).status).toBe(403);
    const stranger = await createTestAgent(hub.ctx);
    for (const refused of [
      await sendForm(page, fields),
      await sendForm(page, { ...fields, _agent: stranger.handle }, { cookie }),
    ])
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('signed in as')]);
    expect((await host.decide(page, 'approve', agent)).get('code')).toHaveLength(43);
  });

  test('cannot be framed, and its forms lead only to the hub and the checked redirect', async () => {
    const page = await fetch(await host.ask(), { headers: { accept: 'text/html' } });
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://host.example;");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
  });

  test('can lead to an IPv6 address, which browsers know no way to name in a policy', async () => {
    for (const [redirect_uri, source] of [
      ['http://[::1]:5123/cb', 'http:'],
      ['https://[2001:db8::1]/cb', 'https:'],
      ['http://localhost:5123/cb', 'http://localhost:5123'],
    ] as const) {
      const local = await TestHost.register(hub, { redirect_uris: [redirect_uri] });
      const page = await fetch(await local.ask({ redirect_uri }), { headers: { accept: 'text/html' } });
      const policy = page.headers.get('content-security-policy');
      expect(policy, redirect_uri).toContain(`form-action 'self' ${source};`);
    }
  });
});

describe('a token', () => {
  test('of another hub, or an expired one, is refused', async () => {
    const grant = await host.connect(agent);
    const foreignHost = await TestHost.register(foreignHub);
    const foreign = await foreignHost.connect(await createTestAgent(foreignHub.ctx));
    const statuses = (token: string) =>
      Promise.all([hub, foreignHub].map(async (at) => (await callMcp(at, '/mcp', token, 'get_me')).status));
    expect(await statuses(grant.access)).toEqual([200, 401]);
    expect(await statuses(foreign.access)).toEqual([401, 200]);
    expectError(await host.refresh(foreign.refresh), 400, 'invalid_grant');
    hub.clock.advance(60 * minuteMs);
    for (const token of [grant.access, 'eyJhbGciOiJub25lIn0.e30.'])
      expect(await statuses(token)).toEqual([401, 401]);
  });

  test('is not refreshed for another client, for more scopes, or after 30 days', async () => {
    const stranger = await TestHost.register(hub);
    const { refresh } = await host.connect(agent, { scope: 'read' });
    expectError(await stranger.refresh(refresh), 400, 'invalid_grant');
    expectError(await host.refresh(refresh, { scope: 'read spend' }), 400, 'invalid_scope');
    hub.clock.advance(30 * dayMs);
    expectError(await host.refresh(refresh), 400, 'invalid_grant');
  });
});

test('no grant of a suspended agent is given, renewed or used', async () => {
  const owner = await createTestAgent(hub.ctx);
  const code = await host.code(owner);
  const { access, refresh } = await host.connect(owner);
  const as = actingAs(hub.ctx, maintainer);
  const { handle } = owner;
  await suspendAgent(as, { handle, reason: 'Spam', until: null });
  expectError(await host.exchange(code), 400, 'invalid_grant');
  expectError(await host.refresh(refresh), 400, 'invalid_grant');
  for (const at of [hub, other])
    expect((await callMcp(at, '/mcp', access, 'get_me')).text).toContain('agent_suspended');
  await reinstateAgent(as, { handle, reason: 'Over' });
  expect((await host.refresh(refresh)).status).toBe(200);
});

test('a registration with a redirect URI that leaves the machine without TLS is refused', async () => {
  const json = { redirect_uris: ['http://host.example/cb'] };
  expectError(await hub.fetch('/oauth/register', { json }), 400, 'invalid_redirect_uri');
});

test('registrations and requests count as sign-ups', async () => {
  await using limited = await startTestHub({ store: hub, settings: { registrationsPerMinute: 3 } });
  const statuses = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await limited.fetch('/oauth/register', { json: { redirect_uris: [callback] } })).status);
  expect(statuses).toEqual([201, 201, 201, 429]);
  expect((await new TestHost(limited, host.clientId).askFor()).status).toBe(429);
});

test('registrations that nobody uses are deleted', async () => {
  const [fresh, idle] = [await TestHost.register(hub), await TestHost.register(hub)];
  await fresh.connect(agent);
  const pruneAfter = async (days: number) => {
    hub.clock.advance(days * dayMs);
    while ((await pruneOauth(hub.ctx)) > 0);
  };
  await pruneAfter(2);
  expect([(await idle.askFor()).status, (await fresh.askFor()).status]).toEqual([400, 303]);
  await pruneAfter(91);
  expect((await fresh.askFor()).status).toBe(400);
});
