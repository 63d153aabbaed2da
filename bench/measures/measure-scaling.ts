/**
 * Eval runs per second of two runner processes compared with one, when jobs mostly wait for their target.
 * Both setups have their own Redis and database, and one is idle while the other runs.
 */
import { type BenchEnvironment, startRedis } from '../bench-environment.ts';
import { compareRounds } from '../compare-rounds.ts';
import { rateRow, type Row, spread } from '../table.ts';
import { connect, type EvalRound, prepareEvalRounds, startEvalTarget } from './eval-rounds.ts';

const timesMin = 1.7;
/** In each process. Few, so that only more processes increase the throughput. */
const jobsAtOnce = 2;
/** Enough that no job waits for a place: an address takes eight calls at once, and a job makes four. */
const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

export async function measureScaling(env: BenchEnvironment): Promise<readonly Row[]> {
  const { scalingPauseMs } = env.size;
  const targetUrls = await Promise.all(addresses.map((at) => startEvalTarget(env, scalingPauseMs, at)));
  const runWithOne = await prepare(env, targetUrls, 1);
  const runWithTwo = await prepare(env, targetUrls, 2);
  const contest = await compareRounds(env.size.scalingRounds, runWithOne, runWithTwo);
  const name = `eval runs/s of two processes, ${jobsAtOnce} at once in each, targets take ${scalingPauseMs} ms`;
  return [
    rateRow(name, contest, 'of one', { aim: timesMin, digits: 2 }),
    {
      measure: '  CPU of the runners, ms a job',
      hub: spread(contest.subject.map(({ cpuMs }) => cpuMs)),
      baseline: `${spread(contest.baseline.map(({ cpuMs }) => cpuMs))} of one`,
    },
  ];
}

async function prepare(
  env: BenchEnvironment,
  targetUrls: readonly string[],
  runners: number,
): Promise<() => Promise<EvalRound>> {
  const name = `scaling-${runners}`;
  const redis = await startRedis(env, name);
  return prepareEvalRounds(env, {
    name,
    redisUrl: redis.url,
    producer: await connect(env, redis.url),
    jobsPerRound: env.size.scalingJobsPerRound,
    runners,
    concurrency: jobsAtOnce,
    targetUrls,
  });
}
