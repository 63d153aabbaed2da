/** Whole runs in every protocol of models and A2A, against stand-ins that refuse what the specifications forbid. */
import { describe, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import type { TargetInput } from '#domain/runs/redemption-input.ts';
import { encryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { shortPrompt } from '#domain/targets/prepare-probe.ts';
import type { TargetCall } from '#domain/targets/protocol.ts';
import { healthCheckSize } from '#evals/health/health-check.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import { callTarget } from '#workers/eval-runner/call-target.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { a2aUsage, startA2aAgent, type A2aOptions } from '#test/harness/a2a-agent.ts';
import { giveUp, readAgentRun, startPushedRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestRunner, redeem, runToEnd, useEvalRunner, useTestRunner } from '#test/harness/eval-runs.ts';
import { modelForms, modelHeaders, reportedUsage, startModelServer } from '#test/harness/model-servers.ts';
import { expectRetold, retell } from '#test/harness/retell.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { ordersAgent, ordersPlan, ordersSuite, ordersText } from '#test/harness/orders-suite.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import type { PlainMessage } from '#domain/targets/tool-calls.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget, targetAt } from '#test/harness/target.ts';

const redis = useTestRedis();

interface StandIn {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** The tokens reported so far, added up. */
  readonly usageOf: () => TokenUsage;
}

const times = (asked: number, { input_tokens, output_tokens }: TokenUsage): TokenUsage => ({
  input_tokens: asked * input_tokens,
  output_tokens: asked * output_tokens,
});

/** It replies by messages, and by a few tasks, because each poll takes a second. */
const a2a = (options: A2aOptions) => (): StandIn => {
  const agent = startA2aAgent({ polls: 1, taskEvery: 20, ...options });
  const asked = () => agent.requests.filter(({ body }) => JSON.stringify(body).includes('"messageId"'));
  const stop = () => {
    // Of a health check and a suite run: a run fetches the card once.
    expect(agent.requests.filter(({ path }) => path.endsWith('.json'))).toHaveLength(2);
    return agent.stop();
  };
  return { url: agent.origin, stop, usageOf: () => times(asked().length, a2aUsage) };
};

/** It gives up on the tasks of agent runs. */
const model = (name: keyof typeof modelForms) => (): StandIn => {
  const server = startModelServer(name, async (prompt) => (prompt.startsWith('Task ') ? [giveUp] : null));
  return { ...server, usageOf: () => times(server.bodies.length, reportedUsage) };
};

const plain = (): StandIn => {
  const target = startTarget(({ prompts }) => {
    const text = retell(prompts.map((content) => ({ role: 'user', content })));
    return Response.json({ text, usage: reportedUsage });
  });
  return { ...target, usageOf: () => times(target.calls.length, reportedUsage) };
};

const standIns = [
  ['hub', 'hub', plain],
  ['openai-chat', 'openai-chat', model('openai-chat')],
  ['openai-responses', 'openai-responses', model('openai-responses')],
  ['anthropic-messages', 'anthropic-messages', model('anthropic-messages')],
  ['a2a 1.0 by JSON-RPC', 'a2a', a2a({ binding: 'JSONRPC', version: '1.0' })],
  ['a2a 1.0 by HTTP+JSON', 'a2a', a2a({ binding: 'HTTP+JSON' })],
  ['a2a 0.3', 'a2a', a2a({ version: '0.3.0' })],
] as const;

onStore('sqlite', (store) => {
  const { ctx, runner } = useEvalRunner(store, redis);

  async function evaluate(url: string, protocol: TargetInput['protocol'], headers = {}, changes = {}) {
    const agent = await createTestAgent(ctx);
    const target = { protocol, model: 'm-1', concurrency: 4, timeout_s: null, header_names: [] };
    const targetHeaders = encryptHeaders(testSecretKey, headers);
    const { evalRun } = await redeem(ctx, agent.id, url, { target, targetHeaders, ...changes });
    return runToEnd(runner, evalRun.id);
  }

  test.each(standIns)('every kind of run completes over %s', async (_name, protocol, start) => {
    const { url, stop, usageOf } = start();
    const hasTools = !['hub', 'a2a'].includes(protocol);
    const runSize = healthCheckSize({ size: 'standard', maxPromptTokens: 8_000, tools: hasTools });
    const { job } = await evaluate(url, protocol, modelHeaders, { runSize });
    expect(job).toMatchObject({ status: 'completed', progressDone: runSize, usage: usageOf() });
    // Each case has a conversation of its own, which arrives whole.
    await expectRetold(ctx, job.id);
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 2 }));
    const cases = ['one', 'two'].map((id) => ({ id, prompt: `Say ${id}.`, expect: [{ matches: '.' }] }));
    await publishTestSuite(as, { suite: 1, name: 'words', cases });
    const run = await orderSuiteRun(as, `@${as.agent.handle}/words`, {
      target: targetAt(url, { protocol, model: 'm-1', headers: modelHeaders, concurrency: 2 }),
    });
    expect((await runToEnd(runner, run.id)).job).toMatchObject({ status: 'completed', score: 100 });
    const started = startPushedRun(as, url, { protocol, headers: modelHeaders });
    if (!hasTools) {
      const message = expect.stringContaining('`anthropic-messages`') as string;
      await expect(started).rejects.toMatchObject({ code: 'invalid_body', message });
    } else {
      const { run: office, job: row } = await started;
      await pushRun(runner, row);
      const { tasks } = await readAgentRun(ctx, office.id);
      expect(tasks.map(({ task }) => task?.finished)).toEqual(Array.from({ length: taskCount }, () => true));
    }
    await stop();
  });

  test.each([...Object.keys(modelForms), 'hub'] as (keyof typeof modelForms | 'hub')[])(
    'a case goes on over %s until the agent makes no more calls',
    async (protocol) => {
      const as = actingAs(ctx, await createTestAgent(ctx));
      await publishTestSuite(as, ordersSuite);
      await using server =
        protocol === 'hub'
          ? startTarget(({ body }) => {
              // The hub sends both.
              const { prompt, messages = [] } = body as { prompt: string; messages?: PlainMessage[] };
              expect(prompt).toStartWith('What do the orders');
              return Response.json({ ...ordersAgent(messages), usage: reportedUsage });
            })
          : startModelServer(
              protocol,
              (prompt) => Promise.resolve(prompt.startsWith('What do the orders') ? ordersPlan : null),
              ordersText,
            );
      const target = targetAt(server.url, { protocol, model: 'm-1', headers: modelHeaders });
      const { id } = await orderSuiteRun(as, `@${as.agent.handle}/orders`, { target });
      const { job, cases } = await runToEnd(runner, id);
      expect(job).toMatchObject({ status: 'completed', score: 100 });
      // Two calls, one that has failed before, and the text.
      expect(job.usage).toEqual(times(3, reportedUsage));
      expect(cases[0]?.result).toMatchObject({ response_text: ordersText, attempts: 1 });
      expect(await ctx.db.query.$count(ctx.db.tables.runLeases)).toBe(0);
    },
  );

  test('reported tokens that make no sense are dropped', async () => {
    const usages = [
      { input_tokens: -1, output_tokens: 2 },
      { input_tokens: 1.5, output_tokens: 2 },
      { input_tokens: '3', output_tokens: 2 },
      { output_tokens: 2 },
      { input_tokens: 1e12, output_tokens: 2 },
      'many',
    ];
    let asked = 0;
    const target = startTarget(() => {
      asked += 1;
      const usage = asked === 1 ? { prompt_tokens: 9, completion_tokens: 0 } : usages[asked % usages.length];
      return Response.json({ text: 'x', usage });
    });
    const { job } = await evaluate(target.url, 'hub');
    expect(job).toMatchObject({ status: 'completed', usage: { input_tokens: 9, output_tokens: 0 } });
    await target.stop();
  });
});

