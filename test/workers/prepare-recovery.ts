/**
 * Workers are killed and Redis is emptied while eval runs run: within 60 seconds every accepted job has
 * completed or failed, is charged or refunded once, and every balance equals its entries.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { eq, inArray } from 'drizzle-orm';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Ctx } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import type { TestStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startOracle, startTarget, type TestTarget } from '#test/harness/target.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

/** Six times what a quiet machine needs. */
export const recoveryMaxMs = 60_000;
/** For a test that includes a recovery, on a busy machine. */
export const testMaxMs = 2 * recoveryMaxMs;
const midwayMaxMs = 30_000;
/** About 70 cases, 4 at a time: a run takes about a second, so kills hit it halfway. */
const targetPauseMs = 50;
/** The targets answer in this process, which is busy with the tasks of many runs. */
const settings = { EVAL_CALL_TIMEOUT_MS: '30000' };
const stopTriesMax = 10;
const noJob = createId(new Date());
/** Longer than any wait for a lock of a running process, shorter than SQLite's wait for a stopped one. */
const writeMaxMs = 1_500;

/** Worker processes over one store, and the jobs they are given. */
export function prepareRecovery(store: TestStore) {
  const seeds: string[] = [];
  let transport: Transport;
  let redis: Redis;
  let ctx: Ctx;
  let good: TestTarget;
  let broken: TestTarget;
  const workers = new Set<WorkerProcess>();

  beforeAll(async () => {
    transport = await startTransport();
    ({ redis } = transport);
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    good = startOracle(() => seeds, targetPauseMs);
    broken = startTarget(async () => {
      await Bun.sleep(targetPauseMs);
      return new Response('broken', { status: 500 });
    });
  });
  afterAll(async () => {
    await Promise.all([...workers].map((worker) => worker.end('SIGKILL')));
    await Promise.all([good.stop(), broken.stop()]);
    await transport.stop();
  });

  async function startWorker(...pools: Parameters<typeof startWorkerProcess>[0]): Promise<WorkerProcess> {
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    const worker = await startWorkerProcess(pools, stores, settings);
    workers.add(worker);
    return worker;
  }

  interface Accepted {
    readonly agents: readonly TestAgent[];
    readonly goodJobs: readonly string[];
    readonly brokenJobs: readonly string[];
  }

  /** Each agent has 3 tokens and no free run, and pays for one run that can succeed and one that cannot. */
  async function acceptJobs(agentCount: number): Promise<Accepted> {
    const agents: TestAgent[] = [];
    const goodJobs: string[] = [];
    const brokenJobs: string[] = [];
    for (let made = 0; made < agentCount; made += 1) {
      const agent = await createTestAgent(ctx, { tokens: 3, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, good.url);
      seeds.push(evalRun.suiteSeed);
      goodJobs.push(evalRun.id);
      brokenJobs.push((await redeem(ctx, agent.id, broken.url)).evalRun.id);
      agents.push(agent);
    }
    return { agents, goodJobs, brokenJobs };
  }

  async function readJobs(ids: readonly string[]) {
    const { runs } = ctx.db.tables;
    return ctx.db.query
      .select()
      .from(runs)
      .where(inArray(runs.id, [...ids]));
  }

  async function waitUntilMidway({ goodJobs }: Accepted): Promise<void> {
    await waitUntil(
      async () => (await readJobs(goodJobs)).some((job) => job.status === 'running' && job.progressDone > 2),
      midwayMaxMs,
      'a run has stored some of its cases',
    );
  }

  /**
   * A process stopped while it holds SQLite's only write lock keeps the lock; this test is about every other
   * moment.
   */
  async function stopBetweenTransactions(worker: WorkerProcess): Promise<void> {
    for (let tries = 0; tries < stopTriesMax; tries += 1) {
      worker.signal('SIGSTOP');
      const written = ctx.db.transaction(async ({ query, tables }) => {
        await query.update(tables.jobs).set({ kind: 'none' }).where(eq(tables.jobs.id, noJob));
        return true;
      });
      if (await Promise.race([written, Bun.sleep(writeMaxMs).then(() => false)])) return;
      worker.signal('SIGCONT');
      await written;
    }
    throw new Error('The worker was in a transaction each time it was stopped.');
  }

  async function expectAllSettledOnce(accepted: Accepted): Promise<void> {
    const all = [...accepted.goodJobs, ...accepted.brokenJobs];
    const open = async (): Promise<boolean> =>
      (await readJobs(all)).every((job) => job.status === 'completed' || job.status === 'failed');
    await waitUntil(open, recoveryMaxMs, 'every run has ended');

    const done = await readJobs(accepted.goodJobs);
    expect(done.map((job) => [job.status, job.chargeState, job.score])).toEqual(
      done.map(() => ['completed', 'consumed', 100]),
    );
    const failed = await readJobs(accepted.brokenJobs);
    expect(failed.map((job) => [job.status, job.chargeState, job.failureCode])).toEqual(
      failed.map(() => ['failed', 'refunded', 'target_bad_status']),
    );
    await expectBalancesRight(accepted);
    const { jobs } = ctx.db.tables;
    await waitUntil(
      async () => (await ctx.db.query.select().from(jobs)).every((row) => row.closedAt !== null),
      recoveryMaxMs,
      'every job row is closed',
    );
  }

  async function expectBalancesRight({ agents }: Accepted): Promise<void> {
    const { tokenAccounts, tokenEntries } = ctx.db.tables;
    const ids = agents.map((agent) => agent.id);
    const accounts = await ctx.db.query
      .select()
      .from(tokenAccounts)
      .where(inArray(tokenAccounts.agentId, ids));
    const entries = await ctx.db.query.select().from(tokenEntries).where(inArray(tokenEntries.agentId, ids));
    for (const account of accounts) {
      const own = entries.filter((entry) => entry.agentId === account.agentId);
      expect(own.map((entry) => entry.kind).toSorted()).toEqual(['grant', 'refund', 'spend', 'spend']);
      expect(own.reduce((sum, entry) => sum + entry.amount, 0)).toBe(account.balance);
      expect(account.balance).toBe(2);
    }
  }

  return {
    startWorker,
    acceptJobs,
    readJobs,
    waitUntilMidway,
    stopBetweenTransactions,
    expectAllSettledOnce,
    emptyRedis: () => redis.flushall(),
    /** It has ended, or is about to. */
    forget: (worker: WorkerProcess) => workers.delete(worker),
  };
}
