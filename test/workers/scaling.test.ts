/**
 * Worker processes come and go while eval runs run: every accepted job is settled once, nothing is lost or
 * charged twice, and no case is sent to its target more often than the run was claimed.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { Ctx } from '#domain/context.ts';
import type { JobNotice } from '#domain/jobs/job-kinds.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import { onStore } from '#test/harness/stores.ts';
import { startOracle, startTarget, type TestTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

/** A run takes about half a second, so that processes start and stop during runs. */
const targetPauseMs = 50;
const tokensEach = 5;
/** The hub's guarantee; the test needs a sixth of it. */
const recoveryMaxMs = 60_000;
const turnsMax = 10;

const runSize = 69;

onStore('postgres', (store) => {
  const seeds: string[] = [];
  const workers = new Set<WorkerProcess>();
  let transport: Transport;
  let ctx: Ctx;
  let good: readonly TestTarget[];
  let broken: TestTarget;

  beforeAll(async () => {
    transport = await startTransport();
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    const knownSeeds = () => seeds;
    good = Array.from({ length: 3 }, () => startOracle(knownSeeds, targetPauseMs));
    broken = startTarget(async () => {
      await Bun.sleep(targetPauseMs);
      return new Response('broken', { status: 500 });
    });
  });
  afterAll(async () => {
    await Promise.all([...workers].map((worker) => worker.end('SIGKILL')));
    await Promise.all([...good, broken].map((target) => target.stop()));
    await transport.stop();
  });

  async function add(): Promise<WorkerProcess> {
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    // The targets are in this process, which has much to do.
    const worker = await startWorkerProcess(['eval-runner'], stores, { EVAL_CALL_TIMEOUT_MS: '20000' });
    workers.add(worker);
    return worker;
  }

  async function end(worker: WorkerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    workers.delete(worker);
    return worker.end(signal);
  }

  /** One agent's runs: one per working target, and one that is refunded. */
  async function accept(): Promise<readonly string[]> {
    const agent = await createTestAgent(ctx, { tokens: tokensEach, freeEvalTaken: true });
    // A runner must not call a target before the target knows the seed of the run.
    const notices: JobNotice[] = [];
    const publisher = {
      ...ctx.publisher,
      publish: (some: readonly JobNotice[]) => void notices.push(...some),
    };
    const ids: string[] = [];
    for (const target of [...good, broken]) {
      const { evalRun } = await redeem({ ...ctx, publisher }, agent.id, target.url);
      seeds.push(evalRun.suiteSeed);
      ids.push(evalRun.id);
    }
    ctx.publisher.publish(notices);
    return ids;
  }

  async function readJobs(ids: readonly string[]) {
    const { runs } = ctx.db.tables;
    return ctx.db.query
      .select()
      .from(runs)
      .where(inArray(runs.id, [...ids]));
  }

  /** Accepts runs until some of the latest have stored cases but have not ended, which a busy machine may miss. */
  async function acceptUntilMidway(accepted: string[]): Promise<void> {
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const latest = await accept();
      accepted.push(...latest);
      let isMidway = false;
      await waitUntil(async () => {
        const jobs = await readJobs(latest);
        isMidway = jobs.some(({ status, progressDone }) => status === 'running' && progressDone > 2);
        return isMidway || jobs.every(({ finishedAt }) => finishedAt !== null);
      }, recoveryMaxMs);
      if (isMidway) return;
    }
    throw new Error(`Runs were never seen midway in ${turnsMax} turns.`);
  }

  test('processes that are added, stopped and killed under load lose and duplicate nothing', async () => {
    const accepted: string[] = [];
    const first = await add();
    await acceptUntilMidway(accepted);
    const [second] = await Promise.all([add(), add()]);
    await acceptUntilMidway(accepted);
    expect(await end(first, 'SIGTERM')).toBe(0);
    await acceptUntilMidway(accepted);
    await end(second, 'SIGKILL');
    await add();

    await waitUntil(
      async () => (await readJobs(accepted)).every(({ finishedAt }) => finishedAt !== null),
      recoveryMaxMs,
    );
    await expectSettledOnce(accepted);
    await expectNoCaseTooOften(accepted);
    const audit = await auditHub(ctx);
    expect(audit.flatMap(({ name, drifts }) => drifts.map((drift) => [name, drift]))).toEqual([]);
  });

  async function expectSettledOnce(ids: readonly string[]): Promise<void> {
    const jobs = await readJobs(ids);
    const ends = jobs.map(({ targetUrl, status, chargeState, score }) => [
      targetUrl === broken.url,
      status,
      chargeState,
      score,
    ]);
    expect(ends.filter(([isBroken]) => isBroken === true)).toEqual(
      Array.from({ length: ids.length / 4 }, () => [true, 'failed', 'refunded', null]),
    );
    expect(ends.filter(([isBroken]) => isBroken !== true)).toEqual(
      Array.from({ length: (ids.length / 4) * 3 }, () => [false, 'completed', 'consumed', 100]),
    );
    const { tokenEntries, jobs: rows } = ctx.db.tables;
    const entries = Map.groupBy(await ctx.db.query.select().from(tokenEntries), ({ reference }) => reference);
    for (const { redemptionId, status } of jobs) {
      expect(entries.get(redemptionId)?.map(({ kind }) => kind)).toEqual(
        status === 'failed' ? ['spend', 'refund'] : ['spend'],
      );
    }
    await waitUntil(async () =>
      (await ctx.db.query.select().from(rows)).every(({ closedAt }) => closedAt !== null),
    );
  }

  /** A working target responds to each call, so only a later claim calls a case again. */
  async function expectNoCaseTooOften(ids: readonly string[]): Promise<void> {
    const { runItems } = ctx.db.tables;
    const cases = await ctx.db.query
      .select()
      .from(runItems)
      .where(inArray(runItems.runId, [...ids]));
    const calls = new Map<string, number>();
    for (const { idempotencyKey } of good.flatMap((target) => [...target.calls])) {
      // The key of a later turn is the key of the first turn plus its number.
      if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-\d+$/.test(idempotencyKey ?? '')) continue;
      calls.set(idempotencyKey ?? '', (calls.get(idempotencyKey ?? '') ?? 0) + 1);
    }
    const jobs = (await readJobs(ids)).filter(({ status }) => status === 'completed');
    expect(calls.size).toBe(jobs.length * runSize);
    for (const { id, attempt } of jobs) {
      const landed = cases.filter(({ runId }) => runId === id).map(({ itemIndex }) => itemIndex);
      expect(landed.toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: runSize }, (_, index) => index),
      );
      for (const index of landed) expect(calls.get(`${id}-${index}`)).toBeWithin(1, attempt + 1);
    }
  }
});
