/**
 * Every product over every protocol of models, against a server of these protocols that others wrote, and the official
 * client of Anthropic against the stand-in of the other tests. `npm run long -- doors` installs them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { giveUp, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { modelHeaders, startModelServer } from '#test/harness/model-servers.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { completePushRun } from './foreign/complete-push-run.ts';
import { installed, isAsked, type Untyped } from './foreign/packages.ts';

const apiKey = modelHeaders.authorization.replace('Bearer ', '');

describe.skipIf(!isAsked)('a server of models that others wrote', () => {
  const hub = useTestHub({ ownBaseUrl: true });
  let mock: Untyped;
  beforeAll(async () => {
    const { LLMock } = await import(
      join(await installed('@copilotkit/aimock', '1.43.0'), 'dist', 'index.js')
    );
    mock = new LLMock({ port: 0 });
    const names = (request: Untyped): string[] =>
      (request.tools ?? []).map((tool: Untyped) => tool.function?.name ?? tool.name);
    mock.addFixture({
      match: { predicate: (request: Untyped) => names(request).includes(giveUp.tool) },
      response: { toolCalls: [{ name: giveUp.tool, arguments: JSON.stringify(giveUp.args) }] },
    });
    mock.addFixture({
      match: { predicate: (request: Untyped) => names(request).includes('find_order') },
      response: { toolCalls: [{ name: 'find_order', arguments: '{"id":"7"}' }] },
    });
    mock.addFixture({ match: { predicate: () => true }, response: { content: 'Yes.' } });
    await mock.start();
  }, 300_000);
  afterAll(async () => {
    await mock.stop();
  });

  test.each([
    ['openai-chat', '/v1/chat/completions'],
    ['openai-responses', '/v1/responses'],
    ['anthropic-messages', '/v1/messages'],
  ])(
    '%s: an eval run, a suite run and an agent run complete',
    async (protocol, path) => {
      const agent = await createTestAgent(hub.ctx, { tokens: 20 });
      const { bearerToken: token, handle } = agent;
      const target = {
        url: mock.url + path,
        model: 'm-1',
        headers: { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey },
      };
      const probed = (await hub.fetch('/v1/probes', { token, json: { target } })).body;
      expect(probed).toMatchObject({ protocol, reply_excerpt: 'Yes.' });
      const complete = (order: object) =>
        completePushRun(hub, token, { ...order, target: { ...target, protocol } });
      const used = { input_tokens: expect.any(Number), output_tokens: expect.any(Number) };
      expect(await complete({ product: 'eval-run', max_prompt_tokens: 8_000 })).toMatchObject({
        status: 'completed',
        progress: { done: 77, total: 77 },
        usage: used,
      });
      await publishTestSuite(actingAs(hub.ctx, agent), {
        suite: 1,
        name: 'shop',
        system: 'You work in a shop.',
        cases: [
          { prompt: 'Is it open?', expect: [{ equals: 'Yes.' }] },
          {
            prompt: 'Where is order 7?',
            tools: [{ name: 'find_order', parameters: { type: 'object' } }],
            expect: [{ tool_calls: [{ name: 'find_order', arguments: { id: '7' } }] }],
          },
        ],
      });
      expect(await complete({ product: 'suite-run', suite: `@${handle}/shop` })).toMatchObject({
        status: 'completed',
        score: 100,
      });
      expect(await complete({ product: 'agent-run' })).toMatchObject({
        status: 'completed',
        progress: { done: taskCount, total: taskCount },
        usage: used,
      });
    },
    300_000,
  );
});

describe.skipIf(!isAsked)('the official client accepts the stand-in', () => {
  const weather = { type: 'object', properties: { city: { type: 'string' } } };
  const plan = () => Promise.resolve([{ tool: 'weather', args: { city: 'Rome' } }]);

  test('of the Messages API', async () => {
    const Anthropic = (await import(join(await installed('@anthropic-ai/sdk', '1.14.0'), 'index.mjs')))
      .default;
    for (const server of [
      startModelServer('anthropic-messages'),
      startModelServer('anthropic-messages', plan),
    ]) {
      const client = new Anthropic({
        baseURL: new URL(server.url).origin,
        authToken: apiKey,
        // The version that the hub speaks.
        defaultHeaders: { 'anthropic-version': '2023-06-01' },
      });
      const { content, stop_reason } = await client.messages.create({
        model: 'm-1',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Say something.' }],
        tools: [{ name: 'weather', input_schema: weather }],
      });
      const [block] = content;
      expect([stop_reason, block.type]).toBeOneOf([
        ['end_turn', 'text'],
        ['tool_use', 'tool_use'],
      ]);
      if (block.type === 'tool_use') expect(block.input).toEqual({ city: 'Rome' });
      await server.stop();
    }
  }, 300_000);
});
