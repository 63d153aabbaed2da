/** The documents through which clients discover `/mcp` and the guide, and `/openapi-agents.json`. */
import { expect, test, afterAll, beforeAll } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { tell } from '#test/harness/webhooks.ts';
import { headersOf, postMcp } from './mcp-clients.ts';

const hub = useTestHub();

test('the catalog leads to the card, and the card to /mcp', async () => {
  const { body: catalog } = await hub.fetch('/.well-known/mcp/catalog.json');
  expect(catalog.entries).toMatchObject([
    { type: 'application/mcp-server-card+json', url: 'https://hub.test/mcp/server-card' },
  ]);
  const card = await hub.fetch('/mcp/server-card');
  expect(card.headers.get('content-type')).toStartWith('application/mcp-server-card+json');
  expect(card.headers.get('access-control-allow-origin')).toBe('*');
  expect(JSON.parse(card.text)).toMatchObject({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: 'test.hub/agent-hub',
    remotes: [{ type: 'streamable-http', url: 'https://hub.test/mcp' }],
  });
});

test('the digest in the index of skills matches the served guide', async () => {
  const { body } = await hub.fetch('/.well-known/agent-skills/index.json');
  const [skill] = body.skills;
  expect(skill).toMatchObject({ name: 'agent-hub', type: 'skill-md', url: 'https://hub.test/skill.md' });
  const guide = await hub.fetch('/skill.md');
  expect(body.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  expect(guide.text).toStartWith(`---\nname: ${skill.name}\ndescription: ${skill.description}\n---\n`);
  const digest = new Bun.CryptoHasher('sha256').update(guide.text).digest('hex');
  expect(skill.digest).toBe(`sha256:${digest}`);
});

test('the home page is the guide for programs that ask for Markdown, and links to it for others', async () => {
  const guide = await hub.fetch('/', { headers: { accept: 'text/markdown, text/html;q=0.9, */*;q=0.1' } });
  expect(guide.headers.get('content-type')).toStartWith('text/markdown');
  expect(guide.text).toBe((await hub.fetch('/skill.md')).text);
  const page = await hub.fetch('/', { headers: { accept: '*/*' } });
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(page.headers.get('link')).toBe('</skill.md>; rel="alternate"; type="text/markdown"');
  expect([guide, page].map(({ headers }) => headers.get('vary'))).toEqual([
    expect.stringContaining('Accept'),
    expect.stringContaining('Accept'),
  ]);
});

test('with MCP=off, there is no trace of it', async () => {
  await using off = await startTestHub({ store: hub, redisUrl: hub.redisUrl, settings: { mcp: false } });
  const paths = ['/mcp/server-card', '/.well-known/mcp/catalog.json'];
  for (const document of ['oauth-authorization-server', 'oauth-protected-resource'])
    for (const of of ['', '/mcp', '/mcp/me']) paths.push(`/.well-known/${document}${of}`);
  for (const path of paths) expectError(await off.fetch(path), 404, 'not_found');
  expectError(await off.fetch('/mcp', { json: {} }), 404, 'not_found');
  expect((await off.fetch('/.well-known/agent-skills/index.json')).status).toBe(200);
});

test('the document for agents has no operations of maintainers and operators', async () => {
  const { body } = await hub.fetch('/openapi-agents.json');
  expect(body.paths['/v1/agents/me'].get.operationId).toBe('getMe');
  expect(body.paths['/v1/tokens/grants']).toBeUndefined();
  expect(body.paths['/metrics']).toBeUndefined();
  const { body: whole } = await hub.fetch('/openapi.json');
  expect(Object.keys(whole.paths)).toEqual(expect.arrayContaining(Object.keys(body.paths)));
});

/** Documents that hosts attach, and the completion of their addresses. */
const baseUrl = 'http://127.0.0.1';

forEachStore((store) => {
  const hub = useTestHub({ store, rules: { baseUrl } });
  let member: Client;
  let stranger: Client;
  const ada = useTestAgent(hub, { handle: 'ada-7', tokens: 10 });
  beforeAll(async () => {
    await createTestAgent(hub.ctx, { handle: 'adamant' });
    await createTestAgent(hub.ctx, { handle: 'grace' });
    member = await connect(ada.bearerToken);
    stranger = await connect(null);
  });
  afterAll(() => Promise.all([member.close(), stranger.close()]));

  async function connect(token: string | null): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: headersOf(token) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit }));
    return client;
  }

  async function complete(client: Client, path: string, name: string, value: string): Promise<string[]> {
    const ref = { type: 'ref/resource' as const, uri: baseUrl + path };
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  }

  async function read(client: Client, path: string): Promise<string> {
    const { contents } = await client.readResource({ uri: baseUrl + path });
    return String((contents[0] as { text?: string }).text);
  }

  async function askRaw(at: TestHub, uri: string, value: string): Promise<string> {
    const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'handle', value } };
    return (await postMcp(at, { jsonrpc: '2.0', id: 1, method: 'completion/complete', params })).text();
  }

  test('every template completes each of its parameters', async () => {
    const { resourceTemplates } = await stranger.listResourceTemplates();
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate.slice(baseUrl.length));
    expect(templates.toSorted()).toEqual([
      '/v1/agents/{handle}',
      '/v1/eval-jobs/{run_id}',
      '/v1/events/{event_id}',
      '/v1/runs/{run_id}',
      '/v1/suites/{suite}',
    ]);
    expect(stranger.getServerCapabilities()).toHaveProperty('completions');
  });

  test('handles', async () => {
    const path = '/v1/agents/{handle}';
    expect((await complete(stranger, path, 'handle', 'ad')).toSorted()).toEqual(['ada-7', 'adamant']);
    expect(await complete(stranger, path, 'handle', 'adam')).toEqual(['adamant']);
    expect(await complete(stranger, path, 'handle', '')).toContain('grace');
    expect(await complete(stranger, path, 'handle', 'zzz')).toEqual([]);
    expect(JSON.parse(await read(stranger, '/v1/agents/ada-7')).agent.handle).toBe('ada-7');
  });

  test('events, also by their title', async () => {
    const event = await createTestEvent(hub.ctx, { title: 'Planning for two' });
    const path = '/v1/events/{event_id}';
    expect(await complete(stranger, path, 'event_id', 'planning FOR')).toEqual([event.id]);
    expect(await complete(stranger, path, 'event_id', event.id.slice(0, 20))).toContain(event.id);
    expect(JSON.parse(await read(stranger, `/v1/events/${event.id}`)).event.id).toBe(event.id);
  });

  test('suites: private ones only for who may see them', async () => {
    const cases = [{ id: 'one', prompt: 'Say 42.', expect: [{ equals: '42' }] }];
    await publishTestSuite(actingAs(hub.ctx, ada), { suite: 1, name: 'refund-desk', cases });
    const path = '/v1/suites/{suite}';
    expect(await complete(stranger, path, 'suite', '@ada-7/')).toEqual([]);
    expect(await complete(member, path, 'suite', '@ada-7/ref')).toEqual(['@ada-7/refund-desk']);
    for (const form of ['@ada-7/refund-desk', '%40ada-7%2Frefund-desk'])
      expect(JSON.parse(await read(member, `/v1/suites/${form}`)).suite.name).toBe('refund-desk');
    await expect(read(stranger, '/v1/suites/@ada-7/refund-desk')).rejects.toThrow();
    await expect(read(member, '/v1/suites/@ada-7')).rejects.toThrow();
    const shown = { owner: 'ada-7', name: 'refund-desk', visibility: 'open' } as const;
    await updateSuite(actingAs(hub.ctx, ada), shown);
    expect(await complete(stranger, path, 'suite', 'refund')).toEqual(['@ada-7/refund-desk']);
  });

  test('own runs and notifications', async () => {
    const { id } = await completeAgentRun(actingAs(hub.ctx, ada));
    const path = '/v1/runs/{run_id}';
    expect(await complete(member, path, 'run_id', '')).toEqual([id]);
    expect(await complete(stranger, path, 'run_id', '')).toEqual([]);
    expect(await complete(member, '/v1/eval-jobs/{run_id}', 'run_id', '')).toEqual([]);
    expect(JSON.parse(await read(member, `/v1/runs/${id}`)).run.product).toBe('agent-run');
    await tell(hub.ctx, ada);
    const { notifications } = JSON.parse(await read(member, '/v1/notifications'));
    expect(notifications.at(-1)).toMatchObject({ kind: 'waitlist.open' });
    await expect(read(stranger, '/v1/notifications')).rejects.toThrow();
  });

  test('what stands in an address, or is to be completed, is checked as over HTTP', async () => {
    for (const [path, message] of [
      ['/v1/events/abc', '`event_id` must be a lower-case UUID.'],
      ['/v1/runs/%00', '`id` must be a lower-case UUID.'],
      ['/v1/agents/%00', '`handle` must be 3 to 24 lower-case letters, digits and hyphens.'],
      ['/v1/suites/@ada-7%00/refund-desk', '`owner` must be @ and the handle of an agent.'],
    ] as const)
      await expect(read(member, path)).rejects.toMatchObject({ message: expect.stringContaining(message) });
    const { logger, lines } = createRecordingLogger();
    await using recorded = await startTestHub({ store, rules: { baseUrl }, redisUrl: hub.redisUrl, logger });
    const value = 'adamant '.repeat(50);
    expect(await askRaw(recorded, `${baseUrl}/v1/agents/{handle}`, value)).toContain('"values":[]');
    expect(lines.filter(({ route }) => route === '/v1/agents')).toMatchObject([
      { error: 'invalid_parameter' },
    ]);
  });

  test('what cannot be completed has no values, and counts', async () => {
    expect(await complete(stranger, '/v1/agents/{handle}', 'other', 'a')).toEqual([]);
    expect(await complete(stranger, '/nothing/{handle}', 'handle', 'a')).toEqual([]);
    await using limited = await startTestHub({
      store,
      rules: { baseUrl },
      redisUrl: hub.redisUrl,
      settings: { readsPerMinute: 2 },
    });
    const ask = () => askRaw(limited, `${baseUrl}/nothing`, 'a');
    for (let call = 0; call < 2; call += 1) expect(await ask()).toContain('"values":[]');
    expect(await ask()).toContain('"error"');
  });
});
