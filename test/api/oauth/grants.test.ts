/** OAuth over HTTP, with two API processes: consent, tokens, scopes, refresh and revocation. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useProcessOf, useTestHub } from '#test/harness/hub.ts';
import { signInByForm } from '#test/site/tour/sign-in.ts';
import { callMcp, postForm, TestHost } from './test-host.ts';

const hub = useTestHub();
const other = useProcessOf(hub);

test('the documents lead a client from the MCP address to the endpoints', async () => {
  const { baseUrl } = hub.ctx.rules;
  const refused = await callMcp(hub, '/mcp', null, 'get_me');
  expect([refused.status, refused.challenge]).toEqual([
    401,
    `Bearer error="invalid_token", scope="read act spend", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`,
  ]);
  for (const path of ['', '/mcp', '/mcp/me']) {
    const { body } = await hub.fetch(`/.well-known/oauth-protected-resource${path}`);
    expect(body).toMatchObject({ resource: baseUrl + (path || '/mcp'), authorization_servers: [baseUrl] });
    const server = await hub.fetch(`/.well-known/oauth-authorization-server${path}`);
    expect(server.body).toMatchObject({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/authorize`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  }
});

test('an approved client acts for the agent in every process, within its scopes and for MCP only', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 5 });
  const host = await TestHost.register(hub);
  const reply = await host.decide(await host.ask({ scope: 'read' }), 'approve', agent);
  expect([reply.get('state'), reply.get('iss')]).toEqual(['state-1', hub.ctx.rules.baseUrl]);
  const tokens = await host.exchange(reply.get('code') ?? '');
  expect([tokens.status, tokens.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(tokens.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read' });
  const access: string = tokens.body.access_token;

  for (const path of ['/mcp', '/mcp/', '/mcp/me']) {
    const me = await callMcp(other, path, access, 'get_me');
    expect([path, me.status, me.text]).toEqual([path, 200, expect.stringContaining(agent.handle)]);
  }
  for (const [path, tool, args, scope] of [
    ['/mcp', 'start_run', {}, 'read spend'],
    ['/mcp/me', 'post_to_forum', { title: 'T', body: 'B' }, 'read act'],
    ['/mcp', 'change_work_order', { title: 'T', description: 'D', bounty: 1 }, 'read spend'],
  ] as const) {
    const refused = await callMcp(other, path, access, tool, args);
    const challenge = `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="`;
    expect([tool, refused.status, refused.challenge]).toEqual([
      tool,
      403,
      expect.stringContaining(challenge),
    ]);
  }

  // A host that asks for exactly the scopes of the challenge gets all of them with one consent.
  const stepped = await host.connect(agent, { scope: 'read spend' });
  expect((await callMcp(other, '/mcp', stepped.access, 'get_me')).status).toBe(200);
  expect((await callMcp(other, '/mcp', stepped.access, 'start_run')).status).toBe(200);

  const outside = await other.fetch('/v1/agents/me', { token: access });
  expectError(outside, 401, 'invalid_token');
  expect(outside.body.message).toContain('MCP only');
});

test('/mcp/me wants a token for everything, and /mcp only for private tools', async () => {
  expect((await callMcp(hub, '/mcp', null, 'list_agents')).status).toBe(200);
  const { status, challenge } = await callMcp(hub, '/mcp/me', null, 'list_agents');
  expect([status, challenge]).toEqual([401, expect.stringContaining('scope="read act spend"')]);
});

test('a refresh may ask for less, which holds for its access token alone', async () => {
  const host = await TestHost.register(hub);
  const act = async (token: string) => (await callMcp(other, '/mcp', token, 'post_to_forum')).status;
  const first = await host.connect(await createTestAgent(hub.ctx));
  const reading = await host.refresh(first.refresh, { scope: 'read' });
  expect(reading.body.scope).toBe('read');
  expect((await callMcp(hub, '/mcp', reading.body.access_token, 'get_me')).status).toBe(200);
  expect(await act(reading.body.access_token)).toBe(403);
  expect(await act(first.access)).toBe(200);
  const whole = await host.refresh(reading.body.refresh_token);
  expect(whole.body.scope).toBe('read act spend');
  expect(await act(whole.body.access_token)).toBe(200);
  expect(await act(reading.body.access_token)).toBe(403);
  expectError(await host.refresh(first.refresh, { scope: 'read' }), 400, 'invalid_grant');
});

test('a grant is one token of the agent, and revoking it ends its refresh', async () => {
  const agent = await createTestAgent(hub.ctx);
  const host = await TestHost.register(hub);
  const { access, refresh } = await host.connect(agent);
  const refreshed = await host.refresh(refresh);
  const { body } = await hub.fetch('/v1/agents/me/tokens', { token: agent.bearerToken });
  expect(body.tokens).toHaveLength(2);
  const [grant] = body.tokens;
  const scopes = ['read', 'act', 'spend'];
  expect(grant).toMatchObject({ client_name: 'Test host', scopes, current: false });
  const headers = { cookie: await signInByForm(hub, agent), accept: 'text/html' };
  expect((await hub.fetch('/me/sessions', { headers })).text).toContain('Test host');
  const revoked = await hub.fetch(`/v1/agents/me/tokens/${grant.id}`, {
    method: 'DELETE',
    token: agent.bearerToken,
  });
  expect(revoked.status).toBe(200);
  for (const token of [access, refreshed.body.access_token])
    expect((await callMcp(other, '/mcp', token, 'get_me')).status).toBe(401);
  expectError(await host.refresh(refreshed.body.refresh_token), 400, 'invalid_grant');
});

test('a client revokes its own grant, and no other client can', async () => {
  const agent = await createTestAgent(hub.ctx);
  const host = await TestHost.register(hub);
  const stranger = await TestHost.register(hub);
  for (const kind of ['access', 'refresh'] as const) {
    const grant = await host.connect(agent);
    const revoke = (clientId: string) =>
      postForm(hub, '/oauth/revoke', { token: grant[kind], client_id: clientId });
    expect((await revoke(stranger.clientId)).status).toBe(200);
    expect((await callMcp(hub, '/mcp', grant.access, 'get_me')).status).toBe(200);
    expect((await revoke(host.clientId)).status).toBe(200);
    expect((await callMcp(hub, '/mcp', grant.access, 'get_me')).status).toBe(401);
    expectError(await host.refresh(grant.refresh), 400, 'invalid_grant');
  }
});

test('a denied request tells the client', async () => {
  const agent = await createTestAgent(hub.ctx);
  const host = await TestHost.register(hub);
  const page = await host.ask();
  const reply = await host.decide(page, 'deny', agent);
  expect(Object.fromEntries(reply)).toMatchObject({
    error: 'access_denied',
    state: 'state-1',
    iss: hub.ctx.rules.baseUrl,
  });
  await expect(host.decide(page, 'approve', agent)).rejects.toThrow('consent: 410');
});
