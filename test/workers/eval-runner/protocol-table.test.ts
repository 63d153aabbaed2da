/** Every kind of run completes over every protocol of targets, against a stand-in for each. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { healthCheckSize } from '#evals/health/health-check.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { encryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { type A2aOptions, startA2aAgent } from '#test/harness/a2a-agent.ts';
import { giveUp, readAgentRun, startPushedRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, jobRowOf, readRun, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { modelHeaders, reportedUsage, startModelServer } from '#test/harness/model-servers.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';

interface StandIn {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const a2a = (options: A2aOptions) => (): StandIn => {
  const agent = startA2aAgent(options);
  return { url: agent.origin, stop: () => agent.stop() };
};

/** It gives up on the tasks of agent runs. */
const model = (name: 'openai-chat' | 'openai-responses' | 'anthropic-messages') => (): StandIn =>
  startModelServer(name, (prompt) => Promise.resolve(prompt.startsWith('Task ') ? [giveUp] : null));

const standIns = [
  ['hub', 'hub', () => startTarget(() => 'hello')],
  ['openai-chat', 'openai-chat', model('openai-chat')],
  ['openai-responses', 'openai-responses', model('openai-responses')],
  ['anthropic-messages', 'anthropic-messages', model('anthropic-messages')],
  ['a2a 1.0 by JSON-RPC', 'a2a', a2a({ binding: 'JSONRPC', version: '1.0' })],
  ['a2a 1.0 by HTTP+JSON', 'a2a', a2a({ binding: 'HTTP+JSON', version: '1.0', polls: 1 })],
  ['a2a 0.3', 'a2a', a2a({ version: '0.3.0' })],
] as const;

const redis = useTestRedis();

const withoutTools = new Set(['hub', 'a2a']);

onStore('sqlite', (store) => {
  let ctx: TestCtx;
  let runner: TestRunner;
  let ada: TestAgent;
  beforeAll(async () => {
    const plain = createTestCtx(store.db, createTestClock());
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runner = createTestRunner(ctx, redis.url);
    ada = await createTestAgent(ctx, { tokens: 20 });
    const cases = ['one', 'two'].map((id) => ({ id, prompt: `Say ${id}.`, expect: [{ matches: '.' }] }));
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'words', cases });
  });
  afterAll(() => runner.close());

  async function completed(runId: string) {
    await pushRun(runner, { runId, jobId: (await jobRowOf(ctx, runId)).id });
    const { job } = await readRun(ctx, runId);
    return job;
  }

  test.each(standIns)('%s', async (_name, protocol, start) => {
    const { url, stop } = start();
    const target = { protocol, model: 'm-1', concurrency: 4, timeout_s: null, header_names: [] };
    const targetHeaders = encryptHeaders(testSecretKey, modelHeaders);
    const runSize = healthCheckSize({
      size: 'standard',
      maxPromptTokens: 8_000,
      tools: !withoutTools.has(protocol),
    });
    const { evalRun } = await redeem(ctx, (await createTestAgent(ctx)).id, url, {
      target,
      targetHeaders,
      runSize,
    });
    expect(await completed(evalRun.id)).toMatchObject({ status: 'completed', progressDone: runSize });
    const run = await orderSuiteRun(actingAs(ctx, ada), `@${ada.handle}/words`, {
      target: { url, protocol, model: 'm-1', headers: modelHeaders, concurrency: 2, timeoutSeconds: null },
    });
    expect(await completed(run.id)).toMatchObject({
      status: 'completed',
      progressDone: 2,
      score: expect.any(Number),
    });
    const agent = actingAs(ctx, await createTestAgent(ctx));
    const started = startPushedRun(agent, url, { protocol, headers: modelHeaders });
    if (withoutTools.has(protocol)) {
      await expect(started).rejects.toMatchObject({ code: 'invalid_body' });
    } else {
      const { job } = await started;
      await pushRun(runner, job);
      const { run: office, tasks } = await readAgentRun(ctx, job.runId);
      expect(office).toMatchObject({
        status: 'completed',
        progressDone: taskCount,
        usage: { input_tokens: reportedUsage.input_tokens * taskCount },
      });
      expect(tasks.map(({ task }) => task?.finished)).toEqual(Array.from({ length: taskCount }, () => true));
    }
    await stop();
  });
});
