/**
 * Worker processes come, go, stall and die, and Redis is emptied, while eval runs run: within 60 seconds every accepted run
 * has completed or failed, is charged or refunded once, every balance equals its entries, and no case is sent to its target
 * more often than the run was claimed.
 */
import { expect, test } from 'bun:test';
import { eq, inArray } from 'drizzle-orm';
import type { Dialect } from '#db/dialect.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { systemClock } from '#runtime/clock.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, redeem } from '#test/harness/eval-runs.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startOracle, startTarget } from '#test/harness/target.ts';
import { startTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

/** Six times what a quiet machine needs. */
const recoveryMaxMs = 60_000;
/** About 70 cases, 4 at a time: a run takes about a second, so processes start and end during runs. */
const targetPauseMs = 50;
/** The targets answer in this process, which is busy with the tasks of many runs. */
const settings = { EVAL_CALL_TIMEOUT_MS: '30000' };
const turnsMax = 10;
const stopTriesMax = 10;
const noJob = createId(new Date());
/** Longer than any wait for a lock of a running process. */
const writeMaxMs = 1_500;

// They mostly wait for processes to start and for leases to end.
test.concurrent.each<readonly [string, Dialect, (hub: Hub) => Promise<void>]>([
  [
    'a runner is killed and another continues its runs; then Redis is emptied, with jobs waiting',
    'sqlite',
    async (hub) => {
      await hub.start('sweeper');
      const first = await hub.start('eval-runner');
      await hub.acceptUntilMidway(2);
      await first.end('SIGKILL');
      await hub.start('eval-runner');
      await hub.allEnded();
      await hub.acceptUntilMidway(4);
      await hub.emptyRedis();
    },
  ],
  [
    'a runner is stopped past its lease and continued: its runs were taken over, and it changes nothing',
    'postgres',
    async (hub) => {
      await hub.start('sweeper');
      const stalled = await hub.start('eval-runner');
      await hub.acceptUntilMidway(3);
      await hub.stopBetweenTransactions(stalled);
      await hub.start('eval-runner');
      await hub.allEnded();
      stalled.signal('SIGCONT');
      await Bun.sleep(500);
    },
  ],
  [
    'processes that are added, stopped and killed under load lose and duplicate nothing',
    'postgres',
    async (hub) => {
      const first = await hub.start('eval-runner');
      await hub.acceptUntilMidway(3);
      const [second] = await Promise.all([hub.start('eval-runner'), hub.start('eval-runner')]);
      await hub.acceptUntilMidway(3);
      expect(await first.end('SIGTERM')).toBe(0);
      await hub.acceptUntilMidway(3);
      await second.end('SIGKILL');
      await hub.start('eval-runner');
    },
  ],
])(
  '%s (%s)',
  async (_, dialect, disturb) => {
    const hub = await startHub(dialect);
    try {
      await disturb(hub);
      await hub.allEnded();
      await hub.expectSettledOnce();
    } finally {
      await hub.stop();
    }
  },
  4 * recoveryMaxMs,
);

type Hub = Awaited<ReturnType<typeof startHub>>;

/** Worker processes over one store, and the runs they are given. */
async function startHub(dialect: Dialect) {
  const store = await openScratchStore(dialect);
  const { redis, redisUrl, publisher, stop: stopTransport } = await startTransport();
  const ctx = { ...createTestCtx(store.db), clock: systemClock, publisher };
  const { runs, runItems, jobs, tokenEntries } = ctx.db.tables;
  const seeds: string[] = [];
  const good = startOracle(() => seeds, targetPauseMs);
  const broken = startTarget(async () => {
    await Bun.sleep(targetPauseMs);
    return new Response('broken', { status: 500 });
  });
  const workers: WorkerProcess[] = [];
  const accepted: string[] = [];

  async function start(pool: 'sweeper' | 'eval-runner'): Promise<WorkerProcess> {
    const stores = { database: store.setting, redisUrl };
    const worker = await startWorkerProcess([pool], stores, settings);
    workers.push(worker);
    return worker;
  }

  /** Each agent pays for one run that can succeed and one that cannot. */
  async function accept(agentCount: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let made = 0; made < agentCount; made += 1) {
      const agent = await createTestAgent(ctx, { tokens: 3, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, good.url);
      seeds.push(evalRun.suiteSeed);
      ids.push(evalRun.id, (await redeem(ctx, agent.id, broken.url)).evalRun.id);
    }
    accepted.push(...ids);
    return ids;
  }

  async function readRuns(ids: readonly string[]) {
    return ctx.db.query
      .select()
      .from(runs)
      .where(inArray(runs.id, [...ids]));
  }

  /** Accepts runs until some of the latest have stored cases but have not ended, which a busy machine may miss. */
  async function acceptUntilMidway(agentCount: number): Promise<void> {
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const latest = await accept(agentCount);
      let isMidway = false;
      await waitUntil(async () => {
        const found = await readRuns(latest);
        isMidway = found.some(({ status, progressDone }) => status === 'running' && progressDone > 2);
        return isMidway || found.every(({ finishedAt }) => finishedAt !== null);
      }, recoveryMaxMs);
      if (isMidway) return;
    }
    throw new Error(`Runs were never seen midway in ${turnsMax} turns.`);
  }

  /** A process that is stopped in a transaction keeps its locks; the test is about every other moment. */
  async function stopBetweenTransactions(worker: WorkerProcess): Promise<void> {
    for (let tries = 0; tries < stopTriesMax; tries += 1) {
      worker.signal('SIGSTOP');
      const written = ctx.db.transaction(async ({ query }) => {
        await query.update(jobs).set({ kind: 'none' }).where(eq(jobs.id, noJob));
        return true;
      });
      if (await Promise.race([written, Bun.sleep(writeMaxMs).then(() => false)])) return;
      worker.signal('SIGCONT');
      await written;
    }
    throw new Error('The worker was in a transaction each time it was stopped.');
  }

  async function allEnded(): Promise<void> {
    const isOver = async () => (await readRuns(accepted)).every(({ finishedAt }) => finishedAt !== null);
    await waitUntil(isOver, recoveryMaxMs, 'every run has ended');
  }

  async function expectSettledOnce(): Promise<void> {
    const ended = await readRuns(accepted);
    const outcomes = ended.map(({ targetUrl, status, chargeState, score, failureCode }) => {
      return [targetUrl === good.url, status, chargeState, score, failureCode];
    });
    expect(outcomes).toEqual(
      ended.map(({ targetUrl }) =>
        targetUrl === good.url
          ? [true, 'completed', 'consumed', 100, null]
          : [false, 'failed', 'refunded', null, 'target_bad_status'],
      ),
    );
    const entries = Map.groupBy(await ctx.db.query.select().from(tokenEntries), ({ reference }) => reference);
    for (const { redemptionId, status } of ended) {
      expect(entries.get(redemptionId)?.map(({ kind }) => kind)).toEqual(
        status === 'failed' ? ['spend', 'refund'] : ['spend'],
      );
    }
    await expectNoCaseTooOften();
    const isClosed = async () =>
      (await ctx.db.query.select().from(jobs)).every(({ closedAt }) => closedAt !== null);
    await waitUntil(isClosed, recoveryMaxMs, 'every job row is closed');
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  }

  /** A working target responds to each call, so only a later claim calls a case again. */
  async function expectNoCaseTooOften(): Promise<void> {
    const calls = new Map<string, number>();
    for (const { idempotencyKey } of good.calls)
      calls.set(idempotencyKey ?? '', (calls.get(idempotencyKey ?? '') ?? 0) + 1);
    for (const { id, attempt, status } of await readRuns(accepted)) {
      if (status !== 'completed') continue;
      const items = await ctx.db.query.select().from(runItems).where(eq(runItems.runId, id));
      const landed = items.map(({ itemIndex }) => itemIndex).toSorted((one, other) => one - other);
      expect(landed).toEqual(Array.from({ length: plainRunSize }, (_, index) => index));
      for (const index of landed) expect(calls.get(`${id}-${index}`)).toBeWithin(1, attempt + 1);
    }
  }

  return {
    start,
    acceptUntilMidway,
    stopBetweenTransactions,
    allEnded,
    expectSettledOnce,
    emptyRedis: () => redis.flushall(),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
      await Promise.all([good.stop(), broken.stop()]);
      await stopTransport();
      await store.remove();
    },
  };
}
