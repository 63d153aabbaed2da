/**
 * The latency of each hot path with a million agents, threads, ledger entries and runs, compared with a thousand of
 * each. A path that uses an index takes as long in both. Two hubs run and are called alternately.
 */
import { join } from 'node:path';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import {
  type BenchEnvironment,
  openContext,
  type Server,
  startApi,
  startPool,
  startRedis,
} from '../bench-environment.ts';
import { compareRounds, median } from '../compare-rounds.ts';
import { type GrowthHub, type HotPath, hotPaths } from '../growth/hot-paths.ts';
import { seedGrowth } from '../growth/seed-growth.ts';
import { prepareRequests } from '../load/load-generator.ts';
import { atMost, format, type Row } from '../table.ts';
import { latency, type LoadRound, runLoadRound } from './load-round.ts';

/** The p99 in the large store relative to the small one. */
const aim = 1.5;
/** Few, because the store is measured and not the throughput. */
const connections = 8;
/** On a fast machine. */
const signUpsPerMsMax = 2;
const inboxKey = 'the-inbox-key-of-the-benchmark';

export type MeasuredHub = GrowthHub & { readonly api: Server; readonly requestsFile: string };

export async function measureGrowth(env: BenchEnvironment): Promise<readonly Row[]> {
  const { growthAgents, growthBaselineAgents, rounds } = env.size;
  const large = await startHub(env, 'growth', growthAgents);
  const small = await startHub(env, 'growth', growthBaselineAgents);
  const rows: Row[] = [
    {
      measure: `with ${format(growthAgents)} of each, ms p50 / p99, ${connections} connections`,
      baseline: `with ${format(growthBaselineAgents)}`,
      ratio: 'p99',
    },
  ];
  for (const path of hotPaths) {
    const { subject, baseline } = await compareRounds(
      rounds,
      roundsOf(env, small, path, connections),
      roundsOf(env, large, path, connections),
    );
    const ratio = median(subject.map(({ p99Ms }, index) => p99Ms / (baseline[index]?.p99Ms ?? Number.NaN)));
    rows.push({
      measure: `  ${path.name}`,
      hub: latency(subject),
      baseline: latency(baseline),
      ratio: format(ratio, 2),
      aim: atMost(aim, ratio),
    });
  }
  return rows;
}

/**
 * @param measure names the stores, because several measures may run one after the other
 * @param fill called for the empty store; returns settings of the API
 */
export async function startHub(
  env: BenchEnvironment,
  measure: string,
  agents: number,
  fill?: (db: OpenDatabase, setting: DatabaseSetting) => Promise<Readonly<Record<string, string>>>,
): Promise<MeasuredHub> {
  const { store, size, folder } = env;
  const name = `${measure}-${agents}`;
  const redis = await startRedis(env, name);
  const setting = await store.createDatabase(name);
  const ctx = await openContext(env, setting);
  const variables = await fill?.(ctx.db, setting);
  const startedAt = performance.now();
  const callers = await seedGrowth(ctx, setting, agents);
  const seconds = format((performance.now() - startedAt) / 1_000, 1);
  console.log(`  ${store.dialect}: ${format(agents)} agents created in ${seconds} s`);
  const api = await startApi(env, setting, redis.url, { INBOX_KEY: inboxKey, ...variables });
  await startPool(env, 'seats', setting, redis.url);
  const signUpsPerRound = size.growthRoundMs * signUpsPerMsMax;
  return {
    ctx,
    callers,
    inboxKey,
    signUpsPerRound,
    api,
    requestsFile: join(folder, `${store.dialect}-${name}`),
  };
}

export function roundsOf(
  env: BenchEnvironment,
  hub: MeasuredHub,
  path: HotPath,
  inFlight: number,
): () => Promise<LoadRound> {
  let round = 0;
  return async () => {
    round += 1;
    const requests = prepareRequests(hub.requestsFile, await path.requests(hub, round));
    const { growthRoundMs: maxMs } = env.size;
    return runLoadRound(env.load, hub.api, {
      requests,
      repeat: path.repeat,
      maxMs,
      connections: inFlight,
    });
  };
}