describe('a call over A2A', () => {
  // Only the HTTP client of the runner is used.
  const limits = { answerTimeoutMs: 2_000 };
  const runner = useTestRunner(() => createTestRunner({} as Ctx, redis.url, { limits }));

  const ask = (url: string, changes: Partial<TargetCall> = {}) =>
    callTarget(runner.http, async () => () => undefined, {
      url,
      protocol: 'a2a',
      model: null,
      headers: {},
      timeoutMs: null,
      messages: shortPrompt().messages,
      idempotencyKey: 'run-0',
      signal: new AbortController().signal,
      ...changes,
    });

  test.each(['input-required', 'auth-required', 'failed', 'rejected', 'canceled'])(
    'a task that ends as %s is an unreadable reply with that reason',
    async (endState) => {
      const agent = startA2aAgent({ polls: 0, endState });
      expect(await ask(agent.origin)).toMatchObject({
        ok: false,
        code: 'target_bad_response',
        problem: expect.stringMatching(new RegExp(`\`${endState}\`.* The target says: About the task`)),
      });
      await agent.stop();
    },
  );

  test('the time limit covers the message and all polls', async () => {
    const agent = startA2aAgent({ polls: 1_000 });
    const startedAt = performance.now();
    expect(await ask(agent.origin, { timeoutMs: 700 })).toMatchObject({ ok: false, code: 'target_timeout' });
    // All polls would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await agent.stop();
  });

  test('secret headers go to the origin of the URL only', async () => {
    const other = startA2aAgent();
    const agent = startA2aAgent({ interfaceOrigin: other.origin });
    const headers = { 'X-Key': 'secret-key' };
    expect(await ask(agent.origin, { headers })).toMatchObject({ ok: true });
    expect(agent.requests.map(({ headers: sent }) => sent.get('x-key'))).toEqual(['secret-key']);
    expect(other.requests.map(({ headers: sent }) => sent.get('x-key'))).toEqual([null]);
    await Promise.all([agent.stop(), other.stop()]);
  });

  test('the URL may be that of the card, or a base below which there is none', async () => {
    const agent = startA2aAgent({ cardPath: '/cards/mine.json' });
    expect(await ask(`${agent.origin}/cards/mine.json`)).toMatchObject({ ok: true });
    expect(await ask(agent.origin)).toMatchObject({
      ok: false,
      problem: 'The agent card cannot be fetched. The target responded with status 404.',
    });
    await agent.stop();
    const usual = startA2aAgent();
    expect(await ask(`${usual.origin}/agents/one`)).toMatchObject({ ok: true });
    await usual.stop();
  });

  test('a card without an interface that the hub speaks, and a page that is no card, are said to be that', async () => {
    const card = {
      name: 'x',
      supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
    };
    for (const [body, word] of [
      [card, 'names no interface'],
      [{ a: 1 }, 'not an agent card'],
    ] as const) {
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(body) });
      expect(await ask(server.url.href)).toMatchObject({ ok: false, problem: expect.stringContaining(word) });
      await server.stop(true);
    }
  });
});
