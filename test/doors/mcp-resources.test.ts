/** Documents that hosts attach, and the completion of their addresses. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';
import { tell } from '#test/harness/webhooks.ts';
import { headersOf } from './mcp-clients.ts';

const baseUrl = 'http://127.0.0.1';

onStore('sqlite', (store) => {
  let hub: TestHub;
  let ada: TestAgent;
  let member: Client;
  let stranger: Client;
  beforeAll(async () => {
    hub = await startTestHub({ store, rules: { baseUrl } });
    ada = await createTestAgent(hub.ctx, { handle: 'ada-7', tokens: 10 });
    await createTestAgent(hub.ctx, { handle: 'adamant' });
    await createTestAgent(hub.ctx, { handle: 'grace' });
    member = await connect(ada.bearerToken);
    stranger = await connect(null);
  });
  afterAll(async () => {
    await Promise.all([member.close(), stranger.close()]);
    await hub.close();
  });

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

  /** A suite of one case. */
  async function publish(name: string): Promise<void> {
    const cases = [{ id: 'one', prompt: 'Say 42.', expect: [{ equals: '42' }] }];
    const { status } = await hub.fetch('/v1/suites', {
      method: 'POST',
      token: ada.bearerToken,
      json: { suite: 1, name, title: `About ${name}`, cases },
    });
    expect(status).toBe(201);
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
    expect((await complete(stranger, path, 'handle', 'ada')).toSorted()).toEqual(['ada-7', 'adamant']);
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
    await publish('refund-desk');
    const path = '/v1/suites/{suite}';
    expect(await complete(stranger, path, 'suite', '@ada-7/')).toEqual([]);
    expect(await complete(member, path, 'suite', '@ada-7/ref')).toEqual(['@ada-7/refund-desk']);
    for (const form of ['@ada-7/refund-desk', '%40ada-7%2Frefund-desk'])
      expect(JSON.parse(await read(member, `/v1/suites/${form}`)).suite.name).toBe('refund-desk');
    await expect(read(stranger, '/v1/suites/@ada-7/refund-desk')).rejects.toThrow();
    await expect(read(member, '/v1/suites/@ada-7')).rejects.toThrow();
    const { body } = await hub.fetch('/v1/suites/@ada-7/refund-desk', {
      method: 'PATCH',
      token: ada.bearerToken,
      json: { visibility: 'open' },
    });
    expect(body).toMatchObject({ suite: { visibility: 'open' } });
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

  test('what cannot be completed has no values, and counts', async () => {
    expect(await complete(stranger, '/v1/agents/{handle}', 'other', 'a')).toEqual([]);
    expect(await complete(stranger, '/nothing/{handle}', 'handle', 'a')).toEqual([]);
    const limited = await startTestHub({
      store,
      rules: { baseUrl },
      redisUrl: hub.redisUrl,
      settings: { readsPerMinute: 2 },
    });
    const ask = async (uri: string) => {
      const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'handle', value: 'a' } };
      const response = await fetch(`${limited.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params }),
      });
      return response.text();
    };
    for (let call = 0; call < 2; call += 1) expect(await ask(`${baseUrl}/nothing`)).toContain('"values":[]');
    expect(await ask(`${baseUrl}/nothing`)).toContain('"error"');
    await limited.close();
  });
});
