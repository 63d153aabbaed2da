/**
 * Rounds of eval runs on running workers: the paused queue is filled, and the time from resuming it to the
 * end of the last job is measured.
 */
import type { Queue } from 'bullmq';
import { count, isNull, ne } from 'drizzle-orm';
import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Ctx } from '#domain/context.ts';
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { plainOrder } from '#test/harness/plain-order.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import {
  type BenchEnvironment,
  openContext,
  startPool,
  startServer,
  tokensPerAgent,
} from '../bench-environment.ts';
import type { Round } from '../compare-rounds.ts';
import { cpuMsOfAll } from '../processes/process-usage.ts';

/** As many as one agent may have at work on a public hub. */
const runsPerAgent = 5;

export interface EvalRoundsOptions {
  /** The name of its database. */
  readonly name: string;
  readonly redisUrl: string;
  readonly producer: Redis;
  readonly jobsPerRound: number;
  readonly runners: number;
  /** Concurrent jobs per runner; the pool's default if left out. */
  readonly concurrency?: number;
  /** Used in turn. */
  readonly targetUrls: readonly string[];
}

export interface EvalRound extends Round {
  /** CPU time of all runners per job. */
  readonly cpuMs: number;
}

const pollMs = 20;
const redisReadyMs = 5_000;
/** A longer round hangs. */
const roundTimeoutMs = 120_000;

export async function connect(env: BenchEnvironment, redisUrl: string): Promise<Redis> {
  const redis = connectProducer(redisUrl, silentLogger);
  env.stack.defer(() => redis.disconnect());
  if (!(await isReadyWithin(redis, redisReadyMs))) throw new Error('The private Redis does not respond.');
  return redis;
}

/** Starts a target that pauses before each response. @returns its URL */
export async function startEvalTarget(
  env: BenchEnvironment,
  pauseMs: number,
  address = '127.0.0.1',
): Promise<string> {
  const { port } = await startServer(env, 'eval-target.ts', { PAUSE_MS: String(pauseMs), ADDRESS: address });
  return `http://${address}:${port}/answer`;
}

/** Starts the runners. @returns a function that runs one round */
export async function prepareEvalRounds(
  env: BenchEnvironment,
  { name, redisUrl, producer, jobsPerRound, runners, concurrency, targetUrls }: EvalRoundsOptions,
): Promise<() => Promise<EvalRound>> {
  const setting = await env.store.createDatabase(name);
  const publisher = createJobPublisher(producer, silentLogger);
  env.stack.defer(() => publisher.close());
  const ctx = await openContext(env, setting, publisher);
  const agents = await createCrowd(ctx, Math.ceil(jobsPerRound / runsPerAgent), tokensPerAgent);
  const pids: number[] = [];
  while (pids.length < runners) {
    pids.push((await startPool(env, 'eval-runner', setting, redisUrl, concurrency)).pid);
  }
  const queue = openQueue(producer, queueOfKind.run, silentLogger);
  return async () => {
    await queue.pause();
    const requests = Array.from({ length: jobsPerRound }, (_, index) => ({
      agentId: agents[index % agents.length]?.id ?? '',
      order: plainOrder(targetUrls[index % targetUrls.length] ?? ''),
    }));
    for (const result of await acceptRedemptions(ctx, requests)) if (result instanceof Error) throw result;
    await until(async () => (await waitingIn(queue)) >= jobsPerRound);
    return timeEvalRuns(ctx, queue, pids, jobsPerRound);
  };
}

async function timeEvalRuns(
  ctx: Ctx,
  queue: Queue,
  pids: readonly number[],
  jobs: number,
): Promise<EvalRound> {
  const cpuBefore = cpuMsOfAll(pids);
  const startedAt = performance.now();
  await queue.resume();
  await until(async () => (await countOpenJobs(ctx)) === 0);
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = cpuMsOfAll(pids) - cpuBefore;
  const { runs } = ctx.db.tables;
  const [failed] = await ctx.db.query
    .select({ jobs: count() })
    .from(runs)
    .where(ne(runs.status, 'completed'));
  if (failed?.jobs !== 0) throw new Error(`${failed?.jobs} eval runs did not complete.`);
  return { rate: (jobs * 1000) / elapsedMs, cpuMs: cpuMs / jobs };
}

async function countOpenJobs({ db }: Ctx): Promise<number> {
  const [open] = await db.query
    .select({ jobs: count() })
    .from(db.tables.jobs)
    .where(isNull(db.tables.jobs.closedAt));
  return open?.jobs ?? 0;
}

async function waitingIn(queue: Queue): Promise<number> {
  const { waiting = 0 } = await queue.getJobCounts('waiting');
  return waiting;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + roundTimeoutMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt)
      throw new Error(`A round of eval runs took more than ${roundTimeoutMs} ms.`);
    await Bun.sleep(pollMs);
  }
}
