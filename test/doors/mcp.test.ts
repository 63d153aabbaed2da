/** `/mcp` with real clients: the v2 SDK with both of its protocol generations, and the v1 SDK. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { hubSurface } from '#api/routes.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { tell } from '#test/harness/webhooks.ts';
import {
  callTool,
  connectModern,
  closedByUsing,
  headersOf,
  type OwnClient,
  postMcp,
  refusalOf,
  type ToolResult,
  useTool,
} from './mcp-clients.ts';

const listTokensMax = 3_500;
/** As models count roughly. */
const charactersPerToken = 4;
const era2025 = '2025-11-25';

let url: URL;
const hub = useTestHub({ rules: { baseUrl: 'http://127.0.0.1' } });
const agent = useTestAgent(hub, { handle: 'ada', tokens: 10 });
beforeAll(async () => {
  url = new URL(`${hub.url}/mcp`);
});

/** Each connects a client, with or without a token. */
const clients: Record<string, (token: string | null) => Promise<OwnClient>> = {
  'v2 client, negotiating': (token) => connectModern(url, token, 'auto'),
  'v2 client, pinned to 2025-11-25': (token) => connectModern(url, token),
  'v1 client': async (token) => {
    const client = new OldClient({ name: 'test', version: '1' });
    const requestInit = { headers: headersOf(token) };
    await client.connect(new OldTransport(url, { requestInit }));
    return closedByUsing(client);
  },
};

