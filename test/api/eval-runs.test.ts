/** Eval runs over HTTP: single jobs, the scorecard page and the event stream. */
import { afterAll, describe, expect, test } from 'bun:test';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestRunner, jobRowOf, plainRunSize, redeem, useTestRunner } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startOracle, startTarget } from '#test/harness/target.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { expectError } from '#test/harness/expect-error.ts';

const caseCount = plainRunSize;

const hub = useTestHub();
const runner = useTestRunner(() => createTestRunner(hub.ctx, hub.redisUrl));
const seeds: string[] = [];
const oracle = startOracle(() => seeds, 5);
const agent = useTestAgent(hub, { tokens: 50, freeEvalTaken: true });
afterAll(() => oracle.stop());

/** Redeems a run of this target. `run` processes its job, because no worker runs. */
async function accept(url: string): Promise<{ id: string; run: () => Promise<void> }> {
  const { evalRun } = await redeem(hub.ctx, agent.id, url);
  seeds.push(evalRun.suiteSeed);
  const row = await jobRowOf(hub.ctx, evalRun.id);
  return { id: evalRun.id, run: () => pushRun(runner, { runId: evalRun.id, jobId: row.id }) };
}

const get = (path: string) => hub.fetch(path, { token: agent.bearerToken });

/** Reads an event stream to its end. */
async function readEvents(path: string, headers: Record<string, string> = {}, onEvent = (): void => {}) {
  const response = await fetch(hub.url + path, {
    headers: { authorization: `Bearer ${agent.bearerToken}`, ...headers },
  });
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  const events: { id: string | null; event: string; data: any }[] = []; // oxlint-disable-line typescript/no-explicit-any -- a test that expects a field fails if it is not there
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event === undefined || data === undefined) continue;
      events.push({ id: /^id: (.*)$/m.exec(block)?.[1] ?? null, event, data: JSON.parse(data) });
      onEvent();
    }
  }
  return events;
}

test('a completed run shows score, seed, latency, scorecard and all cases', async () => {
  const job = await accept(oracle.url);
  await job.run();
  const { status, body } = await get(`/v1/eval-jobs/${job.id}`);
  expect(status).toBe(200);
  expect(body.eval_job).toMatchObject({
    status: 'completed',
    score: 100,
    charge: { tokens: 1, free: false, state: 'consumed' },
    progress: { done: caseCount, total: caseCount },
    failure: null,
  });
  expect(body.eval_job.suite.seed).toMatch(/^[0-9a-f]{32}$/);
  expect(body.eval_job.latency.max_ms).toBeGreaterThanOrEqual(body.eval_job.latency.p50_ms);
  expect(body.eval_job.cases.flatMap(({ trials }: { trials: { index: number }[] }) => trials)).toMatchObject(
    Array.from({ length: caseCount }, (_, index) => ({ index })),
  );
  expect(body.eval_job.findings).toEqual([]);
  expect(body.eval_job.scorecard.score_md).toContain('100');
  expect(body.eval_job.scorecard.score_json).toBeObject();
  const including = (parts: string) => get(`/v1/eval-jobs/${job.id}?include=${parts}`);
  const none = await including('none');
  expect(none.body.eval_job).toMatchObject({ scorecard: null, cases: [] });
  expect(none.text.length).toBeLessThan(4_000);
  const cases = await including('cases');
  expect([cases.body.eval_job.scorecard, cases.body.eval_job.cases.length]).toEqual([null, caseCount]);
  expect((await including('cases,scorecard')).body).toEqual(body);
  expectError(await including('prompts'), 400, 'invalid_parameter');
});

test('a failed run shows the reason, but neither scores nor prompts, and its events end with `failed`', async () => {
  await using broken = startTarget(() => new Response('no', { status: 500 }));
  const job = await accept(broken.url);
  const reading = readEvents(`/v1/runs/${job.id}/events`);
  await job.run();
  const { body, text } = await get(`/v1/eval-jobs/${job.id}`);
  expect(body.eval_job).toMatchObject({
    status: 'failed',
    score: null,
    latency: null,
    charge: { state: 'refunded' },
    failure: { code: 'target_bad_status', message: expect.stringContaining('× target_bad_status') },
    scorecard: null,
    cases: [],
  });
  expect(text).not.toContain('"prompt"');
  expectError(await get(`/v1/runs/${job.id}/report`), 409, 'run_not_completed');
  const events = await reading;
  expect(events.at(-1)).toMatchObject({ event: 'failed', data: { run: { score: null } } });
  for (const { data } of events.filter(({ event }) => event === 'progress'))
    expect(Object.keys(data).toSorted()).toEqual(['answered', 'at', 'done', 'total']);
});

