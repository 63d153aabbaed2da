/** The part of an eval run with tools, over a protocol of models. */
import { expect, test } from 'bun:test';
import { healthCheckSize } from '#evals/health/health-check.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { carryOut, completeRun, useEvalRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget, targetAt } from '#test/harness/target.ts';
import { type Message, toolAgent } from '../../evals/health/tool-agent.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';

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
  const { ctx, runner } = useEvalRunner(store, redis);

  /** @param change what the loop around a sound agent does to the arguments of calls */
  async function check(change: (given: Readonly<Record<string, unknown>>) => unknown, concurrency = 4) {
    const seeds: string[] = [];
    const book = openAnswerBook(() => seeds);
    await using target = startTarget(({ prompts, body }) => {
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
      const made = calls.length > 0 ? { tool_calls: calls } : {};
      const message = { role: 'assistant', content: step.text, ...made };
      const finish = calls.length > 0 ? 'tool_calls' : 'stop';
      return Response.json({ choices: [{ message, finish_reason: finish }] });
    });
    const as = actingAs(ctx, await createTestAgent(ctx));
    const { run } = await redeem(as, {
      product: 'eval-run',
      targetUrl: null,
      target: targetAt(target.url, { protocol: 'openai-chat', model: 'm-1', concurrency }),
      ranked: false,
      secretKey: testSecretKey,
    });
    seeds.push(run.suiteSeed);
    await carryOut(runner, run.id);
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

  test('a target that is called one at a time is not said to take calls at once', async () => {
    const { unseen } = await check((given) => given, 1);
    expect(unseen).toEqual(['Calls at once are not tested: `concurrency` is 1.']);
  });

  test('a loop that makes texts of all arguments is named', async () => {
    const { findings } = await check((given) =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    );
    expect(findings?.[0]).toMatchObject({ rule: 'tool-use', sentence: expect.stringContaining('calls') });
  });

  test('runs with other cases are compared by the kinds of their cases', async () => {
    const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
    const runId = await completeRun(runner, agent.id, () => 'I do not know.');
    const otherRunId = await completeRun(runner, agent.id);
    const compared = await compareRuns(actingAs(ctx, agent), { runId, otherRunId });
    expect(compared).toMatchObject({ verdict: 'better', reach: { sample: 'same kinds' } });
  });
});
