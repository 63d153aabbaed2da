/**
 * Programs that others wrote, as their users install them, against a real hub. `npm run test:doors` runs them: the
 * first time it installs each at one version, for which it needs a package registry.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { completeChatRun } from './chat-run.ts';
import { startChatServer } from './chat-server.ts';
import { runConformance } from './foreign/conformance.ts';
import { installed, installNode, programOf, run } from './foreign/packages.ts';

const isAsked = process.env['DOORS'] === 'all';

// oxlint-disable-next-line typescript/no-explicit-any -- packages are imported without their types
type Untyped = any;

describe.skipIf(!isAsked)('programs of others', () => {
  let store: ScratchStore;
  let hub: TestHub;
  let agent: TestAgent;
  let folder: string;
  let node: string;
  beforeAll(async () => {
    store = await openScratchStore('sqlite');
    hub = await startTestHub({ store, ownBaseUrl: true });
    agent = await createTestAgent(hub.ctx, { handle: 'ada' });
    folder = await mkdtemp(join(tmpdir(), 'agent-hub-foreign-'));
    node = await installNode();
  }, 300_000);
  afterAll(async () => {
    await hub.close();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test('the command line of the MCP inspector lists the tools and calls one', async () => {
    const inspector = programOf(
      await installed('@modelcontextprotocol/inspector', '2.12.0'),
      'mcp-inspector',
    );
    const inspect = async (...words: string[]) => {
      const { exitCode, printed, complaints } = await run(
        [node, inspector, '--cli', `${hub.url}/mcp`, ...words],
        folder,
      );
      expect([exitCode, complaints]).toEqual([0, expect.any(String)]);
      return JSON.parse(printed);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.length).toBeGreaterThan(15);
    const header = `Authorization: Bearer ${agent.bearerToken}`;
    const me = await inspect('--method', 'tools/call', '--tool-name', 'get_me', '--header', header);
    expect(me.structuredContent.agent.handle).toBe('ada');
  }, 300_000);

  test('mcporter lists the tools and calls one', async () => {
    const mcporter = programOf(await installed('mcporter', '0.12.3'), 'mcporter');
    const port = async (...words: string[]) => {
      const { exitCode, printed, complaints } = await run([node, mcporter, ...words], folder);
      expect([words, exitCode, complaints]).toEqual([words, 0, expect.any(String)]);
      return JSON.parse(printed);
    };
    const url = `${hub.url}/mcp`;
    const { tools } = await port('list', url, '--allow-http', '--json');
    expect(tools.length).toBeGreaterThan(15);
    const shown = await port('call', `${url}.list_agents`, 'handle=ada', '--allow-http', '--output', 'json');
    expect(JSON.stringify(shown)).toContain('"ada"');
  }, 300_000);

  test('`skills add` installs the guide from the index', async () => {
    const skills = programOf(await installed('skills', '1.7.4'), 'skills');
    const words = [node, skills, 'add', hub.url, '--yes', '--copy', '--agent', 'claude-code'];
    const { exitCode, printed } = await run(words, folder);
    expect([exitCode, printed]).toEqual([0, expect.any(String)]);
    const installedText = await readFile(join(folder, '.claude', 'skills', 'agent-hub', 'SKILL.md'), 'utf8');
    expect(installedText).toBe((await hub.fetch('/skill.md')).text);
  }, 300_000);

  test('the official OpenAI client calls a target, and the hub completes a run against it', async () => {
    const server = startChatServer();
    const OpenAI = (await import(join(await installed('openai', '7.57.0'), 'index.mjs'))).default;
    const client = new OpenAI({ baseURL: server.baseUrl, apiKey: server.key });
    const { choices } = await client.chat.completions.create({
      model: server.model,
      messages: [{ role: 'user', content: 'Say something.' }],
    });
    expect(choices[0].message.content).toBeString();
    expect(await completeChatRun(hub, server)).toMatchObject({
      status: 'completed',
      progress: { done: 40, total: 40 },
      score: expect.any(Number),
    });
    await server.stop();
  }, 300_000);

  test('the official A2A server is a target, over JSON-RPC and HTTP+JSON, and at 0.3', async () => {
    const sdk = await installed('@a2a-js/sdk', '1.3.0', 'express@5.3.0');
    const { AGENT_CARD_PATH } = await import(join(sdk, 'dist', 'index.js'));
    const server = await import(join(sdk, 'dist', 'server', 'index.js'));
    const routers = await import(join(sdk, 'dist', 'server', 'express', 'index.js'));
    const express = (await import(join(sdk, '..', '..', 'express', 'index.js'))).default;
    const executor = {
      // The types of the package are not installed here.
      execute: async (context: Untyped, bus: Untyped) => {
        const { taskId, contextId, userMessage } = context;
        const status = (state: number) => ({ state, timestamp: new Date().toISOString() });
        const task = { id: taskId, contextId, history: [userMessage], artifacts: [], metadata: {} };
        bus.publish(server.AgentEvent.task({ ...task, status: status(2) }));
        const part = { content: { $case: 'text', value: 'five' }, mediaType: 'text/plain', filename: '' };
        const artifact = { artifactId: 'a', name: 'a', description: '', parts: [part], extensions: [] };
        bus.publish(
          server.AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true }),
        );
        bus.publish(server.AgentEvent.statusUpdate({ taskId, contextId, status: status(3) }));
        bus.finished();
      },
      cancelTask: async () => undefined,
    };
    for (const [binding, path, version] of [
      ['JSONRPC', '/rpc', '1.0'],
      ['HTTP+JSON', '/rest', '1.0'],
      ['JSONRPC', '/rpc', '0.3'],
    ] as const) {
      const app = express();
      const listening = app.listen(0, '127.0.0.1');
      await new Promise((resolve) => listening.once('listening', resolve));
      const origin = `http://127.0.0.1:${listening.address().port}`;
      const card = {
        name: 'Five',
        description: 'Says five.',
        version: '1.0.0',
        supportedInterfaces: [
          { url: origin + path, protocolBinding: binding, protocolVersion: version, tenant: '' },
        ],
        capabilities: { extensions: [] },
        securitySchemes: {},
        securityRequirements: [],
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [],
        signatures: [],
      };
      const requestHandler = new server.DefaultRequestHandler(card, new server.InMemoryTaskStore(), executor);
      const options = {
        requestHandler,
        userBuilder: routers.UserBuilder.noAuthentication,
        legacyCompat: { enabled: true },
      };
      app.use(`/${AGENT_CARD_PATH}`, routers.agentCardHandler({ agentCardProvider: requestHandler }));
      app.use('/rpc', routers.jsonRpcHandler(options));
      app.use('/rest', routers.restHandler(options));
      const json = { target: { url: origin } };
      const { body } = await hub.fetch('/v1/probes', { token: agent.bearerToken, json });
      expect([binding, version, body.protocol, body.reply_excerpt]).toEqual([
        binding,
        version,
        'a2a',
        'five',
      ]);
      listening.closeAllConnections();
      listening.close();
    }
  }, 300_000);

  const meaningful = {
    '2025-11-25': ['server-initialize', 'ping'],
    '2026-07-28': ['caching', 'http-header-validation', 'sep-2164-resource-not-found'],
  };
  test.each(Object.entries(meaningful))(
    'the whole conformance suite of MCP at %s fails only where the hub has nothing to test',
    async (version, own) => {
      const { passed, unexpected } = await runConformance(`${hub.url}/mcp`, version, folder);
      expect(unexpected).toEqual([]);
      const common = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'];
      expect(passed).toEqual(expect.arrayContaining([...common, ...own]));
    },
    300_000,
  );
});
