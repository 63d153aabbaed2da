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
    ]) {
      expectError(await host.exchange(await host.code(agent), changes), 400, 'invalid_grant');
    }
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
  const refusal = async (changes: Record<string, string>) => {
    const response = await host.askFor(changes);
    const { error } = (await response.json()) as { error: string };
    return [response.status, error, response.headers.get('location')];
  };

  test('is refused without PKCE by S256', async () => {
    for (const changes of [
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: '' },
    ]) {
      expect(await refusal(changes)).toEqual([400, 'invalid_request', null]);
    }
  });

  test('is refused with a redirect URI that the client has not registered', async () => {
    const local = await TestHost.register(hub, { redirect_uris: ['http://127.0.0.1/cb', callback] });
    for (const redirect_uri of ['https://host.example/callback/', 'http://127.0.0.1/other']) {
      const response = await local.askFor({ redirect_uri });
      const { error } = (await response.json()) as { error: string };
      expect([redirect_uri, response.status, error]).toEqual([redirect_uri, 400, 'invalid_redirect_uri']);
    }
    // On this machine, the port is free (RFC 8252 section 7.3), and all names are one.
    for (const place of ['127.0.0.1:49152', 'localhost', 'localhost:5123', '[::1]:5123']) {
      const { status } = await local.askFor({ redirect_uri: `http://${place}/cb` });
      expect([place, status]).toEqual([place, 303]);
    }
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
    const slash = `${hub.ctx.rules.baseUrl}/mcp/`;
    expect((await host.askFor({ resource: slash })).status).toBe(303);
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
    ]) {
      expect((await sendForm(page, fields, { cookie, ...headers })).status).toBe(403);
    }
    const stranger = await createTestAgent(hub.ctx);
    for (const refused of [
      await sendForm(page, fields),
      await sendForm(page, { ...fields, _agent: stranger.handle }, { cookie }),
    ]) {
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('signed in as')]);
    }
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
    const statuses = async (token: string) => [
      (await callMcp(hub, '/mcp', token, 'get_me')).status,
      (await callMcp(foreignHub, '/mcp', token, 'get_me')).status,
    ];
    expect([await statuses(grant.access), await statuses(foreign.access)]).toEqual([
      [200, 401],
      [401, 200],
    ]);
    expectError(await host.refresh(foreign.refresh), 400, 'invalid_grant');
    hub.clock.advance(60 * minuteMs);
    for (const token of [grant.access, 'eyJhbGciOiJub25lIn0.e30.']) {
      expect(await statuses(token)).toEqual([401, 401]);
    }
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

describe('registrations', () => {
  test('are refused with a redirect URI that leaves the machine without TLS', async () => {
    const json = { redirect_uris: ['http://host.example/cb'] };
    expectError(await hub.fetch('/oauth/register', { json }), 400, 'invalid_redirect_uri');
  });

  test('and requests count as sign-ups, and registrations that nobody uses are deleted', async () => {
    await using limited = await startTestHub({ store: hub, settings: { registrationsPerMinute: 3 } });
    const register = () =>
      limited.fetch('/oauth/register', { json: { client_name: 'Flood', redirect_uris: [callback] } });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await register()).status);
    expect(statuses).toEqual([201, 201, 201, 429, 429]);
    const asking = new TestHost(limited, host.clientId);
    const asked = [];
    for (let n = 0; n < 5; n += 1) asked.push((await asking.askFor()).status);
    expect(asked).toEqual([429, 429, 429, 429, 429]);
    const fresh = await TestHost.register(hub);
    await fresh.connect(agent);
    const idle = await TestHost.register(hub);
    hub.clock.advance(2 * dayMs);
    while ((await pruneOauth(hub.ctx)) > 0);
    expect((await idle.askFor()).status).toBe(400);
    expect((await fresh.askFor()).status).toBe(303);
    hub.clock.advance(91 * dayMs);
    while ((await pruneOauth(hub.ctx)) > 0);
    expect((await fresh.askFor()).status).toBe(400);
  });
});
