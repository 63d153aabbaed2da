/**
 * Reservations and cancellations from many clients while seat workers are killed, or stopped past their locks and
 * resumed, and Redis is flushed or, if `CHAOS_REDIS` names one with replicas, fails over. The seed determines the
 * actions and the disturbances but not their timing, so repeat a seed that failed a few times.
 */
import { expect } from 'bun:test';
import type { Dialect } from '#db/dialect.ts';
import { createRandom, type Random } from '#evals/random.ts';
import { startClients } from '#test/workload/clients.ts';
import type { Disturbance } from '#test/workload/disturbances/disturbance.ts';
import { killWorker, stopWorker } from '#test/workload/disturbances/processes.ts';
import { failoversOf } from '#test/workload/disturbances/failover.ts';
import { flushRedis } from '#test/workload/disturbances/redis.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { type HubUnderTest, startHubUnderTest } from '#test/workload/hub-under-test.ts';
import { chosenRedisKind } from '#test/workload/redis-under-test.ts';
import { createWitness } from '#test/workload/witness.ts';

export interface ChaosOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  /** For how long to disturb, with at least one disturbance of each kind. */
  readonly durationMs: number;
}

const clientCount = 32;
/** Sold-out events refuse most reservations, and some agents still run out of tokens. */
const population = {
  agentCount: 41,
  tokens: 8,
  subscriberCount: 0,
  eventCount: 3,
  seatsTotal: 12,
  tokenPrice: 2,
  threadCount: 0,
};
const pools = ['seats'] as const;
const workers = [pools, pools];
type Kind = 'killed' | 'stopped' | 'flushed' | 'failedOver';
/** A kind that is listed more often is drawn more often. */
const mixes: Readonly<Record<'single' | 'replicated', readonly Kind[]>> = {
  single: ['killed', 'killed', 'stopped', 'stopped', 'stopped', 'flushed', 'flushed'],
  replicated: ['killed', 'stopped', 'flushed', 'failedOver', 'failedOver', 'failedOver'],
};
/** While Redis is empty, and while a stopped worker holds the write lock of SQLite. */
const refusals = ['queue_unavailable', 'database_unavailable'];
const responseMaxMs = 30_000;
const lastResponsesMs = 40_000;
/** A worker's lock on its wake job lasts 3 seconds. */
const stoppedMs = { least: 3_500, most: 5_000 };
const atOnce = { least: 0, most: 0 };
const failoverMs = { least: 500, most: 2_000 };
const pauseMs = { least: 100, most: 900 };

/** Rejects if the hub broke a promise. @returns what happened, for the log */
export async function runChaos({ dialect, seed, durationMs }: ChaosOptions): Promise<object> {
  const redisKind = chosenRedisKind();
  const hub = await startHubUnderTest({ dialect, redisKind, population, workers });
  try {
    const witness = createWitness(responseMaxMs);
    const groups = [{ mix: 'seats', count: clientCount, replays: true } as const];
    const clients = startClients({ urls: [hub.url], groups, seed, population: hub.population, witness });
    const counts = await disturb(hub, createRandom(seed, 'disturbances'), durationMs);
    await clients.end(lastResponsesMs);
    expect(witness.unexpected(refusals)).toEqual([]);
    expect(witness.outcomes.filter(({ reply }) => reply === null)).toEqual([]);
    await expectKept(hub.store.db, witness.outcomes);
    const { outcomes, retries, acknowledged } = witness;
    return { ...counts, requests: outcomes.length, retries, acknowledged };
  } finally {
    await hub.stop();
  }
}

async function disturb(hub: HubUnderTest, random: Random, durationMs: number): Promise<Record<Kind, number>> {
  const counts = { killed: 0, stopped: 0, flushed: 0, failedOver: 0 };
  const worker = () => random.int(0, workers.length - 1);
  const draws: Readonly<Record<Kind, () => readonly [Disturbance, typeof atOnce]>> = {
    killed: () => [killWorker(worker(), pools), atOnce],
    stopped: () => [stopWorker(worker()), stoppedMs],
    flushed: () => [flushRedis, atOnce],
    failedOver: () => [random.pick(failoversOf(random)), failoverMs],
  };
  const mix = hub.redis.replicated === null ? mixes.single : mixes.replicated;
  const first = random.shuffle([...new Set(mix)]);
  const giveUpAt = performance.now() + durationMs;
  while (first.length > 0 || performance.now() < giveUpAt) {
    const kind = first.pop() ?? random.pick(mix);
    counts[kind] += 1;
    const [disturbance, lastsMs] = draws[kind]();
    const end = await disturbance.start(hub);
    await Bun.sleep(random.int(lastsMs.least, lastsMs.most));
    await end();
    await Bun.sleep(random.int(pauseMs.least, pauseMs.most));
  }
  return counts;
}
