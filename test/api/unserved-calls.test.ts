/** Calls that reach no endpoint directly count too: MCP messages that name nothing, and forms of the site. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { sendForm, signInByForm } from '#test/site/tour/sign-in.ts';
import { useScratchStore } from '#test/harness/stores.ts';

const readsPerMinute = 5;
let hub: TestHub;
const store = useScratchStore('sqlite');
beforeEach(async () => {
  hub = await startTestHub({
    store,
    ownBaseUrl: true,
    settings: { readsPerMinute, registrationsPerMinute: 2, writesPerMinute: 100 },
  });
});
afterEach(() => hub.close());

async function send(path: string, method: string, params: unknown): Promise<string> {
  const response = await fetch(hub.url + path, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
  });
  return `${response.status} ${await response.text()}`;
}

describe('over MCP, a call counts that', () => {
  test.each([
    ['names no tool', '/mcp', 'tools/call', { name: 'no_such_tool', arguments: {} }],
    ['has wrong arguments', '/mcp', 'tools/call', { name: 'list_agents', arguments: { nonsense: 1 } }],
    ['has arguments that are no object', '/mcp', 'tools/call', { name: 'list_agents', arguments: 'x' }],
    ['has no name', '/mcp', 'tools/call', {}],
    ['names no resource', '/mcp', 'resources/read', { uri: 'hub://nothing' }],
    ['names no resource in a form that is none', '/mcp', 'resources/read', { uri: 7 }],
  ])('%s', async (_, path, method, params) => {
    for (let call = 0; call < readsPerMinute; call += 1)
      expect(await send(path, method, params)).not.toContain('limit of');
    expect(await send(path, method, params)).toContain(`limit of ${readsPerMinute} reads`);
  });
});

test('over MCP, every way to accept both forms of a response works, and another is refused with a hint', async () => {
  const ping = (accept: string) =>
    fetch(`${hub.url}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      headers: { 'content-type': 'application/json', accept, 'mcp-protocol-version': '2025-06-18' },
    });
  for (const accept of ['*/*', 'Application/JSON, text/*;q=0.5', 'TEXT/EVENT-STREAM,application/json'])
    expect([accept, (await ping(accept)).status]).toEqual([accept, 200]);
  const refused = await ping('application/json');
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      error: 'invalid_parameter',
      message: 'The header `Accept` must name both forms of a response.',
      hint: 'Send `Accept: application/json, text/event-stream`, or `*/*`.',
      request_id: expect.any(String),
    },
  ]);
});

test('the form of an endpoint with a lower limit has that limit too', async () => {
  const agent = await createTestAgent(hub.ctx);
  const cookie = await signInByForm(hub, agent);
  const exported = () => sendForm(`${hub.url}/me/account`, { _form: 'export' }, { cookie });
  const statuses = [(await exported()).status, (await exported()).status, (await exported()).status];
  expect(statuses).toEqual([200, 200, 429]);
  const byApi = await hub.fetch('/v1/agents/me/export', { token: agent.bearerToken });
  expect(byApi.status).toBe(429);
});
