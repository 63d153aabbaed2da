/** Targets that accept bodies of up to 100 kB, as Express does: runs that send more end at once and say so. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { startA2aAgent, type A2aOptions } from '#test/harness/a2a-agent.ts';
import { giveUp, readAgentRun, startPushedRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import {
  createTestRunner,
  jobRowOf,
  plainRunSize,
  readRun,
  redeem,
  useTestRunner,
} from '#test/harness/eval-runs.ts';
import {
  type LimitedServer,
  refusedBody,
  startLimitedServer,
  usualLimitBytes,
} from '#test/harness/limited-server.ts';
import { modelHeaders, startModelServer, reportedUsage } from '#test/harness/model-servers.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';
import { healthCheckSize } from '#evals/health/health-check.ts';
import { encryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';

type ProtocolName = 'hub' | 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'a2a';

interface Inner {
  readonly url: string;
  stop(): Promise<void>;
}

/** Servers behind the limit. */
const inners: Readonly<Record<ProtocolName, (outer: string) => Inner>> = {
  hub: () => startTarget(() => 'hello'),
  'openai-chat': () => startModelServer('openai-chat'),
  'openai-responses': () => startModelServer('openai-responses'),
  'anthropic-messages': () => startModelServer('anthropic-messages'),
  a2a: (outer) => {
    const agent = startA2aAgent({ interfaceOrigin: outer });
    return { url: agent.origin, stop: () => agent.stop() };
  },
};

const protocolNames = Object.keys(inners) as ProtocolName[];
const redis = useTestRedis();

/** What an agent reads, whose figures are those of the request. */
function refusal(bytes: number): string {
  return `The target refused the request of ${bytes.toLocaleString('en')} bytes with status 413, because it accepts only shorter bodies. Raise its limit, for example in Express with \`express.json({ limit: '1mb' })\` before other body parsers.`;
}

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  const runner = useTestRunner(() => createTestRunner(ctx, redis.url));
  let ada: TestAgent;
  beforeAll(async () => {
    ada = await createTestAgent(ctx, { tokens: 50 });
    const prompts = ['One.', 'long '.repeat(24_000), 'Three.', 'Four.', 'Five.'];
    const cases = prompts.map((prompt, index) => ({ id: `c${index}`, prompt, expect: [{ matches: '.' }] }));
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'long', cases });
    const fits = { id: 'fits', prompt: 'x'.repeat(100_000), expect: [{ matches: '.' }] };
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'fits', cases: [fits] });
  });

  async function behindLimit<T>(
    protocol: ProtocolName,
    work: (url: string, outer: LimitedServer) => Promise<T>,
  ): Promise<T> {
    let origin = '';
    const outer = await startLimitedServer(() => origin);
    const inner = inners[protocol](outer.origin);
    const { origin: innerOrigin, pathname } = new URL(inner.url);
    origin = innerOrigin;
    try {
      return await work(`${outer.origin}${pathname}`, outer);
    } finally {
      await inner.stop();
      await outer.stop();
    }
  }

  async function runSuite(url: string, protocol: ProtocolName, name = 'long') {
    const plain = { model: 'm-1', headers: modelHeaders, concurrency: 1, timeoutSeconds: null };
    const target = { ...plain, url, protocol };
    const { id } = await orderSuiteRun(actingAs(ctx, ada), `@${ada.handle}/${name}`, { target });
    await pushRun(runner, { runId: id, jobId: (await jobRowOf(ctx, id)).id });
    return readRun(ctx, id);
  }

  test.each(protocolNames)('a prompt of nearly 100 kB is not doubled, over %s', (protocol) =>
    behindLimit(protocol, async (url) => {
      const { job } = await runSuite(url, protocol, 'fits');
      expect(job).toMatchObject({ status: 'completed', score: 100 });
    }),
  );

  describe('a case that is too long for the target', () => {
    test.each(protocolNames)('ends the run at once with a refund and the way out, over %s', (protocol) =>
      behindLimit(protocol, async (url, outer) => {
        const { job } = await runSuite(url, protocol);
        const bytes = Math.max(...outer.sizes);
        expect(bytes).toBeGreaterThan(usualLimitBytes);
        expect(job.failureMessage).toBe(
          `${refusal(bytes)} That ended the run before its first case. The run was refunded.`,
        );
        expect(job.progressDone).toBe(0);
        expect(job).toMatchObject({
          status: 'failed',
          chargeState: 'refunded',
          failureCode: 'target_bad_status',
          failureCause: { status: 413, excerpt: expect.stringContaining('PayloadTooLargeError') },
        });
      }),
    );

    test('ends the run when it shows only later', async () => {
      const target = startTarget(() => (target.calls.length === 4 ? tooLarge() : 'hello'));
      const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, target.url);
      await pushRun(runner, { runId: evalRun.id, jobId: (await jobRowOf(ctx, evalRun.id)).id });
      const { job } = await readRun(ctx, evalRun.id);
      expect(job).toMatchObject({ status: 'failed', chargeState: 'refunded', failureCause: { status: 413 } });
      expect(job.failureMessage).toMatch(
        new RegExp(`That ended the run after \\d of ${plainRunSize} cases\\.`),
      );
      await target.stop();
    });

    test('does not end a ranked run, which counts even if its target fails', async () => {
      const target = startTarget(() => (target.calls.length === 4 ? tooLarge() : 'hello'));
      const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, target.url, { ranked: true });
      await pushRun(runner, { runId: evalRun.id, jobId: (await jobRowOf(ctx, evalRun.id)).id });
      const { job, cases } = await readRun(ctx, evalRun.id);
      expect(job).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: plainRunSize });
      const inError = cases.filter(({ result }) => result.status === 'error');
      expect(inError.map(({ result }) => result.error_response)).toEqual([
        { status: 413, excerpt: refusedBody },
      ]);
      await target.stop();
    });

    test('ends an agent run in its first task that is too long', async () => {
      const model = startModelServer('openai-chat', async (prompt) =>
        prompt.startsWith('Task ') ? [giveUp] : null,
      );
      const outer = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: async (request) => {
          const body = await request.text();
          if (body.includes('Task 3 ')) return tooLarge();
          const { pathname } = new URL(request.url);
          return fetch(new URL(pathname, model.url), { method: 'POST', headers: request.headers, body });
        },
      });
      const url = new URL(new URL(model.url).pathname, outer.url).href;
      const agent = await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
      const { job } = await startPushedRun(actingAs(ctx, agent), url, { headers: modelHeaders });
      await pushRun(runner, job);
      const { run } = await readAgentRun(ctx, job.runId);
      expect(run).toMatchObject({
        status: 'failed',
        chargeState: 'refunded',
        progressDone: 3,
        failureMessage: expect.stringMatching(
          /^The target refused the request of [\d,]+ bytes with status 413/,
        ),
        failureCause: { status: 413 },
      });
      await outer.stop(true);
      await model.stop();
    });
  });
});

function tooLarge(): Response {
  return new Response(refusedBody, { status: 413 });
}

/** Every kind of run completes over every protocol of targets, against a stand-in for each. */
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

const withoutTools = new Set(['hub', 'a2a']);

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  const runner = useTestRunner(() => createTestRunner(ctx, redis.url));
  let ada: TestAgent;
  beforeAll(async () => {
    ada = await createTestAgent(ctx, { tokens: 20 });
    const cases = ['one', 'two'].map((id) => ({ id, prompt: `Say ${id}.`, expect: [{ matches: '.' }] }));
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'words', cases });
  });

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
