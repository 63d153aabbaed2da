/** The part of an eval run with tools, over a protocol of models. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { healthCheckSize } from '#evals/health/health-check.ts';
import type { Ctx } from '#domain/context.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, jobRowOf, type TestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { type Message, toolAgent } from '../../evals/health/tool-agent.ts';

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

const redis = useTestRedis();

function heard({ role, content, tool_call_id: id = '', tool_calls: calls = [] }: ChatMessage): Message {
  if (role === 'tool') return { role, id, content: content ?? '' };
  if (role !== 'assistant') return { role: 'user', content: content ?? '' };
  const made = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments) as unknown,
  }));
  return { role, step: { text: content, calls: made } };
}

onStore('sqlite', (store) => {
  let ctx: Ctx;
  let runner: TestRunner;
  beforeAll(() => {
    const plain = createTestCtx(store.db);
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runner = createTestRunner(ctx, redis.url);
  });
  afterAll(() => runner.close());

  /** @param change what the loop around a sound agent does to the arguments of calls */
  async function check(change: (given: Readonly<Record<string, unknown>>) => unknown) {
    const seeds: string[] = [];
    const book = openAnswerBook(() => seeds);
    const target = startTarget(({ prompts, body }) => {
      const { messages, tools = [] } = body as { messages: ChatMessage[]; tools?: object[] };
      const step =
        tools.length > 0
          ? toolAgent(messages.map(heard))
          : { text: book.find(prompts)?.best ?? 'Hello.', calls: [] };
      const calls = step.calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        // The agent of the test makes objects.
        function: { name, arguments: JSON.stringify(change(given as Record<string, unknown>)) },
      }));
      const message = {
        role: 'assistant',
        content: step.text,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
      return Response.json({
        choices: [{ message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      });
    });
    const as = actingAs(ctx, await createTestAgent(ctx));
    const { run } = await redeem(as, {
      product: 'eval-run',
      targetUrl: null,
      target: {
        url: target.url,
        protocol: 'openai-chat',
        model: 'm-1',
        headers: {},
        concurrency: 4,
        timeoutSeconds: null,
      },
      ranked: false,
      secretKey: testSecretKey,
    });
    seeds.push(run.suiteSeed);
    await pushRun(runner, { runId: run.id, jobId: (await jobRowOf(ctx, run.id)).id });
    await target.stop();
    return showOwnRun(as, { runId: run.id, withCases: true });
  }

  test('a sound agent passes all of it, and nothing is found', async () => {
    const { run, result, findings, unseen, cases } = await check((given) => given);
    const size = healthCheckSize({ size: 'standard', maxPromptTokens: 8_000, tools: true });
    expect(run).toMatchObject({ status: 'completed', score: 100, runSize: size });
    expect([findings, unseen, result?.tags['tools']]).toEqual([[], [], { value: 1, cases: 8, answered: 8 }]);
    expect(cases?.find(({ case_id: id }) => id === 'ship-1')?.trials[0]).toMatchObject({
      status: 'passed',
      graders: [{ name: 'number' }, { name: 'office', passed: true }],
    });
  });

  test('a loop that makes texts of all arguments is named', async () => {
    const { findings } = await check((given) =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    );
    expect(findings?.[0]?.sentence).toContain('calls');
    expect(findings?.[0]?.rule).toBe('tool-use');
  });
});
