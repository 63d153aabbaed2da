/** Agent runs over HTTP: statuses, shapes, what is hidden, and a reference agent that scores 100. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { weekTools } from '#evals/week/tools/tools.ts';
import { planFor, readAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestRequest } from '#test/harness/hub.ts';
import { forEachStore, openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
/** Completed with every task solved. */
let solved: string;

const ask = (path: string, request: TestRequest = {}, as: TestAgent = agent) =>
  hub.fetch(path, { token: as.bearerToken, ...request });
const next = (id: string, query = '') => ask(`/v1/agent-runs/${id}/tasks/next${query}`);
const call = (id: string, n: number | string, json: unknown, request: TestRequest = {}) =>
  ask(`/v1/agent-runs/${id}/tasks/${n}/calls`, { json, ...request });
const redeem = async (as: TestAgent = agent) => {
  // Runs are listed by the time of their creation.
  hub.clock.advance(1);
  const { status, body } = await ask('/v1/redemptions', { json: { product: 'agent-run' } }, as);
  expect(status).toBe(200);
  return body;
};
const finish = { call_id: 'end', tool: 'task_finish', args: { message: 'Done.' } };

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  agent = await createTestAgent(hub.ctx, { tokens: 20 });
  solved = (await redeem()).agent_run.id;
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

test('a redemption without a target starts a run, and the first one is free', async () => {
  const other = await createTestAgent(hub.ctx, { tokens: 2 });
  const first = await redeem(other);
  expect(first).toEqual({
    redemption: {
      id: first.redemption.id,
      product: 'agent-run',
      target_url: null,
      cost: 0,
      free: true,
      created_at: first.redemption.created_at,
    },
    agent_run: {
      id: first.agent_run.id,
      redemption_id: first.redemption.id,
      product: 'agent-run',
      mode: 'pull',
      target_url: null,
      target: null,
      ranked: false,
      status: 'queued',
      charge: { tokens: 0, free: true, state: 'held' },
      progress: { done: 0, total: 12 },
      score: null,
      usage: null,
      repeat: null,
      replay_of: null,
      cost: null,
      level: null,
      interval: null,
      passed: null,
      partial: null,
      reliability: null,
      suite: { name: 'agent-run', version: '6', seed: null },
      failure: null,
      created_at: first.agent_run.created_at,
      started_at: null,
      finished_at: null,
    },
    run: first.run,
    balance: 2,
  });
  // The same run, with the fields that runs of all products have.
  expect(first.run).toMatchObject({ id: first.agent_run.id, product: 'agent-run', status: 'queued' });
  expect(await redeem(other)).toMatchObject({ redemption: { cost: 1, free: false }, balance: 1 });
  expect((await ask('/v1/tokens/balance', {}, other)).body).toMatchObject({
    held: 1,
    free_eval_available: true,
    free_agent_run_available: false,
    free_suite_run_available: true,
  });
  const withTarget = { product: 'agent-run', target_url: 'http://127.0.0.1:9/' };
  expectError(await ask('/v1/redemptions', { json: withTarget }, other), 400, 'invalid_body');
});

test('a reference agent completes all tasks and scores 100', async () => {
  const { run } = await readAgentRun(hub.ctx, solved);
  for (let done = 0; ; done += 1) {
    const { body } = await next(solved, '?wait=25');
    if (body.ended) {
      expect([body, done]).toEqual([{ task: null, ended: true, remaining: 0 }, 12]);
      break;
    }
    expect(body).toMatchObject({ ended: false, remaining: 12 - done, task: { n: done + 1 } });
    for (const [index, { tool, args }] of (await planFor(hub.ctx, run, body.task.n)).entries()) {
      const made = await call(solved, body.task.n, { call_id: `${index}`, tool, args });
      expect([made.status, made.body.calls_left]).toEqual([200, body.task.budget.calls - index - 1]);
    }
  }
  const { body } = await ask(`/v1/agent-runs/${solved}`);
  expect(body.agent_run).toMatchObject({
    status: 'completed',
    score: 100,
    level: { value: expect.any(Number), top: true },
    interval: { low: expect.any(Number), high: 100 },
    passed: { n: 12, of: 12 },
    partial: 100,
    reliability: { errors: 0, one_in: null, interval: { high: null } },
    progress: { done: 12, total: 12 },
    charge: { state: 'consumed' },
    suite: { seed: run.suiteSeed },
  });
  expect(body.agent_run.reliability.decisions).toBeGreaterThan(150);
  expect(body.scorecard).toMatchObject({ score: 100, attacks_worked: { worked: 0 } });
  expect(body.scorecard.tasks).toHaveLength(12);
  for (const task of body.scorecard.tasks) expect(task).toMatchObject({ passed: true, missed: [], trial: 1 });
});

