/** An agent run over `/mcp` itself: the tools of the office and its policy come once, and each prompt once. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { weekTools } from '#evals/week/tools/tools.ts';
import { giveUp, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { callTool, connectModern, useTool } from './mcp-clients.ts';

const charactersPerToken = 4;
/** Beside the prompts, the policy and the tools. */
const otherTokensMax = 2_500;

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, rules: { baseUrl: 'http://127.0.0.1' } });
  agent = await createTestAgent(hub.ctx, { tokens: 5 });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

test('from the first task to the scorecard, each text comes once', async () => {
  const client = await connectModern(new URL(`${hub.url}/mcp`), agent.bearerToken, 'auto');
  const { run } = await useTool(client, 'start_evaluation', { product: 'agent-run' });
  const run_id: string = run.id;
  const prompts: string[] = [];
  let characters = 0;
  const use = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent } = await callTool(client, name, { run_id, ...args });
    characters += JSON.stringify(structuredContent).length;
    return structuredContent;
  };
  const first = await use('get_task', {});
  const shared = Object.assign({}, ...Object.values<object>(first.shared));
  expect(Object.keys(shared).toSorted()).toEqual(['policy', 'tools']);
  expect(shared.tools.map(({ name }: { name: string }) => name)).toEqual(weekTools.map(({ name }) => name));
  const known = Object.keys(first.shared);
  for (let next = first; !next.ended;) {
    expect(next.task).toMatchObject({ n: prompts.length + 1, shared: known, budget: expect.anything() });
    prompts.push(next.task.prompt);
    // Both ways to the next task: the result of `task_finish`, and `get_task`.
    const made = await use('call_office_tool', { tool: 'task_finish', args: giveUp.args });
    ({ next } = made);
    if (prompts.length === 1) {
      const fetched = await use('get_task', { known });
      expect(fetched).toEqual(next);
      characters -= fetched.task.prompt.length;
    }
  }
  expect(prompts).toHaveLength(taskCount);
  const texts = prompts.join('').length + JSON.stringify(shared).length;
  const others = (characters - texts) / charactersPerToken;
  console.log(`an agent run: ${texts / charactersPerToken} tokens of texts, ${others} of others`);
  expect(others).toBeLessThan(otherTokensMax);
  const card = await use('get_scorecard', {});
  expect(card).toMatchObject({
    agent_run: { status: 'completed' },
    score_md: expect.stringContaining('Level'),
  });
  // Without its calls, of which there may be hundreds.
  expect(JSON.stringify(card).length).toBeLessThan(10_000);
  await client.close();
});

test('an agent that has lost the tools fetches its task again without `known`', async () => {
  const forgetful = await createTestAgent(hub.ctx);
  const client = await connectModern(new URL(`${hub.url}/mcp`), forgetful.bearerToken, 'auto');
  const { run } = await useTool(client, 'start_evaluation', { product: 'agent-run' });
  const first = await useTool(client, 'get_task', { run_id: run.id });
  const [one = ''] = Object.keys(first.shared);
  const { shared } = await useTool(client, 'get_task', { run_id: run.id, known: [one] });
  expect(Object.keys(shared)).toEqual(Object.keys(first.shared).filter((id) => id !== one));
  expect(await useTool(client, 'get_task', { run_id: run.id })).toEqual(first);
  await client.close();
});
