/**
 * The official A2A server as a target: the hub finds its card and completes an eval run and a suite run against it, over
 * every binding that both speak. `npm run long -- doors` installs it.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { expectRetold, retell, type Said } from '#test/harness/retell.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { healthyReply } from '#test/evals/health/healthy-agent.ts';
import { completePushRun } from './foreign/complete-push-run.ts';
import { installed, isAsked, listen, type Untyped } from './foreign/packages.ts';

/** Of tasks in the protocol, as the package counts them. */
const states = { working: 2, completed: 3 } as const;

/** Says what it has heard, with one conversation for each context. */
function hears(said: readonly Said[]): string {
  return retell(said) || 'Yes.';
}

function createExecutor(AgentEvent: Untyped, reply: (said: readonly Said[]) => string) {
  const conversations = new Map<string, Said[]>();
  const execute = async (context: Untyped, bus: Untyped) => {
    const { taskId, contextId, userMessage } = context;
    const parts: { content: { value: string } }[] = userMessage.parts;
    const said: Said[] = [
      ...(conversations.get(contextId) ?? []),
      { role: 'user', content: parts.map(({ content }) => content.value).join('') },
    ];
    const text = reply(said);
    conversations.set(contextId, [...said, { role: 'assistant', content: text }]);
    const status = (state: number) => ({ state, timestamp: new Date().toISOString() });
    const task = { id: taskId, contextId, history: [userMessage], artifacts: [], metadata: {} };
    bus.publish(AgentEvent.task({ ...task, status: status(states.working) }));
    const part = { content: { $case: 'text', value: text }, mediaType: 'text/plain', filename: '' };
    const artifact = { artifactId: 'a', name: 'a', description: '', parts: [part], extensions: [] };
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true }));
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(states.completed) }));
    bus.finished();
  };
  return { conversations, execute, cancelTask: async () => undefined };
}

describe.skipIf(!isAsked)('the official A2A server', () => {
  let sdk: string;
  const hub = useTestHub({ ownBaseUrl: true });
  beforeAll(async () => {
    sdk = await installed('@a2a-js/sdk', '1.3.0', 'express@5.3.0');
  });

  /** Serves an agent as the manual of the package shows it. */
  async function serve(
    protocolBinding: string,
    path: string,
    protocolVersion: string,
    reply: (said: readonly Said[]) => string = hears,
  ) {
    const { AGENT_CARD_PATH } = await import(join(sdk, 'dist', 'index.js'));
    const server = await import(join(sdk, 'dist', 'server', 'index.js'));
    const routers = await import(join(sdk, 'dist', 'server', 'express', 'index.js'));
    const express = (await import(join(sdk, '..', '..', 'express', 'index.js'))).default;
    const executor = createExecutor(server.AgentEvent, reply);
    const app = express();
    const { origin, stop } = await listen(app);
    const card = {
      name: 'Template bot',
      description: 'Answers what it has a template for.',
      version: '1.0.0',
      supportedInterfaces: [{ url: origin + path, protocolBinding, protocolVersion, tenant: '' }],
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
    return { origin, conversations: executor.conversations, stop };
  }

  test.each([
    ['JSONRPC', '/rpc', '1.0'],
    ['HTTP+JSON', '/rest', '1.0'],
    ['JSONRPC', '/rpc', '0.3'],
  ])(
    'over %s at %s, version %s, is found by a probe and completes runs',
    async (binding, path, version) => {
      const agent = await createTestAgent(hub.ctx, { tokens: 5 });
      const { bearerToken: token } = agent;
      const { origin, conversations, stop } = await serve(binding, path, version);
      const probed = await hub.fetch('/v1/probes', { token, json: { target: { url: origin } } });
      expect(probed.body).toMatchObject({ protocol: 'a2a', reply_excerpt: expect.stringMatching(/./) });
      conversations.clear();
      const complete = (order: object) =>
        completePushRun(hub, token, { ...order, target: probed.body.target });
      const evaluated = await complete({ product: 'eval-run', max_prompt_tokens: 8_000 });
      expect(evaluated).toMatchObject({ status: 'completed', progress: { done: 69, total: 69 } });
      await expectRetold(hub.ctx, evaluated.id);
      expect(conversations.size).toBe(69);
      const cases = [{ prompt: 'Say anything.', expect: [{ matches: '.' }] }];
      await publishTestSuite(actingAs(hub.ctx, agent), { suite: 1, name: 'words', cases });
      const suite = await complete({ product: 'suite-run', suite: `@${agent.handle}/words` });
      expect(suite).toMatchObject({ status: 'completed', progress: { done: 1, total: 1 }, score: 100 });
      stop();
    },
    300_000,
  );

  test.each([
    ['no fault', (said: readonly Said[]) => said, /No rule found a fault/],
    ['no memory of its contexts', (said: readonly Said[]) => said.slice(-1), /only the last message arrives/],
  ])(
    'is told of its mistake: %s',
    async (_, change, expected) => {
      const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 5 });
      const { origin, stop } = await serve('JSONRPC', '/rpc', '1.0', (said) => healthyReply(change(said)));
      const probed = await hub.fetch('/v1/probes', { token, json: { target: { url: origin } } });
      const json = { product: 'eval-run', max_prompt_tokens: 8_000, target: probed.body.target };
      const { id } = await completePushRun(hub, token, json);
      const report = await hub.fetch(`/v1/runs/${id}/report?format=text`, { token });
      expect(report.text.split('\n')[0]).toMatch(expected);
      stop();
    },
    300_000,
  );
});
