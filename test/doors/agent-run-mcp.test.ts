/** The MCP server of an agent run, with the v2 client. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { weekTools } from '#evals/week/tools/tools.ts';
import {
  giveUp as finish,
  planFor,
  readAgentRun,
  startAgentRun,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { expectTurnedAway } from './mcp-clients.ts';

let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, rules: { baseUrl: 'http://127.0.0.1' } });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- a test that expects a field fails if it is not there
  readonly structuredContent: any;
}

async function connect(runId: string, token: string | null, mode?: 'auto') {
  const client = new Client(
    { name: 'test', version: '1' },
    mode === undefined ? {} : { versionNegotiation: { mode } },
  );
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const url = new URL(`${hub.url}/v1/agent-runs/${runId}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> => {
    const result = (await client.callTool({ name, arguments: args })) as unknown as ToolResult;
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
    return result;
  };
  return { client, call };
}

async function start(): Promise<{ agent: TestAgent; run: Awaited<ReturnType<typeof startAgentRun>> }> {
  const agent = await createTestAgent(hub.ctx);
  return { agent, run: await startAgentRun(actingAs(hub.ctx, agent)) };
}

const giveUp = finish.args;

test('an agent completes a run with only the tools, and task_finish returns the next task', async () => {
  const { agent, run } = await start();
  const { client, call } = await connect(run.id, agent.bearerToken, 'auto');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['get_task', ...weekTools.map(({ name }) => name)]);
  expect(tools.at(-1)!.inputSchema).toMatchObject({
    required: ['message'],
    properties: { call_id: { type: 'string' } },
    additionalProperties: false,
  });
  let { structuredContent: next } = await call('get_task');
  expect(Object.keys(next.task)).toEqual(['n', 'prompt', 'policy', 'budget']);
  expect((await call('get_task')).structuredContent).toEqual(next);
  for (let n = 1; !next.ended; n += 1) {
    expect(next).toMatchObject({ task: { n }, remaining: taskCount + 1 - n });
    const plan = n <= 2 ? await planFor(hub.ctx, run, n) : [finish];
    const { calls } = next.task.budget;
    for (const [index, { tool, args }] of plan.entries()) {
      // The arguments of plans are objects.
      const made = await call(tool, args as Record<string, unknown>);
      expect(made.structuredContent).toMatchObject({ task: n, calls_left: calls - index - 1 });
      next = made.structuredContent.next ?? next;
    }
  }
  expect(next).toEqual({ task: null, ended: true, remaining: 0 });
  const { run: kept, tasks } = await readAgentRun(hub.ctx, run.id);
  expect([kept.status, kept.chargeState]).toEqual(['completed', 'consumed']);
  expect(tasks.slice(0, 2).map(({ verdict }) => verdict?.passed)).toEqual([true, true]);
  expect((await call('get_task')).structuredContent).toEqual(next);
  expect((await call('task_finish', giveUp)).structuredContent.error).toBe('task_ended');
  await client.close();
});

test('a repeated call_id returns the same result, even if the call ended its task', async () => {
  const { agent, run } = await start();
  const { client, call } = await connect(run.id, agent.bearerToken);
  const early = await call('notes_read', {});
  expect(early).toMatchObject({
    isError: true,
    structuredContent: { error: 'task_not_found', hint: expect.stringContaining('get_task') },
  });
  const { calls } = (await call('get_task')).structuredContent.task.budget;
  const looked = await call('notes_read', { call_id: 'a' });
  expect(await call('notes_read', { call_id: 'a' })).toEqual(looked);
  const wrong = await call('manual_read', { file: 1, call_id: 'b' });
  expect(wrong.structuredContent).toMatchObject({
    result: { error: 'invalid_arguments' },
    calls_left: calls - 2,
  });
  const ended = await call('task_finish', { ...giveUp, call_id: 'c' });
  expect(ended.structuredContent).toMatchObject({ task: 1, next: { task: { n: 2 } } });
  expect(await call('task_finish', { ...giveUp, call_id: 'c' })).toEqual(ended);
  expect((await readAgentRun(hub.ctx, run.id)).run.progressDone).toBe(1);
  const reused = await call('manual_read', { page: 1, call_id: 'c' });
  expect(reused).toMatchObject({ isError: true, structuredContent: { error: 'call_id_reused' } });
  await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({
    code: -32_602,
  });
  await client.close();
});

test('a call without a token is turned away, and the run of another agent is an error with a hint', async () => {
  const { run } = await start();
  const { client: nobody } = await connect(run.id, null);
  await expectTurnedAway(nobody, 'get_task');
  await nobody.close();
  const stranger = await createTestAgent(hub.ctx);
  const { client, call } = await connect(run.id, stranger.bearerToken);
  for (const refused of [await call('get_task'), await call('task_finish', giveUp)]) {
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: 'run_not_found', hint: expect.any(String) },
    });
  }
  await client.close();
});

test('with MCP=off there is no trace of it', async () => {
  const off = await startTestHub({ store, redisUrl: hub.redisUrl, settings: { mcp: false } });
  const { run } = await start();
  const response = await fetch(`${off.url}/v1/agent-runs/${run.id}/mcp`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  await off.close();
});
