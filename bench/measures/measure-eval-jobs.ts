/**
 * Eval jobs per second of one runner process against a target that answers at once, beside what BullMQ delivers to a worker
 * with nothing to do at the same concurrency. In both, the queue is filled while it is paused, and the time runs from the
 * moment it is let go until the last job is done.
 */
import { Queue } from 'bullmq';
import { count, isNull, ne } from 'drizzle-orm';
import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Ctx } from '#domain/context.ts';
import { suiteCaseCount } from '#domain/eval-suite/suite-identity.ts';
import { acceptRedemptions } from '#domain/redemptions/accept-redemptions.ts';
import { openJobsPerAgentMax } from '#domain/redemptions/redemption-limits.ts';
import { createJobPublisher } from '#runtime/job-publisher.ts';
import { createLogger } from '#runtime/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis.ts';
import { redisNames } from '#runtime/redis-names.ts';
import { pools } from '#workers/pools.ts';
import {
  type BenchEnvironment,
  openContext,
  startHubProcess,
  startRedis,
  startRunner,
  startServer,
} from '../bench-environment.ts';
import { compareRounds, type Round } from '../compare-rounds.ts';
import type { Child } from '../processes/start-child.ts';
import { cpuMsOf } from '../processes/process-usage.ts';
import { seedAgents } from '../seed-agents.ts';
import { atMost, format, type Row, spread } from '../table.ts';

const { concurrency } = pools['eval-runner'];
const noOpQueue = 'bench-no-op';
const addedAtOnce = 1_000;
const pollMs = 20;
const redisReadyMs = 5_000;
/** All threads of the runner, for the forty cases of a job: making, calling, grading, storing and the scorecard. */
const cpuMsAJobMax = 300;
/** A round that takes longer has got stuck. */
const roundTimeoutMs = 120_000;

interface EvalRound extends Round {
  /** CPU time of the runner's process for one job. */
  readonly cpuMs: number;
}

export async function measureEvalJobs(env: BenchEnvironment): Promise<readonly Row[]> {
  const redis = await startRedis(env, 'eval-jobs');
  const producer = await connect(env, redis.url);
  const runEvalJobs = await prepareEvalJobs(env, redis.url, producer);
  const runNoOps = await prepareNoOps(env, redis.url, producer);
  const contest = await compareRounds(env.size.rounds, runNoOps, runEvalJobs);
  const cpuTimes = contest.subject.map(({ cpuMs }) => cpuMs);
  return [
    {
      measure: `eval jobs/s, ${concurrency} at once`,
      hub: spread(
        contest.subject.map(({ rate }) => rate),
        1,
      ),
      baseline: `${spread(contest.baseline.map(({ rate }) => rate))} no-op jobs`,
      ratio: format(contest.ratio, 4),
    },
    {
      measure: `  calls to the target/s, ${suiteCaseCount} a job`,
      hub: spread(contest.subject.map(({ rate }) => rate * suiteCaseCount)),
    },
    {
      measure: '  CPU of the runner, ms a job',
      hub: spread(cpuTimes, 1),
      aim: atMost(cpuMsAJobMax, Math.max(...cpuTimes)),
    },
  ];
}

async function connect(env: BenchEnvironment, redisUrl: string): Promise<Redis> {
  const logger = createLogger({ name: 'bench', level: 'silent' });
  const redis = connectProducer(redisUrl, logger);
  env.stack.defer(() => redis.disconnect());
  if (!(await isReadyWithin(redis, redisReadyMs))) throw new Error('The private Redis does not answer.');
  return redis;
}

/** Gives what runs one round of eval jobs through a runner process that is up already. */
async function prepareEvalJobs(
  env: BenchEnvironment,
  redisUrl: string,
  producer: Redis,
): Promise<() => Promise<EvalRound>> {
  const { store, size } = env;
  const setting = await store.createDatabase('eval-jobs');
  const publisher = createJobPublisher(producer, createLogger({ name: 'bench', level: 'silent' }));
  env.stack.defer(() => publisher.close());
  const ctx = await openContext(env, setting, publisher);
  const agents = await seedAgents(ctx, Math.ceil(size.evalJobsPerRound / openJobsPerAgentMax));
  const target = await startServer(env, 'eval-target.ts');
  const targetUrl = `http://127.0.0.1:${target.port}/answer`;
  const runner = await startRunner(env, setting, redisUrl);
  const queue = openQueue(env, queueOfKind['eval-run'], producer);
  return async () => {
    await queue.pause();
    const requests = Array.from({ length: size.evalJobsPerRound }, (_, index) => ({
      agentId: agents[index % agents.length]?.id ?? '',
      product: 'eval-run' as const,
      targetUrl,
    }));
    for (const result of await acceptRedemptions(ctx, requests)) if (result instanceof Error) throw result;
    await until(async () => (await waitingIn(queue)) >= size.evalJobsPerRound);
    return timeEvalJobs(ctx, queue, runner, size.evalJobsPerRound);
  };
}

async function timeEvalJobs(ctx: Ctx, queue: Queue, runner: Child, jobs: number): Promise<EvalRound> {
  const cpuBefore = cpuMsOf(runner.pid);
  const startedAt = performance.now();
  await queue.resume();
  await until(async () => (await countOpenJobs(ctx)) === 0);
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = cpuMsOf(runner.pid) - cpuBefore;
  const { evalJobs } = ctx.db.tables;
  const [failed] = await ctx.db.query
    .select({ jobs: count() })
    .from(evalJobs)
    .where(ne(evalJobs.status, 'completed'));
  if (failed?.jobs !== 0) throw new Error(`${failed?.jobs} eval jobs did not complete.`);
  return { rate: (jobs * 1000) / elapsedMs, cpuMs: cpuMs / jobs };
}

async function countOpenJobs({ db }: Ctx): Promise<number> {
  const [open] = await db.query
    .select({ jobs: count() })
    .from(db.tables.jobs)
    .where(isNull(db.tables.jobs.closedAt));
  return open?.jobs ?? 0;
}

async function prepareNoOps(
  env: BenchEnvironment,
  redisUrl: string,
  producer: Redis,
): Promise<() => Promise<Round>> {
  const jobs = env.size.noOpJobsPerRound;
  const command = ['bench/children/no-op-worker.ts', noOpQueue, String(concurrency)];
  const worker = await startHubProcess(env, command, { REDIS_URL: redisUrl });
  const queue = openQueue(env, noOpQueue, producer);
  let awaitedInAll = 0;
  return async () => {
    awaitedInAll += jobs;
    await queue.pause();
    for (let added = 0; added < jobs; added += addedAtOnce) {
      const some = Array.from({ length: Math.min(addedAtOnce, jobs - added) }, (_, index) => ({
        name: 'no-op',
        data: { id: `${added + index}` },
        opts: { removeOnComplete: true },
      }));
      await queue.addBulk(some);
    }
    const done = worker.ask({ awaitedInAll });
    const startedAt = performance.now();
    await queue.resume();
    await done;
    return { rate: (jobs * 1000) / (performance.now() - startedAt) };
  };
}

function openQueue(env: BenchEnvironment, name: string, connection: Redis): Queue {
  const queue = new Queue(name, { connection, prefix: redisNames.queuePrefix });
  env.stack.defer(() => queue.close());
  return queue;
}

async function waitingIn(queue: Queue): Promise<number> {
  const { waiting = 0 } = await queue.getJobCounts('waiting');
  return waiting;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + roundTimeoutMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt)
      throw new Error(`A round of eval jobs took more than ${roundTimeoutMs} ms.`);
    await Bun.sleep(pollMs);
  }
}
