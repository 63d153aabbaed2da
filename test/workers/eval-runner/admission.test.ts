/** Runs against one slow target leave room for the runs of everybody else. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Ctx } from '#domain/context.ts';
import { systemClock } from '#runtime/clock.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { Admission, type RunClaim } from '#workers/eval-runner/admission.ts';
import { startEvalRunner } from '#workers/eval-runner/start-eval-runner.ts';
import type { RunningPool } from '#workers/pool.ts';
import { sliceMs } from '#runtime/turns/turns.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

function claimOf(agentId: string, targetUrl = 'http://a.example/one', network = agentId): RunClaim {
  return { runId: `run of ${agentId}`, claimant: { network, agentId }, targetUrl };
}

test('runs of one target take at most three fifths of the places', () => {
  const admission = new Admission(5);
  const at = (agent: string, url: string) => admission.enter(claimOf(agent, url));
  const places = ['a', 'b', 'c'].map((agent) => at(agent, `http://a.example/${agent}`));
  expect(places.every((place) => place !== null)).toBe(true);
  expect(at('d', 'http://a.example/d')).toBeNull();
  expect(at('d', 'http://b.example/')).not.toBeNull();
  places[0]!.leave();
  expect(at('e', 'http://a.example/e')).not.toBeNull();
});

test('a run that has kept a newcomer waiting for long yields, starting with the one that has used the most', () => {
  let now = 0;
  const admission = new Admission(4, 100, () => now);
  const enter = (agent: string, network = agent) =>
    admission.enter(claimOf(agent, `http://${Math.random()}.example/`, network))!;
  const places = [enter('a', 'many'), enter('b', 'many'), enter('c'), enter('d')];
  const waits = (agent: string) => admission.joinQueue(claimOf(agent), async () => true);
  waits('newcomer');
  now = 20_000;
  waits('a');
  expect(places.map(({ yielded }) => yielded.aborted)).toEqual([false, false, false, false]);
  waits('newcomer');
  expect(places.map(({ yielded }) => yielded.aborted)).toEqual([true, false, false, false]);
});

/** The queue stores a delayed job with the instant at which it is due, times this. */
const delayedScoreOfMs = 4_096;

/** A run that is delivered when its turn comes; it resolves with whether it was still delayed. */
function inLine(name: string, brought: string[], isPutOff = true): () => Promise<boolean> {
  return () => {
    brought.push(name);
    return Promise.resolve(isPutOff);
  };
}

test('a run that ends wakes the next one in turn that is still waiting', async () => {
  let now = 0;
  const admission = new Admission(1, 100, () => now);
  const brought: string[] = [];
  const place = admission.enter(claimOf('slow'))!;
  now = sliceMs;
  const wait = (agent: string, isPutOff = true) =>
    admission.joinQueue(claimOf(agent), inLine(agent, brought, isPutOff));
  wait('slow');
  wait('fast', false);
  expect(brought).toEqual([]);
  place.leave();
  await Bun.sleep(0);
  expect(brought).toEqual(['fast', 'slow']);
});

test('a run delayed while a place became free is woken immediately, and no run is in the line twice', async () => {
  const admission = new Admission(1);
  const brought: string[] = [];
  admission.joinQueue(claimOf('late'), inLine('late', brought));
  expect(brought).toEqual(['late']);
  const place = admission.enter(claimOf('first'))!;
  admission.joinQueue(claimOf('twice'), inLine('twice', brought, false));
  admission.joinQueue(claimOf('twice'), inLine('twice again', brought, false));
  place.leave();
  await Bun.sleep(0);
  expect(brought).toEqual(['late', 'twice again']);
});

test('the longer the line, the longer the fallback delay', () => {
  const admission = new Admission(1);
  admission.enter(claimOf('first'));
  const alone = admission.retryDelayMs();
  for (let run = 0; run < 100; run += 1) admission.joinQueue(claimOf(`${run}`), async () => true);
  expect(admission.retryDelayMs()).toBe(alone + 100 * 10);
  for (let run = 0; run < 9_900; run += 1) admission.joinQueue(claimOf(`more ${run}`), async () => true);
  expect(admission.retryDelayMs()).toBe(60_000);
});

test('the line is bounded, and runs that another process has claimed leave it', async () => {
  let now = 0;
  const admission = new Admission(1, 1, () => now);
  const brought: string[] = [];
  const place = admission.enter(claimOf('first'))!;
  admission.joinQueue(claimOf('gone'), inLine('gone', brought));
  admission.joinQueue(claimOf('too many'), inLine('too many', brought));
  now = 120_000;
  admission.joinQueue(claimOf('in time'), inLine('in time', brought));
  place.leave();
  await Bun.sleep(0);
  expect(brought).toEqual(['in time']);
});

onStore('sqlite', (store) => {
  const transport = useTransport();
  let pool: RunningPool;
  let ctx: Ctx;
  beforeAll(async () => {
    const { publisher, redis, redisUrl } = transport;
    const settings = parseSettings({ EVAL_CALL_TIMEOUT_MS: '20000' });
    const made = createTestCtx(store.db);
    const rules = { ...made.rules, targetAddresses: createAddressPolicy(settings.evalAllowedTargets) };
    ctx = { ...made, rules, clock: systemClock, publisher };
    pool = await startEvalRunner({
      ctx,
      publisher,
      logger: silentLogger,
      tracing: null,
      settings,
      redisUrl,
      redis,
      concurrency: 10,
    });
  });
  afterAll(() => pool.drain());

  /** Whether runs that found no place began before the queue would have delivered them again by itself. */
  async function areBrought(): Promise<boolean> {
    const { promise: ends, resolve: end } = Promise.withResolvers<void>();
    const slow = startTarget(async () => {
      await ends;
      return new Response('no', { status: 400 });
    });
    for (let run = 0; run < 8; run += 1) await redeem(ctx, (await createTestAgent(ctx)).id, slow.url);
    const queue = queueOfKind.run;
    const delayed = `${redisNames.queuePrefix(queue)}:${queue}:delayed`;
    const jobsIn = (status: 'queued' | 'running' | 'failed') =>
      rowsOf(ctx, 'runs', { targetUrl: slow.url, status });
    await waitUntil(async () => (await jobsIn('running')).length === 6);
    await waitUntil(async () => (await transport.redis.zcard(delayed)) === 2);
    const waiting = new Set((await jobsIn('queued')).map(({ id }) => id));
    const [, score] = await transport.redis.zrange(delayed, 0, '0', 'WITHSCORES');
    end();
    await waitUntil(async () => (await jobsIn('failed')).length === 8);
    const begunAt = (await jobsIn('failed'))
      .filter(({ id }) => waiting.has(id))
      .map(({ startedAt }) => startedAt!.getTime());
    await slow.stop();
    expect(begunAt).toHaveLength(2);
    return Math.max(...begunAt) < Number(score) / delayedScoreOfMs;
  }

  test('a run that found no place begins as soon as another one ends', async () => {
    // A machine that is busy elsewhere may let that moment pass, but not again and again.
    for (let tries = 0; tries < 5; tries += 1) if (await areBrought()) return;
    expect.unreachable('No run began before the queue would have delivered it again.');
  });
});