test('a queued job shows no seed, so that nobody can prepare for its cases', async () => {
  const job = await accept(oracle.url);
  const { eval_job: shown } = (await get(`/v1/eval-jobs/${job.id}`)).body;
  expect(shown).toMatchObject({ status: 'queued', suite: { seed: null }, scorecard: null, cases: [] });
  await job.run();
});

describe('the event stream', () => {
  test('sends a progress event for each finished case, then ends', async () => {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    const responses = startOracle(() => seeds);
    // The last reply waits until the client has received an earlier event, so that not all events can
    // arrive at the end.
    const target = startTarget(async ({ body }) => {
      if (target.calls.length >= caseCount) await seen;
      return fetch(responses.url, { method: 'POST', body: JSON.stringify(body) });
    });
    const job = await accept(target.url);
    const reading = readEvents(`/v1/runs/${job.id}/events`, {}, see);
    await job.run();
    const events = await reading;
    const run = { id: job.id, status: 'completed', score: 100 };
    expect(events).toMatchObject([
      ...Array.from({ length: caseCount }, (_, index) => ({ event: 'progress', data: { done: index + 1 } })),
      { event: 'completed', data: { run } },
    ]);
    await Promise.all([target.stop(), responses.stop()]);
  });

  test('resumes after the last event that the client has seen', async () => {
    const job = await accept(oracle.url);
    await job.run();
    const headers = { 'last-event-id': String(caseCount - 2) };
    const events = await readEvents(`/v1/runs/${job.id}/events`, headers);
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      [String(caseCount - 1), 'progress'],
      [String(caseCount), 'progress'],
      [null, 'completed'],
    ]);
  });

  test('an agent may have 20 of them open at two processes together', async () => {
    await using second = await startTestHub({ store: hub, redisUrl: hub.redisUrl, clock: hub.clock });
    const job = await accept(oracle.url);
    const follow = (at: TestHub) =>
      fetch(`${at.url}/v1/runs/${job.id}/events`, {
        headers: { authorization: `Bearer ${agent.bearerToken}` },
      });
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, index) => follow(index % 2 === 0 ? hub : second)),
    );
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    for (const at of [hub, second]) expect((await follow(at)).status).toBe(429);
    // A stream closed at one process makes room at the other, as soon as the hub notices.
    await streams[0]?.body?.cancel();
    await waitUntil(async () => {
      const next = await follow(second);
      await next.body?.cancel();
      return next.status === 200;
    });
    for (const stream of streams.slice(1)) await stream.body?.cancel();
  });
});

/** A run of the office over HTTP: what its cases show and hide, and what a step returns. */
test('a task is a case with tools, whose steps return the results of its calls', async () => {
  const ask = (path: string, json: object) => hub.fetch(path, { token: agent.bearerToken, json });
  const { body: redeemed } = await ask('/v1/redemptions', { product: 'agent-run' });
  const suite = { name: 'agent-run', seed: null };
  expect(redeemed).toMatchObject({ redemption: { free: true }, run: { suite } });
  const path = `/v1/runs/${redeemed.run.id}`;
  const { body } = await get(`${path}/cases/next?limit=8`);
  expect(body).toMatchObject({ remaining: 12, ended: false, cases: [{ case_id: 'task-1', step: 0 }] });
  const [task] = body.cases;
  expect(task.prompt).toMatch(/^Task 1 of 12, .+ Budget: \d+ calls\.\n/);
  expect(task.tools.map(({ name }: { name: string }) => name)).toEqual(weekTools.map(({ name }) => name));
  for (const { parameters } of task.tools) expect(parameters).toHaveProperty('additionalProperties');
  // What it is about is not told.
  expect(Object.keys(task).toSorted()).toEqual(
    'again case_id expires_at index messages prompt step system tools'.split(' '),
  );
  const answer = { case_id: 'task-1', step: 0, tool_calls: [{ id: 'a', name: 'notes_read', arguments: {} }] };
  const first = await ask(`${path}/answers`, { answers: [answer] });
  const [{ messages, ...taken }] = first.body.cases;
  expect(taken).toMatchObject({ case_id: 'task-1', done: false, step: 1 });
  expect(messages).toMatchObject([{ role: 'tool', tool_call_id: 'a' }]);
  expect(JSON.parse(messages[0].content)).toHaveProperty('calls_left');
  expect((await ask(`${path}/answers`, { answers: [answer] })).body).toEqual(first.body);
  expectError(await ask(`${path}/answers`, { answers: [{ ...answer, step: 3 }] }), 409, 'wrong_step');
  const charged = { status: 'completed', charge: { state: 'consumed' } };
  expect((await ask(`${path}/cancel`, {})).body.run).toMatchObject(charged);
});
