/** Trials, repeats, replays and their comparison with the tools of MCP, for a run of cases and a week of tasks, on both stores. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { taskCount } from '#test/harness/agent-runs.ts';
import { type AnyClient, connectModern, useTool } from './mcp-clients.ts';

forEachStore((store) => {
  let hub: TestHub;
  let agent: TestAgent;
  let client: AnyClient;
  beforeAll(async () => {
    ({ hub } = await startEventHub({ store, rules: { baseUrl: 'http://127.0.0.1' } }));
    agent = await createTestAgent(hub.ctx, { tokens: 20, freeEvalTaken: true, freeAgentRunTaken: true });
    client = await connectModern(new URL(`${hub.url}/mcp`), agent.bearerToken, 'auto');
  });
  afterAll(async () => {
    await client.close();
    await hub.close();
  });

  const get = async (path: string) => (await hub.fetch(path, { token: agent.bearerToken })).body;

  test('cases are asked twice, asked again in a replay, and compared one by one', async () => {
    const answerAll = async (run_id: string): Promise<void> => {
      for (let ended = false; !ended;) {
        const { cases } = await useTool(client, 'get_cases', { run_id, limit: 8 });
        if (cases.length === 0) return;
        const answers = cases.map(({ case_id }: { case_id: string }) => ({
          case_id,
          text: 'I do not know.',
        }));
        ({ ended } = await useTool(client, 'answer', { run_id, answers }));
      }
    };
    const order = { max_prompt_tokens: 8_000 };
    const first = (await useTool(client, 'start_run', { ...order, trials: 2 })).run;
    await answerAll(first.id);
    const { run: before } = await get(`/v1/runs/${first.id}`);
    expect(before).toMatchObject({
      status: 'completed',
      progress: { total: 2 * plainRunSize },
      trials: 2,
    });
    const again = (await useTool(client, 'start_run', { replay_of: first.id })).run;
    await answerAll(again.id);
    const { run: after } = await get(`/v1/runs/${again.id}`);
    expect(after).toMatchObject({
      status: 'completed',
      replay_of: first.id,
      progress: { total: plainRunSize },
    });
    expect(after.cost).toMatchObject({ latency: { p50_ms: expect.any(Number) } });
    const { comparison } = await useTool(client, 'compare_runs', {
      run_id: first.id,
      other_run_id: again.id,
    });
    expect(comparison).toMatchObject({
      verdict: 'no clear change',
      cases: plainRunSize,
      reach: { sample: 'same cases', compared: plainRunSize },
    });
  });

  test('a week is worked on twice and again in a replay, and compared task by task', async () => {
    const tool_calls = [{ name: 'task_finish', arguments: { message: 'No.' } }];
    const playAll = async (run_id: string): Promise<void> => {
      for (let ended = false; !ended;) {
        const { cases } = await useTool(client, 'get_cases', { run_id });
        const answers = cases.map(({ case_id }: { case_id: string }) => ({ case_id, tool_calls }));
        ({ ended } = await useTool(client, 'answer', { run_id, answers }));
      }
    };
    const first = (await useTool(client, 'start_run', { product: 'agent-run', trials: 2 })).run;
    await playAll(first.id);
    const { run: before } = await get(`/v1/runs/${first.id}`);
    expect(before).toMatchObject({
      status: 'completed',
      progress: { done: 2 * taskCount },
      trials: 2,
      cost: { calls: 2 * taskCount, calls_per_passed_task: null },
    });
    const again = (await useTool(client, 'start_run', { product: 'agent-run', replay_of: first.id })).run;
    await playAll(again.id);
    const { comparison } = await useTool(client, 'compare_runs', {
      run_id: first.id,
      other_run_id: again.id,
    });
    expect(comparison).toMatchObject({
      cases: taskCount,
      reach: { sample: 'same cases', compared: taskCount },
    });
  });
});
