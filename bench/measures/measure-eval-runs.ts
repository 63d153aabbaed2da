/**
 * Eval runs per second of one runner process with a target that responds at once, compared with BullMQ jobs
 * that do nothing, at the same concurrency.
 */
import { plainOrder } from '#test/harness/plain-order.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { pools } from '#workers/pool-registry.ts';
import { type BenchEnvironment, startChildOf, startRedis } from '../bench-environment.ts';
import { compareRounds, type Round } from '../compare-rounds.ts';
import { atMost, format, type Row, spread } from '../table.ts';
import { connect, prepareEvalRounds, startEvalTarget } from './eval-rounds.ts';

const { concurrency } = pools['eval-runner'];
const { runSize: casesPerRun } = plainOrder(null);
const noOpQueue = 'bench-no-op';
const addedAtOnce = 1_000;
/** All threads of the runner, for the cases of a job: generating, calling, grading, storing and the scorecard. */
const cpuMsAJobMax = 300;

export async function measureEvalRuns(env: BenchEnvironment): Promise<readonly Row[]> {
  const redis = await startRedis(env, 'eval-runs');
  const producer = await connect(env, redis.url);
  const runEvals = await prepareEvalRounds(env, {
    name: 'eval-runs',
    redisUrl: redis.url,
    producer,
    jobsPerRound: env.size.evalRunsPerRound,
    runners: 1,
    targetUrls: [await startEvalTarget(env, 0)],
  });
  const runNoOps = await prepareNoOps(env, redis.url, producer);
  const contest = await compareRounds(env.size.rounds, runNoOps, runEvals);
  const cpuTimes = contest.subject.map(({ cpuMs }) => cpuMs);
  return [
    {
      measure: `eval runs/s, ${concurrency} at once, ${casesPerRun} calls each`,
      hub: spread(
        contest.subject.map(({ rate }) => rate),
        1,
      ),
      baseline: `${spread(contest.baseline.map(({ rate }) => rate))} no-op jobs`,
      ratio: format(contest.ratio, 4),
    },
    {
      measure: '  CPU of the runner, ms a job',
      hub: spread(cpuTimes, 1),
      aim: atMost(cpuMsAJobMax, Math.max(...cpuTimes)),
    },
  ];
}

async function prepareNoOps(
  env: BenchEnvironment,
  redisUrl: string,
  producer: Redis,
): Promise<() => Promise<Round>> {
  const jobs = env.size.noOpJobsPerRound;
  const command = [process.execPath, 'bench/children/no-op-worker.ts', noOpQueue, String(concurrency)];
  const worker = await startChildOf(env, command, { REDIS_URL: redisUrl });
  const queue = openQueue(producer, noOpQueue, silentLogger);
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
