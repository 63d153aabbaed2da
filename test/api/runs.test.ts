/** Runs of both products in one list, with their progress, notices and one settlement. */
import { beforeAll, expect, test } from 'bun:test';
import { completeAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';

let evalRun: string;
let agentRun: string;

const ask = (path: string, as = agent) => hub.fetch(path, { token: as.bearerToken });

const hub = useTestHub();
const agent = useTestAgent(hub, { tokens: 5 });
const stranger = useTestAgent(hub, { tokens: 5 });
beforeAll(async () => {
  evalRun = (await redeem(hub.ctx, agent.id, null)).evalRun.id;
  hub.clock.advance(1);
  agentRun = (await completeAgentRun(actingAs(hub.ctx, agent))).id;
});

test('one list has the runs of every product, newest first, in pages, and can be limited to one product', async () => {
  const { body } = await ask('/v1/runs');
  expect(body.runs).toMatchObject([
    { id: agentRun, product: 'agent-run', status: 'completed', progress: { done: 12, total: 12 } },
    { id: evalRun, product: 'eval-run', status: 'queued', mode: 'pull', target_url: null },
  ]);
  const first = await ask('/v1/runs?limit=1');
  expect(first.body.runs).toHaveLength(1);
  const second = await ask(`/v1/runs?limit=1&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ runs: [{ id: evalRun }], next_cursor: null });
  expect((await ask('/v1/runs?product=eval-run')).body.runs).toMatchObject([{ id: evalRun }]);
  expectError(await ask('/v1/runs?product=lunch'), 400, 'invalid_parameter');
  expect((await ask('/v1/runs', stranger)).body.runs).toEqual([]);
});

test('a run is shown with the same fields under its own path and that of its product', async () => {
  const { run } = (await ask(`/v1/runs/${evalRun}`)).body;
  const { eval_job: job } = (await ask(`/v1/eval-jobs/${evalRun}?include=none`)).body;
  expect(job).toMatchObject(run);
  expect((await ask(`/v1/runs/${agentRun}`)).body.run).toMatchObject({ id: agentRun, product: 'agent-run' });
  // The views keep to their product, also in pages.
  const { next_cursor: cursor } = (await ask('/v1/runs?limit=1')).body;
  for (const path of ['/v1/eval-jobs?limit=1', `/v1/eval-jobs?cursor=${cursor}`])
    expect((await ask(path)).body).toMatchObject({ eval_jobs: [{ id: evalRun }], next_cursor: null });
  expectError(await ask(`/v1/eval-jobs/${agentRun}`), 404, 'run_not_found');
});

test('a completed run is reported in each format', async () => {
  for (const [format, type, name] of [
    ['json', 'application/json', `run-${agentRun}.json`],
    ['text', 'text/plain', `run-${agentRun}.txt`],
    ['markdown', 'text/markdown', `run-${agentRun}.md`],
    ['jsonl', 'application/x-ndjson', `run-${agentRun}.jsonl`],
    ['csv', 'text/csv', `run-${agentRun}.csv`],
    ['junit', 'application/xml', `run-${agentRun}.xml`],
    ['inspect', 'application/json', `_run_${agentRun}.json`],
    ['every-eval-ever', 'application/json', `run-${agentRun}.every-eval-ever.json`],
    ['otlp', 'application/x-ndjson', `run-${agentRun}.otlp.jsonl`],
  ] as const) {
    const file = await ask(`/v1/runs/${agentRun}/report?format=${format}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toStartWith(type);
    expect(file.headers.get('content-disposition')).toEndWith(`${name}"`);
    expect(file.text).toContain(['json', 'every-eval-ever'].includes(format) ? agentRun : 'task-12');
  }
  expectError(await ask(`/v1/runs/${evalRun}/report?format=csv`), 409, 'run_not_completed');
  expectError(await ask(`/v1/runs/${agentRun}/report?format=pdf`), 400, 'invalid_parameter');
  expect((await ask(`/v1/runs/${agentRun}/report`)).body).toMatchObject({ outcome: 'held', bars: [] });
});

test('an agent run streams each task that ends, and then its end', async () => {
  const { text } = await ask(`/v1/runs/${agentRun}/events`);
  expect(text.match(/event: progress/g)).toHaveLength(12);
  expect(text).toContain('"done":12,"total":12,"answered":true');
  expect(text).toContain(`event: completed\ndata: {"run":{"id":"${agentRun}"`);
});

test('the owner of an agent run is notified of its end, with its score or its failure', async () => {
  const as = actingAs(hub.ctx, agent);
  const cancelled = await startAgentRun(as);
  await hub.fetch(`/v1/runs/${cancelled.id}/cancel`, { token: agent.bearerToken, json: {} });
  const { notifications } = (await ask('/v1/notifications')).body;
  const ofRuns = notifications.filter(({ kind }: { kind: string }) => kind.startsWith('run.'));
  const { id, redemptionId } = cancelled;
  const completed = { run_id: agentRun, redemption_id: expect.any(String), status: 'completed' };
  const failed = { run_id: id, redemption_id: redemptionId, status: 'failed', failure_code: 'cancelled' };
  expect(ofRuns).toMatchObject([
    { kind: 'run.completed', data: { ...completed, product: 'agent-run', score: expect.any(Number) } },
    { kind: 'run.failed', data: { ...failed, product: 'agent-run' } },
  ]);
});