test('options of an eval run are refused with the reason', async () => {
  for (const [options, named] of [
    [{ size: 'long' }, '`size`'],
    [{ size: 'standard', max_prompt_tokens: 8_000 }, '`size` and `max_prompt_tokens`'],
  ] as const) {
    const refused = await ask('/v1/redemptions', { json: { product: 'agent-run', ...options } });
    expectError(refused, 400, 'invalid_body');
    expect(refused.body.message).toBe(`An \`agent-run\` does not take ${named}.`);
  }
});

test('a run can be cancelled: refunded before its first call, completed and charged after that', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 2, freeAgentRunTaken: true });
  const { id: unfetched } = (await redeem(agent)).agent_run;
  const cancel = (id: string, as = agent) => ask(`/v1/runs/${id}/cancel`, { method: 'POST' }, as);
  const refunded = await cancel(unfetched);
  expect([refunded.status, refunded.body.run]).toMatchObject([
    200,
    { status: 'failed', failure: { code: 'cancelled' }, cancelled: true, charge: { state: 'refunded' } },
  ]);
  expect((await cancel(unfetched)).text).toBe(refunded.text);
  const { id: begun } = (await redeem(agent)).agent_run;
  await ask(`/v1/agent-runs/${begun}/tasks/next`, {}, agent);
  const json = { call_id: 'a', tool: 'manual_search', args: { query: 'x' } };
  await ask(`/v1/agent-runs/${begun}/tasks/1/calls`, { json }, agent);
  const charged = await cancel(begun);
  expect(charged.body.run).toMatchObject({
    status: 'completed',
    failure: null,
    cancelled: true,
    score: 0,
    charge: { state: 'consumed' },
  });
  expect((await ask(`/v1/agent-runs/${begun}`, {}, agent)).body.scorecard.tasks).toHaveLength(12);
  expectError(await cancel(begun, await createTestAgent(hub.ctx)), 404, 'run_not_found');
  expectError(await ask(`/v1/runs/${solved}/cancel`, { method: 'POST' }), 409, 'run_ended');
});

