/** Agent runs over HTTP: statuses, shapes, what is hidden, and a reference agent that scores 100. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeTaskOf, planOf } from '#evals/office/make-tasks.ts';
import { readAgentRun } from '#test/harness/agent-runs.ts';
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
const finish = { call_id: 'end', tool: 'finish', args: { outcome: 'done', message: 'Done.' } };

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
      progress: { done: 0, total: 24 },
      score: null,
      usage: null,
      repeat: null,
      replay_of: null,
      code_tool: null,
      cost: null,
      public_kinds_only: true,
      level: null,
      interval: null,
      suite: { name: 'agent-run', version: '2', seed: null },
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
  const { suiteSeed } = (await readAgentRun(hub.ctx, solved)).run;
  for (let done = 0; ; done += 1) {
    const { body } = await next(solved, '?wait=25');
    if (body.ended) {
      expect([body, done]).toEqual([{ task: null, ended: true, remaining: 0 }, 24]);
      break;
    }
    expect(body).toMatchObject({ ended: false, remaining: 24 - done, task: { n: done + 1 } });
    for (const [index, { tool, args }] of planOf(makeTaskOf(suiteSeed, body.task.n)).entries()) {
      const made = await call(solved, body.task.n, { call_id: `${index}`, tool, args });
      expect([made.status, made.body.calls_left]).toEqual([200, 39 - index]);
      expect(made.body.result.error).toBeUndefined();
    }
  }
  const { body } = await ask(`/v1/agent-runs/${solved}`);
  expect(body.agent_run).toMatchObject({
    status: 'completed',
    score: 100,
    level: { value: 6, se: expect.any(Number) },
    interval: { low: 86.2, high: 100 },
    progress: { done: 24, total: 24 },
    charge: { state: 'consumed' },
    suite: { seed: suiteSeed },
  });
  expect(body.scorecard).toMatchObject({ score: 100, attacks_worked: { worked: 0, of: 14 } });
  expect(body.scorecard.tasks).toHaveLength(24);
});

test('options of an eval run are refused with the reason', async () => {
  for (const [options, named] of [
    [{ cases: 120 }, '`cases`'],
    [{ cases: 40, max_prompt_tokens: 8_000 }, '`cases` and `max_prompt_tokens`'],
  ] as const) {
    const refused = await ask('/v1/redemptions', { json: { product: 'agent-run', ...options } });
    expectError(refused, 400, 'invalid_body');
    expect(refused.body.message).toBe(
      `An \`agent-run\` does not take ${named}: it always has 24 tasks, and its prompts are short.`,
    );
  }
});

test('a run can be cancelled: refunded before its first task, completed and charged after that', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 2, freeAgentRunTaken: true });
  const { id: unfetched } = (await redeem(agent)).agent_run;
  const cancel = (id: string, as = agent) => ask(`/v1/agent-runs/${id}/cancel`, { method: 'POST' }, as);
  const refunded = await cancel(unfetched);
  expect([refunded.status, refunded.body.agent_run]).toMatchObject([
    200,
    { status: 'failed', failure: { code: 'cancelled' }, cancelled: true, charge: { state: 'refunded' } },
  ]);
  expect((await cancel(unfetched)).text).toBe(refunded.text);
  const { id: begun } = (await redeem(agent)).agent_run;
  await ask(`/v1/agent-runs/${begun}/tasks/next`, {}, agent);
  const charged = await cancel(begun);
  expect(charged.body.agent_run).toMatchObject({
    status: 'completed',
    failure: null,
    cancelled: true,
    score: 0,
    charge: { state: 'consumed' },
  });
  expect((await ask(`/v1/agent-runs/${begun}`, {}, agent)).body.scorecard.tasks).toHaveLength(24);
  expectError(await cancel(begun, await createTestAgent(hub.ctx)), 404, 'agent_run_not_found');
  expectError(await ask(`/v1/agent-runs/${solved}/cancel`, { method: 'POST' }), 409, 'agent_run_ended');
});

describe('a task', () => {
  test('shows prompt, policy, 18 tools with closed schemas and the budget, and nothing else', async () => {
    const { id } = (await redeem()).agent_run;
    const { body, text } = await next(id);
    expect(Object.keys(body.task)).toEqual(['n', 'prompt', 'policy', 'tools', 'budget']);
    expect(body.task.budget).toEqual({ calls: 40, seconds: 600, argument_bytes: 65_536 });
    expect(body.task.tools).toHaveLength(18);
    for (const { name, description, parameters, ...others } of body.task.tools) {
      expect([typeof name, typeof description, others]).toEqual(['string', 'string', {}]);
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(text).not.toMatch(/level|injection|attack/i);
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
    await next(id);
    const look = { call_id: 'a', tool: 'list_files', args: {} };
    const made = await call(id, 1, look);
    expect([made.status, Object.keys(made.body), made.body.calls_left]).toEqual([
      200,
      ['result', 'calls_left'],
      39,
    ]);
    expect(made.body.result.items.length).toBeGreaterThan(0);
    for (const [call_id, tool, args, error] of [
      ['b', 'no_such_tool', {}, 'unknown_tool'],
      ['c', 'read_mail', {}, 'invalid_arguments'],
      ['d', 'read_mail', { mail_id: 'none' }, 'not_found'],
    ] as const) {
      const { status, body } = await call(id, 1, { call_id, tool, args });
      expect([status, Object.keys(body.result), body.result.error]).toEqual([
        200,
        ['error', 'message'],
        error,
      ]);
    }
    for (const broken of [
      {},
      { call_id: 'e', tool: 'list_files' },
      { call_id: 'e', tool: 'list_files', args: 'all' },
      { call_id: '', tool: 'list_files', args: {} },
      { call_id: 'e', tool: 7, args: {} },
      { call_id: 'e', tool: 'list_files', args: {}, more: 1 },
    ])
      expectError(await call(id, 1, broken), 400, 'invalid_body');
    const heavy = { call_id: 'e', tool: 'ask_user', args: { question: 'x'.repeat(33 * 1_024) } };
    expectError(await call(id, 1, heavy), 413, 'body_too_large');
    expectError(await call(id, 1, { ...look, tool: 'list_events' }), 409, 'call_id_reused');
    expectError(await call(id, 'one', look), 400, 'invalid_parameter');
    expectError(await call(id, 2, look), 404, 'task_not_found');
    expect((await call(id, 1, finish)).body).toEqual({
      result: { finished: true, outcome: 'done' },
      calls_left: 35,
    });
    expectError(await call(id, 1, { ...look, call_id: 'f' }), 409, 'task_ended');
    expect((await call(id, 1, look)).body).toEqual(made.body);
    const headers = { 'idempotency-key': 'once' };
    await next(id);
    const once = await call(id, 2, look, { headers });
    const again = await call(id, 2, look, { headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([once.body, 'true']);
    hub.clock.advance(600_001);
    expectError(await call(id, 2, { ...look, call_id: 'late' }), 409, 'budget_exhausted');
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
    expectError(await ask(`/v1/agent-runs/${solved}${path}`, {}, stranger), 404, 'agent_run_not_found');
  const calls = await ask(`/v1/agent-runs/${solved}/tasks/1/calls`, { json: finish }, stranger);
  expectError(calls, 404, 'agent_run_not_found');
});

test('the scorecard is available as a page, as Markdown and as JSON', async () => {
  const page = await ask(`/v1/agent-runs/${solved}/scorecard`);
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.text).toContain('<p class="numeral">100.0</p>');
  const markdown = await ask(`/v1/agent-runs/${solved}/scorecard?format=md`);
  expect(markdown.headers.get('content-type')).toStartWith('text/markdown');
  expect(markdown.text).toStartWith('# Agent run: 100.0 of 100, level ≥ 6.0 (top)');
  expect(markdown.text.length).toBeLessThan(8_000);
  const full = await ask(`/v1/agent-runs/${solved}/scorecard?format=md&detail=full`);
  expect([full.status, full.text.startsWith('# Agent run: 100.0 of 100, level ≥ 6.0 (top)')]).toEqual([
    200,
    true,
  ]);
  const json = await ask(`/v1/agent-runs/${solved}/scorecard?format=json`);
  expect(json.body).toEqual((await ask(`/v1/agent-runs/${solved}`)).body.scorecard);
  expectError(await ask(`/v1/agent-runs/${solved}/scorecard?format=pdf`), 400, 'invalid_parameter');
});
