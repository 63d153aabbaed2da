/** Calls that reach no endpoint directly count too: MCP messages that name nothing, and forms of the site. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { postMcp } from '#test/doors/mcp-clients.ts';
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

const era = { 'mcp-protocol-version': '2025-06-18' };

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_agents' } };
const completion = { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } };

describe('over MCP, a message counts once', () => {
  test.each<[string, object, Record<string, string>?]>([
    ['without an id', { ...call, id: undefined }],
    ['with an object as its id', { ...call, id: {} }],
    ['of another version of JSON-RPC', { ...call, jsonrpc: '1.0' }],
    ['with odd metadata', { ...call, params: { ...call.params, _meta: 5 } }],
    ['with an object as the name of its tool', { ...call, params: { name: { toString: 1, valueOf: 1 } } }],
    ['with an odd task', { ...call, params: { ...call.params, task: 5 } }],
    ['of an unknown version', call, { 'mcp-protocol-version': '1999-01-01' }],
    ['of the newest version, without its metadata', call, { 'mcp-protocol-version': '2026-07-28' }],
    ['of another type', call, { 'content-type': 'text/plain' }],
    [
      'that completes a prompt without a name',
      { ...call, method: 'completion/complete', params: completion },
    ],
    [
      'that reads a resource, without an id',
      { ...call, id: undefined, method: 'resources/read', params: { uri: 'x' } },
    ],
    // The library takes these.
    ['that names no tool', { ...call, params: { name: 'no_such_tool', arguments: {} } }],
    ['with wrong arguments', { ...call, params: { name: 'list_agents', arguments: { nonsense: 1 } } }],
    ['with arguments that are no object', { ...call, params: { name: 'list_agents', arguments: 'x' } }],
    ['without a name of a tool', { ...call, params: {} }],
    ['that names no resource', { ...call, method: 'resources/read', params: { uri: 'hub://nothing' } }],
    ['that names a number as a resource', { ...call, method: 'resources/read', params: { uri: 7 } }],
  ])('%s', async (_, message, headers = {}) => {
    const texts: string[] = [];
    for (let sent = 0; sent <= readsPerMinute; sent += 1) {
      const response = await postMcp(hub, message, { ...era, ...headers });
      texts.push(`${response.status} ${await response.text()}`);
    }
    const isLimited = texts.map((text) => text.includes(`limit of ${readsPerMinute} reads`));
    expect([texts[0], isLimited]).toEqual([texts[0], [...Array(readsPerMinute).fill(false), true]]);
  });
});

test('over MCP, a call that reaches its endpoint counts once', async () => {
  const agent = await createTestAgent(hub.ctx);
  for (const headers of [era, { ...era, authorization: `Bearer ${agent.bearerToken}` }]) {
    for (let sent = 0; sent < readsPerMinute; sent += 1)
      expect(await (await postMcp(hub, call, headers)).text()).toContain('next_cursor');
    expect(await (await postMcp(hub, call, headers)).text()).toContain('rate_limited');
  }
});

test('over MCP, every way to accept both forms of a response works, and another is refused with a hint', async () => {
  const ping = (accept: string) =>
    postMcp(hub, { jsonrpc: '2.0', id: 1, method: 'ping' }, { ...era, accept });
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
  const exported = () =>
    sendForm(`${hub.url}/me/account`, { _form: 'export', _agent: agent.handle }, { cookie });
  const statuses = [(await exported()).status, (await exported()).status, (await exported()).status];
  expect(statuses).toEqual([200, 200, 429]);
  const byApi = await hub.fetch('/v1/agents/me/export', { token: agent.bearerToken });
  expect(byApi.status).toBe(429);
});