describe.each(Object.entries(clients))('%s', (_name, connect) => {
  test('lists the tools, and uses them with a token', async () => {
    await using client = await connect(agent.bearerToken);
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(20);
    expect((await useTool(client, 'get_me')).agent.handle).toBe('ada');
    const { id: thread_id } = await useTool(client, 'post_to_forum', { title: 'A title', body: 'A body' });
    await useTool(client, 'post_to_forum', { thread_id, body: 'A reply' });
    expect(JSON.stringify(await useTool(client, 'read_forum', { thread_id }))).toContain('A reply');
    expect((await useTool(client, 'list_agents', { handle: 'ada' })).agent.handle).toBe('ada');
    expect((await useTool(client, 'list_agents', { limit: 1 })).agents).toHaveLength(1);
  });

  test('an error is a result with message and hint, and only a missing token is a 401', async () => {
    await using client = await connect(null);
    await expect(client.callTool({ name: 'get_me', arguments: {} })).rejects.toThrow();
    expect((await refusalOf(client, 'read_forum', { thread_id: 'x' })).error).toBe('invalid_body');
    const { structuredContent: unknown } = await callTool(client, 'read_forum', { thread: 'x' });
    expect(unknown.message).toContain('thread');
    expect(Object.keys(unknown)).toEqual(['error', 'message', 'hint']);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  test('resources and the prompt', async () => {
    await using client = await connect(agent.bearerToken);
    const guide = await client.readResource({ uri: 'http://127.0.0.1/skill.md' });
    expect(JSON.stringify(guide)).toContain('# Agent Hub');
    const ledger = await client.readResource({ uri: 'http://127.0.0.1/v1/tokens/history' });
    expect(JSON.stringify(ledger)).toContain('For a test');
    await expect(client.readResource({ uri: 'http://127.0.0.1/nothing' })).rejects.toThrow();
    const prompt = await client.getPrompt({ name: 'get_evaluated' });
    expect(JSON.stringify(prompt)).toContain('Call start_run.');
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow();
  });
});

test('get_notifications waits for new notifications, and up_to marks them as read', async () => {
  const reader = await createTestAgent(hub.ctx);
  await using client = await connectModern(url, reader.bearerToken, 'auto');
  const waiting = client.callTool({ name: 'get_notifications', arguments: { wait: 20 } });
  await Bun.sleep(50);
  await tell(hub.ctx, reader);
  const { structuredContent: page } = (await waiting) as ToolResult;
  expect(page).toMatchObject({ notifications: [{ kind: 'waitlist.open' }], unread: 1 });
  expect(await useTool(client, 'get_notifications', { up_to: page.next_cursor })).toEqual({ unread: 0 });
});

test('an unknown tool, prompt or resource names the nearest', async () => {
  await using client = await connectModern(url, null, 'auto');
  const refusals = [
    [() => client.callTool({ name: 'get_reports' }), 'Did you mean get_report?'],
    [() => client.callTool({ name: 'nothing_like_it' }), 'They are: '],
    [() => client.getPrompt({ name: 'improved' }), 'Did you mean improve?'],
    [
      () => client.readResource({ uri: 'http://127.0.0.1/skil.md' }),
      'Did you mean http://127.0.0.1/skill.md?',
    ],
  ] as const;
  for (const [ask, way] of refusals) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect([way, String(error)]).toEqual([way, expect.stringContaining(way)]);
  }
  for (const name of ['get_evaluated', 'improve', 'earn']) {
    expect(await client.getPrompt({ name })).toMatchObject({ messages: [{ role: 'user' }] });
  }
});

test('the list of tools stays below its limit of tokens', async () => {
  await using client = await connectModern(url, null, 'auto');
  const { tools } = await client.listTools();
  const tokens = Math.ceil(JSON.stringify(tools).length / charactersPerToken);
  console.log(`tools/list: ${tools.length} tools, ${tokens} tokens`);
  expect(tokens).toBeLessThan(listTokensMax);
  for (const { name } of tools) expect(name).toMatch(/^[a-z_]{5,30}$/);
  // Clients that try the first one need no token for it; without one, others throw.
  expect(await client.callTool({ name: tools[0]!.name })).toMatchObject({ content: [{ type: 'text' }] });
  for (const one of tools) {
    expect(one).toMatchObject({
      title: expect.stringMatching(/^[A-Z].{4,30}$/),
      annotations: { openWorldHint: expect.any(Boolean) },
    });
    const { annotations } = one as unknown as { annotations: Record<string, boolean> };
    expect(['readOnlyHint', 'destructiveHint'].filter((hint) => hint in annotations)).toHaveLength(1);
  }
  // It leases cases and starts the run.
  expect(tools.find(({ name }) => name === 'get_cases')).toMatchObject({
    annotations: { destructiveHint: false },
    inputSchema: { properties: { limit: { default: expect.any(Number) } } },
  });
  expect(JSON.stringify(tools)).not.toContain('"x-rule"');
});

test('a practice case with turns says how it is graded, and is graded so', async () => {
  await using client = await connectModern(url, agent.bearerToken, 'auto');
  const { structuredContent, content } = await callTool(client, 'practice', { case_id: 'practice-turns-1' });
  const turns: { role: string; content: string }[] = structuredContent.practice.messages;
  expect(content[0]!.text).toContain(`${turns.length} turns`);
  const messages = turns.slice(1).map(() => ({ role: 'assistant', content: 'x' }));
  const { practice } = (await hub.fetch('/v1/eval-suite')).body;
  const { accepted } = practice.find(({ case_id }: { case_id: string }) => case_id === 'practice-turns-1');
  for (const [text, passed] of [
    ['x', false],
    [accepted[0], true],
  ]) {
    const graded = { case_id: 'practice-turns-1', messages, text };
    expect(await useTool(client, 'practice', graded)).toMatchObject({ passed });
  }
  const one = await callTool(client, 'practice', { case_id: 'practice-word-1' });
  expect(one.content[0]!.text).toContain('`text`');
});

test('a number says its maximum, unless that is what the hub takes by default', async () => {
  await using client = await connectModern(url, null, 'auto');
  const { tools } = (await client.listTools()) as { tools: { name: string; inputSchema: object }[] };
  const unsaid = hubSurface.tools.flatMap(({ name, arguments: { properties } }) => {
    const { inputSchema } = tools.find((one) => one.name === name)!;
    const said = (inputSchema as { properties: Record<string, { maximum?: number }> }).properties;
    return Object.entries(properties as Record<string, { maximum?: number; default?: number }>)
      .filter(([, { maximum, default: usual }]) => maximum !== undefined && maximum !== usual)
      .filter(([argument, { maximum }]) => said[argument]?.maximum !== maximum)
      .map(([argument]) => `${name}.${argument}`);
  });
  expect(unsaid).toEqual([]);
});

describe('over plain HTTP', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: era2025, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const post = (headers: Record<string, string>, message: unknown = initialize, at = hub) =>
    postMcp(at, message, headers);

  test('the first messages to a hub are answered, also when they arrive together', async () => {
    await using fresh = await startTestHub({ store: hub, rules: { baseUrl: 'http://127.0.0.1' } });
    const answers = await Promise.all([1, 2, 3].map(() => post({}, initialize, fresh)));
    for (const answer of answers) {
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('A hub for AI agents'),
      ]);
    }
  });

  test('a failure to create the servers is answered like any other, without its details', async () => {
    await using broken = await startTestHub({ store: hub, rules: { baseUrl: 'not a URL' } });
    const answer = await post({}, initialize, broken);
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).toBeString();
    expect([answer.status, await answer.json()]).toEqual([
      500,
      expect.objectContaining({ error: 'internal_error', request_id: requestId }),
    ]);
  });

  test('a foreign origin or host is rejected', async () => {
    expect((await post({})).status).toBe(200);
    expect((await post({ origin: 'http://127.0.0.1' })).status).toBe(200);
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ host: 'evil.example' })).status).toBe(403);
  });

  test('arguments that are no object are refused with a sentence', async () => {
    for (const given of ['{"limit":1}', ['x'], 7, null]) {
      const params = { name: 'list_agents', arguments: given };
      const answer = await post({}, { jsonrpc: '2.0', id: 5, method: 'tools/call', params });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          jsonrpc: '2.0',
          id: 5,
          error: {
            code: -32_602,
            message: expect.stringMatching(/^The `arguments` of tools\/call must be a JSON object/),
          },
        },
      ]);
    }
  });

  test('messages that are not JSON or too large are rejected', async () => {
    expect((await post({}, '{')).status).toBe(400);
    expect((await post({}, { text: 'x'.repeat(600_000) })).status).toBe(413);
    expect((await fetch(`${hub.url}/mcp`)).status).toBe(405);
  });

  test('messages that are too deep are refused', async () => {
    const call = (given: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":${given}}}`;
    const nested = (levels: number) => `${'{"q":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const [message, levels] of [
      [call(nested(33)), 34],
      [call(nested(50_000)), 34],
      [`{"jsonrpc":"2.0","id":${nested(50_000)},"method":"ping"}`, 34],
    ] as const) {
      const refusal = `The body must not nest objects and arrays deeper than ${levels} levels.`;
      const answer = await post({}, message);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining(`"error":"invalid_body","message":${JSON.stringify(refusal)}`),
      ]);
    }
    expect(await (await post({}, call(nested(32)))).text()).toContain('`q` must be');
  });

  test("network limits use the caller's address, and messages without a tool count as reads", async () => {
    await using limited = await startTestHub({
      store: hub,
      rules: { baseUrl: 'http://127.0.0.1' },
      redisUrl: hub.redisUrl,
      settings: { readsPerMinute: 2, trustedProxies: ['127.0.0.0/8'], corsOrigins: ['https://app.example'] },
    });
    const from = (address: string, message: object = initialize) =>
      post({ 'x-forwarded-for': address }, message, limited);
    const listAgents = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_agents' } };
    for (const message of [initialize, listAgents]) {
      const address = `198.51.100.${message.id}`;
      await from(address, message);
      await from(address, message);
    }
    expect((await from('198.51.100.1')).status).toBe(429);
    expect(await (await from('198.51.100.2', listAgents)).text()).toContain('rate_limited');
    expect(await (await from('198.51.100.3', listAgents)).text()).not.toContain('rate_limited');
    // Nor are messages free that are refused before they are read.
    const batch = Array.from({ length: 11 }, () => listAgents);
    for (const [address, accept, body] of [
      ['198.51.100.4', 'text/html', listAgents],
      ['198.51.100.5', '*/*', batch],
    ] as const) {
      const statuses: number[] = [];
      for (let sent = 0; sent < 3; sent += 1)
        statuses.push((await post({ 'x-forwarded-for': address, accept }, body, limited)).status);
      expect([accept, statuses]).toEqual([accept, [400, 400, 429]]);
    }
    const preflight = await fetch(`${limited.url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
  });
});

test('a batch is refused: newer versions of the protocol have none', async () => {
  const messages = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  const refused = await postMcp(hub, messages, { accept: '*/*', 'mcp-protocol-version': '2025-06-18' });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({
      error: 'invalid_body',
      hint: 'Send each message in a request of its own.',
    }),
  ]);
});
