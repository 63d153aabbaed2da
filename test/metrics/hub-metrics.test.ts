/** The metrics of requests, jobs and the ledger, on a hub with real workers. */
import { expect, test } from 'bun:test';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { type MeteredWorker, useMeteredHub } from '#test/harness/metered-hub.ts';
import { createMetricsReader, type Sample } from '#test/harness/metrics.ts';
import { changeRows } from '#test/harness/rows.ts';
import { onStore } from '#test/harness/stores.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';
import { standIn } from '#test/harness/use-started.ts';

/** Labels with values that clients choose would fill the memory. Other requests of this process add a few. */
const newValuesMax = 20;

onStore('postgres', (store) => {
  const metered = useMeteredHub(store);
  const [hub, api] = [standIn(() => metered.hub), standIn(() => metered.api)];
  let runner: MeteredWorker | undefined;

  /** Shared by the tests that do not need a new hub. */
  async function anyRunner(): Promise<MeteredWorker> {
    runner ??= await metered.startWorker('eval-runner');
    return runner;
  }

  async function redeem(targetUrl: string) {
    const agent = await createTestAgent(hub.ctx, { tokens: 1, freeEvalTaken: true });
    const json = { product: 'eval-run', target_url: targetUrl };
    expect((await hub.fetch('/v1/redemptions', { token: agent.bearerToken, json })).status).toBe(200);
  }

  test('requests are counted by declared route and by status, and timed', async () => {
    const labels = { method: 'GET', route: '/v1/agents/:handle', status: '404' };
    const before = await api.read('hub_http_requests_total', labels);
    for (const handle of ['no-one', 'no-two', 'no-three']) await hub.fetch(`/v1/agents/${handle}`);
    expect(await api.read('hub_http_requests_total', labels)).toBe(before + 3);
    const timed = { method: 'GET', route: '/v1/agents/:handle' };
    expect(await api.read('hub_http_request_duration_seconds_count', timed)).toBeGreaterThanOrEqual(3);
    expect(await api.read('hub_http_request_duration_seconds_sum', timed)).toBeGreaterThan(0);
    const unrouted = { route: '(none)', status: '404' };
    const unroutedBefore = await api.read('hub_http_requests_total', unrouted);
    for (let path = 0; path < 20; path += 1) await hub.fetch(`/made-up/${path}`);
    expect(await api.read('hub_http_requests_total', unrouted)).toBe(unroutedBefore + 20);
  });

  test('no client can create a series: labels take values of a fixed list', async () => {
    const before = countLabelValues(await api.all());
    for (let path = 0; path < 50; path += 1) {
      await hub.fetch(`/v1/agents/nobody-${path}`);
      await hub.fetch(`/nowhere-${path}`, { method: 'PROPFIND' });
    }
    const samples = await api.all();
    expect(JSON.stringify(samples)).not.toMatch(/nobody-|nowhere-|PROPFIND/);
    for (const [label, count] of countLabelValues(samples)) {
      const isBounded = count - (before.get(label) ?? 0) < newValuesMax;
      expect([label, isBounded]).toEqual([label, true]);
    }
  });

  test('waiting jobs and their age are read from the database, even if Redis has lost them', async () => {
    const queue = { queue: 'eval-runs' };
    await redeem('http://127.0.0.1:9/');
    await api.until((value) => value === 1, 'hub_jobs_open', queue);
    await api.until((value) => value === 1, 'hub_queue_jobs', { ...queue, state: 'waiting' });
    await changeRows(store, 'jobs', {}, { runAt: new Date(Date.now() - 90_000) });
    await api.until((value) => value >= 90 && value < 200, 'hub_queue_oldest_waiting_seconds', queue);
    await metered.redis.flushall();
    await api.until((value) => value === 0, 'hub_queue_jobs', { ...queue, state: 'waiting' });
    expect(await api.read('hub_queue_oldest_waiting_seconds', queue)).toBeGreaterThanOrEqual(90);
    // A run that a worker holds does not wait.
    await changeRows(store, 'runs', {}, { leaseUntil: new Date(Date.now() + 600_000) });
    await api.until((value) => value === 0, 'hub_queue_oldest_waiting_seconds', queue);
    await changeRows(store, 'jobs', {}, { closedAt: new Date() });
    await api.until((value) => value === 0, 'hub_jobs_open', queue);
  });

  test('delayed and failed jobs are read from the queue', async () => {
    const queue = openQueue(metered.redis, 'eval-runs', hub.deps.logger);
    await queue.add('eval-run', { runId: 'x' }, { jobId: 'later', delay: 3_600_000 });
    await metered.redis.zadd(queue.toKey('failed'), Date.now(), 'some-job');
    await api.until((value) => value === 1, 'hub_queue_jobs', { queue: 'eval-runs', state: 'delayed' });
    await api.until((value) => value === 1, 'hub_queue_jobs', { queue: 'eval-runs', state: 'failed' });
    await queue.obliterate();
  });

  test('the worker counts eval runs, refunds and their jobs', async () => {
    const { metrics } = await anyRunner();
    await using refused = startTarget(() => new Response('no', { status: 500 }));
    await redeem(refused.url);
    const failed = { product: 'eval-run', outcome: 'failed', code: 'target_bad_status' };
    await metrics.until((value) => value === 1, 'hub_runs_total', failed);
    await metrics.until((value) => value === 1, 'hub_ledger_entries_total', { kind: 'refund' });
    await metrics.until((value) => value === 1, 'hub_ledger_tokens_total', { kind: 'refund' });
    const done = { queue: 'eval-runs', end: 'done' };
    await metrics.until((value) => value === 1, 'hub_job_duration_seconds_count', done);
    expect(await metrics.read('hub_ledger_entries_total', { kind: 'spend' })).toBe(0);
    expect(await api.read('hub_ledger_entries_total', { kind: 'spend' })).toBeGreaterThan(0);
    await using answering = startTarget(() => 'no idea');
    await redeem(answering.url);
    const completed = { product: 'eval-run', outcome: 'completed', code: 'none' };
    await metrics.until((value) => value === 1, 'hub_runs_total', completed);
  });

  test('runs are counted in the process that ends them', async () => {
    const labels = { product: 'suite-run', outcome: 'failed', code: 'cancelled' };
    const before = await api.read('hub_runs_total', labels);
    const agent = await createTestAgent(hub.ctx);
    const cases = [{ id: 'one', prompt: 'Say yes.', expect: [{ equals: 'yes' }] }];
    await publishTestSuite(actingAs(hub.ctx, agent), { suite: 1, name: 'counted', cases });
    const json = { product: 'suite-run', suite: `@${agent.handle}/counted` };
    const { body } = await hub.fetch('/v1/redemptions', { token: agent.bearerToken, json });
    const cancel = { token: agent.bearerToken, json: {} };
    expect((await hub.fetch(`/v1/runs/${body.run.id}/cancel`, cancel)).status).toBe(200);
    expect(await api.read('hub_runs_total', labels)).toBe(before + 1);
  });

  test('failed jobs and their retries are counted', async () => {
    const { metrics } = await anyRunner();
    const queue = openQueue(metered.redis, 'eval-runs', hub.deps.logger);
    // It has no row, and its payload is invalid.
    await queue.add('eval-run', {}, { jobId: 'broken', attempts: 2, removeOnFail: true });
    const failed = { queue: 'eval-runs', end: 'failed' };
    await metrics.until((value) => value === 2, 'hub_job_duration_seconds_count', failed);
    expect(await metrics.read('hub_job_retries_total', { queue: 'eval-runs' })).toBe(1);
  });

  test('another worker counts the jobs of a killed worker as stalled', async () => {
    const first = await anyRunner();
    await using hanging = startTarget(() => Bun.sleep(60_000).then(() => 'late'));
    await redeem(hanging.url);
    await api.until((value) => value === 1, 'hub_queue_jobs', { queue: 'eval-runs', state: 'active' });
    // Before the other one starts: it could take over the job of a runner that a busy machine delays.
    await first.end('SIGKILL');
    runner = undefined;
    const { metrics } = await metered.startWorker('eval-runner');
    await metrics.until((value) => value >= 1, 'hub_jobs_stalled_total', { queue: 'eval-runs' });
  });

  test('the sweeper reports an account that differs from its lots until it is fixed', async () => {
    const { metrics } = await metered.startWorker('sweeper');
    await metrics.until((value) => value > 0, 'hub_ledger_checks_total');
    await metrics.until((value) => value > 0, 'hub_ledger_checked_accounts_total');
    expect(await metrics.read('hub_ledger_drift_accounts')).toBe(0);
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const setBalance = (balance: number) =>
      changeRows(store, 'tokenAccounts', { agentId: agent.id }, { balance });
    await setBalance(8);
    await metrics.until((value) => value === 1, 'hub_ledger_drift_accounts');
    await metrics.until((value) => value === 3, 'hub_ledger_drift_tokens');
    await setBalance(5);
    await metrics.until((value) => value === 0, 'hub_ledger_drift_accounts');
  });

  test('an unavailable store is reported, and its metrics are left out instead of stale', async () => {
    for (const dependency of ['database', 'redis'])
      expect(await api.read('hub_dependency_up', { dependency })).toBe(1);
    const own = await startTestRedis();
    const other = await startTestHub({ store, redisUrl: own.url });
    const metrics = createMetricsReader(`${other.url}/metrics`);
    const hasQueueJobs = async () => (await metrics.all()).some(({ name }) => name === 'hub_queue_jobs');
    expect(await hasQueueJobs()).toBe(true);
    await own.stop();
    await metrics.until((value) => value === 0, 'hub_dependency_up', { dependency: 'redis' });
    expect(await hasQueueJobs()).toBe(false);
    expect((await metrics.all()).some(({ name }) => name === 'hub_jobs_open')).toBe(true);
    await other.close();
  });
});

/** The number of values of each label of each metric. */
function countLabelValues(samples: readonly Sample[]): ReadonlyMap<string, number> {
  const values = new Map<string, Set<string>>();
  for (const { name, labels } of samples)
    for (const [label, value] of Object.entries(labels)) {
      const key = `${name} ${label}`;
      values.set(key, (values.get(key) ?? new Set<string>()).add(value));
    }
  return new Map([...values].map(([key, { size }]) => [key, size]));
}
