/**
 * A hub on this machine is one hub under each of its names: what it says about itself has the name that the client used.
 * Another name in `Host` changes nothing, because whoever sends the request chooses it.
 */
import { describe, expect, test } from 'bun:test';
import { postMcp } from '#test/doors/mcp-clients.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type TestHub, useProcessOf, useTestHub } from '#test/harness/hub.ts';
import { newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { sendForm, signInByForm } from '#test/site/tour/sign-in.ts';
import { TestHost } from './test-host.ts';

const hub = useTestHub({ ownBaseUrl: true });
/** Has a name of its own. */
const named = useProcessOf(hub);

const otherNames = ['localhost', '[::1]'] as const;

/** What a hub says about its addresses, as text. */
async function sayings(at: TestHub, host: string): Promise<Record<string, string>> {
  const documents = [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp/me',
    '/.well-known/oauth-authorization-server',
    '/.well-known/agent.json',
    '/skill.md',
    '/',
    '/sign-in',
  ];
  const said: Record<string, string> = {};
  for (const path of documents) {
    const accept = path.includes('.') ? '*/*' : 'text/html';
    said[path] = (await at.fetch(path, { headers: { host, accept } })).text;
  }
  const json = { handle: newHandle(), agent_type: 'other', public_key: newKey().publicKey };
  said['challenge'] = (await at.fetch('/v1/agents/register', { json, headers: { host } })).body.challenge;
  return said;
}

async function challengeOf(at: TestHub, host: string): Promise<string | null> {
  const response = await postMcp(at, { jsonrpc: '2.0', id: 1, method: 'ping' }, { host }, '/mcp/me');
  return response.headers.get('www-authenticate');
}

describe('a hub on this machine', () => {
  test.each(otherNames)('calls itself %s to who calls it that', async (name) => {
    const host = `${name}:${hub.port}`;
    const said = await sayings(hub, host);
    for (const [place, text] of Object.entries(said)) {
      expect([place, text.includes(`http://${host}`), text.includes(hub.url)]).toEqual([place, true, false]);
    }
    expect(await challengeOf(hub, host)).toContain(
      `resource_metadata="http://${host}/.well-known/oauth-protected-resource/mcp/me"`,
    );
    // Pages are cached for everybody.
    expect((await sayings(hub, `127.0.0.1:${hub.port}`))['/']).not.toContain(host);
  });

  test('keeps its name when another host or port is asked for', async () => {
    const { port } = hub;
    for (const host of [`evil.example:${port}`, `localhost.evil.example:${port}`, 'localhost:1']) {
      const said = await sayings(hub, host);
      for (const [place, text] of Object.entries(said)) {
        const names = [text.includes(`http://${host}`), text.includes(hub.url)];
        expect(names, `${place} ${host}`).toEqual([false, true]);
      }
      expect((await challengeOf(hub, host)) ?? '').not.toContain(host);
    }
  });

  test.each(otherNames)('serves MCP resources under the name %s, at no other address', async (name) => {
    const base = `http://${name}:${hub.port}`;
    const send = async (method: string, params: object) => {
      const text = await (await postMcp(hub, { jsonrpc: '2.0', id: 1, method, params })).text();
      return JSON.parse(text.slice(text.indexOf('{')));
    };
    const { resources } = (await send('resources/list', {})).result;
    const [{ uri }] = resources;
    const path = uri.slice(hub.url.length);
    for (const given of [uri, base + path])
      expect((await send('resources/read', { uri: given })).result?.contents[0].uri).toBe(given);
    for (const other of [`http://${name}:1${path}`, `http://evil.example:${hub.port}${path}`])
      expect((await send('resources/read', { uri: other })).error?.data?.uri, other).toBe(other);
  });

  test.each(otherNames)('grants tokens to a client that came by %s', async (name) => {
    const base = `http://${name}:${hub.port}`;
    const headers = { host: `${name}:${hub.port}`, accept: 'application/json' };
    const agent = await createTestAgent(hub.ctx);
    const cookie = await signInByForm(hub, agent);
    const host = await TestHost.register(hub);
    for (const resource of [`${base}/mcp`, `${base}/mcp/me/`, `${hub.url}/mcp`]) {
      const asking = await fetch(host.requestUrl({ resource }), { redirect: 'manual', headers });
      expect([resource, asking.status]).toEqual([resource, 303]);
      const page = hub.url + (asking.headers.get('location') ?? '');
      const fields = { _form: 'approve', _agent: agent.handle };
      const approved = await sendForm(page, fields, { cookie, host: headers.host, origin: base });
      const reply = new URL(approved.headers.get('location') ?? '').searchParams;
      expect([approved.status, reply.get('iss')]).toEqual([303, base]);
      const { status, body } = await host.exchange(reply.get('code') ?? '', { resource });
      expect([resource, status]).toEqual([resource, 200]);
      expect((await host.refresh(body.refresh_token, { resource })).status).toBe(200);
    }
  });
});

test('a hub with a name of its own never calls itself localhost', async () => {
  const { baseUrl } = named.ctx.rules;
  for (const host of ['localhost', `localhost:${named.port}`, `127.0.0.1:${named.port}`]) {
    for (const [place, text] of Object.entries(await sayings(named, host))) {
      expect([place, text.includes(`//${host}`), text.includes(baseUrl)]).toEqual([place, false, true]);
    }
    expect((await challengeOf(named, host)) ?? baseUrl).toContain(baseUrl);
    const asking = await TestHost.register(named);
    expect((await asking.askFor({ resource: `http://${host}/mcp` })).status).toBe(400);
  }
});