describe('a task', () => {
  test('takes no call beyond its budget', async () => {
    const other = await createTestAgent(hub.ctx, { tokens: 2 });
    const { id } = (await redeem(other)).agent_run;
    const { task } = (await ask(`/v1/agent-runs/${id}/tasks/next`, {}, other)).body;
    const { bearerToken: token } = other;
    const look = (n: number) => call(id, 1, { call_id: `${n}`, tool: 'notes_read', args: {} }, { token });
    for (let n = 0; n < task.budget.calls; n += 1) expect((await look(n)).status).toBe(200);
    expectError(await look(task.budget.calls), 409, 'budget_exhausted');
  });

  test('shows prompt, policy, all tools with closed schemas and the budget, and nothing else', async () => {
    const { id } = (await redeem()).agent_run;
    const { body, text } = await next(id);
    expect(Object.keys(body.task)).toEqual(['n', 'prompt', 'policy', 'tools', 'budget']);
    const { calls } = body.task.budget;
    expect(body.task.budget).toEqual({
      calls,
      seconds: 30 * calls,
      argument_bytes: 16_384 + 1_024 * calls,
    });
    expect(body.task.prompt).toStartWith(`Task 1 of 12, Monday 09:00. Budget: ${calls} calls.`);
    expect(body.task.tools).toHaveLength(weekTools.length);
    for (const { name, description, parameters, ...others } of body.task.tools) {
      expect([typeof name, typeof description, others]).toEqual(['string', 'string', {}]);
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(text).not.toMatch(/family|attack/i);
    expect((await next(id)).body).toEqual(body);
    expectError(await next(id, '?wait=26'), 400, 'invalid_parameter');
    expect((await ask(`/v1/agent-runs/${id}`)).body).toMatchObject({
      agent_run: { status: 'running', suite: { seed: null } },
      scorecard: null,
    });
    expectError(await ask(`/v1/agent-runs/${id}/scorecard`), 404, 'scorecard_not_found');
  });

  test('accepts calls: results, invalid calls, repeats and rejections', async () => {
    const { id } = (await redeem()).agent_run;
    expectError(await call(id, 1, finish), 404, 'task_not_found');
    const { budget } = (await next(id)).body.task;
    const look = { call_id: 'a', tool: 'notes_read', args: {} };
    const made = await call(id, 1, look);
    expect([made.status, Object.keys(made.body), made.body.calls_left]).toEqual([
      200,
      ['result', 'calls_left'],
      budget.calls - 1,
    ]);
    expect(made.body.result).toMatchObject({ text: '' });
    for (const [call_id, tool, args, error] of [
      ['b', 'no_such_tool', {}, 'unknown_tool'],
      ['c', 'mail_read', {}, 'invalid_arguments'],
      ['d', 'ask', { to: 'nobody', about: 'x', question: 'Who?' }, 'not_found'],
    ] as const) {
      const { status, body } = await call(id, 1, { call_id, tool, args });
      expect([status, body.result.error, typeof body.result.message]).toEqual([200, error, 'string']);
    }
    for (const broken of [
      {},
      { call_id: 'e', tool: 'notes_read' },
      { call_id: 'e', tool: 'notes_read', args: 'all' },
      { call_id: '', tool: 'notes_read', args: {} },
      { call_id: 'e', tool: 7, args: {} },
      { call_id: 'e', tool: 'notes_read', args: {}, more: 1 },
    ])
      expectError(await call(id, 1, broken), 400, 'invalid_body');
    const heavy = { call_id: 'e', tool: 'mail_send', args: { body: 'x'.repeat(33 * 1_024) } };
    expectError(await call(id, 1, heavy), 413, 'body_too_large');
    expectError(await call(id, 1, { ...look, tool: 'mail_list' }), 409, 'call_id_reused');
    expectError(await call(id, 'one', look), 400, 'invalid_parameter');
    expectError(await call(id, 2, look), 404, 'task_not_found');
    expect((await call(id, 1, finish)).body).toMatchObject({
      result: { status: 'finished', calls_left: budget.calls - 5, task_ended: true },
      calls_left: budget.calls - 5,
    });
    expectError(await call(id, 1, { ...look, call_id: 'f' }), 409, 'task_ended');
    expect((await call(id, 1, look)).body).toEqual(made.body);
    const headers = { 'idempotency-key': 'once' };
    await next(id);
    const once = await call(id, 2, look, { headers });
    const again = await call(id, 2, look, { headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([once.body, 'true']);
    // Time that the first task left is the second task's.
    const second = (await next(id)).body.task.budget;
    hub.clock.advance(1_000 * (budget.seconds + second.seconds) - 1);
    expect((await call(id, 2, { ...look, call_id: 'in time' })).status).toBe(200);
    hub.clock.advance(1);
    expectError(await call(id, 2, { ...look, call_id: 'late' }), 409, 'task_ended');
  });
});

forEachStore((ownStore) => {
  test('a run with a target hands out no tasks and accepts no calls', async () => {
    const pushed = await startTestHub({ store: ownStore });
    const owner = await createTestAgent(pushed.ctx, { tokens: 2 });
    const send = (path: string, json?: object) => pushed.fetch(path, { token: owner.bearerToken, json });
    const target = { url: 'http://127.0.0.1:9/', protocol: 'openai-chat', model: 'm-1' };
    const { status, body } = await send('/v1/redemptions', { product: 'agent-run', target });
    expect([status, body.agent_run.mode]).toEqual([200, 'push']);
    const tasks = `/v1/agent-runs/${body.agent_run.id}/tasks`;
    expectError(await send(`${tasks}/next`), 409, 'not_pull_mode');
    expectError(await send(`${tasks}/1/calls`, finish), 409, 'not_pull_mode');
    await pushed.close();
  });
});

test('a run is listed only for its agent', async () => {
  const { body, headers } = await ask('/v1/agent-runs?limit=1');
  expect(body.agent_runs).toHaveLength(1);
  expect(headers.get('link')).toContain('cursor=');
  const rest = await ask(`/v1/agent-runs?cursor=${body.next_cursor}`);
  expect(rest.body.agent_runs.at(-1)).toMatchObject({ id: solved, product: 'agent-run' });
  const stranger = await createTestAgent(hub.ctx);
  expect((await ask('/v1/agent-runs', {}, stranger)).body).toEqual({ agent_runs: [], next_cursor: null });
  for (const path of ['', '/scorecard', '/tasks/next'])
    expectError(await ask(`/v1/agent-runs/${solved}${path}`, {}, stranger), 404, 'run_not_found');
  const calls = await ask(`/v1/agent-runs/${solved}/tasks/1/calls`, { json: finish }, stranger);
  expectError(calls, 404, 'run_not_found');
});

test('the scorecard is available as a page, as Markdown and as JSON', async () => {
  const page = await ask(`/v1/agent-runs/${solved}/scorecard`);
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.text).toContain('<p class="numeral">100.0</p>');
  const markdown = await ask(`/v1/agent-runs/${solved}/scorecard?format=md`);
  expect(markdown.headers.get('content-type')).toStartWith('text/markdown');
  expect(markdown.text).toStartWith('# Agent run: 100.0 of 100, level ≥');
  expect(markdown.text.length).toBeLessThan(8_000);
  const full = await ask(`/v1/agent-runs/${solved}/scorecard?format=md&detail=full`);
  expect([full.status, full.text.startsWith('# Agent run: 100.0 of 100, level ≥')]).toEqual([200, true]);
  const json = await ask(`/v1/agent-runs/${solved}/scorecard?format=json`);
  expect(json.body).toEqual((await ask(`/v1/agent-runs/${solved}`)).body.scorecard);
  expectError(await ask(`/v1/agent-runs/${solved}/scorecard?format=pdf`), 400, 'invalid_parameter');
});
