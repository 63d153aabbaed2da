/**
 * How long each hot path takes over a store of a million agents, threads, ledger entries and runs, beside one of a thousand:
 * what an index answers takes as long in both. Two hubs are up, and are asked in turns.
 */
import { join } from 'node:path';
import type { BenchEnvironment } from '../bench-environment.ts';
import { compareRounds, type Contest, median } from '../compare-rounds.ts';
import { type GrowthPlace, prepareGrowthPlace } from '../growth/growth-place.ts';
import { hotPaths } from '../growth/hot-paths.ts';
import type { HotPath } from '../growth/hot-writes.ts';
import { prepareRequests } from '../load/load-generator.ts';
import { atMost, format, type Row } from '../table.ts';
import { latency, type LoadRound, runLoadRound } from './load-round.ts';

/** Of the slowest of a hundred answers, over that at a thousand (issue "Measures"). */
const aim = 1.5;
const smallAgents = 1_000;
/** A handful: it is the store that is measured, not how much fits through. */
const connections = 8;

export async function measureGrowth(env: BenchEnvironment): Promise<readonly Row[]> {
  const large = await prepareGrowthPlace(env, env.size.growthAgents);
  const small = await prepareGrowthPlace(env, smallAgents);
  const rows: Row[] = [];
  for (const path of hotPaths) {
    const contest = await compareRounds(
      env.size.rounds,
      roundsOf(env, small, path),
      roundsOf(env, large, path),
    );
    rows.push(rowOf(path, contest));
  }
  const head = `of ${format(large.agents)} of all, ms p50 / p99, ${connections} connections`;
  return [{ measure: head, baseline: `of ${format(small.agents)}`, ratio: 'p99' }, ...rows];
}

function roundsOf(env: BenchEnvironment, place: GrowthPlace, path: HotPath): () => Promise<LoadRound> {
  const file = join(env.folder, `${env.store.dialect}-growth-${place.agents}`);
  let rounds = 0;
  return async () => {
    rounds += 1;
    const requests = prepareRequests(file, await path.requests(place, rounds));
    const { growthRoundMs: maxMs } = env.size;
    return runLoadRound(env.load, place.api, { requests, repeat: path.repeat, maxMs, connections });
  };
}

function rowOf({ name }: HotPath, { subject, baseline }: Contest<LoadRound, LoadRound>): Row {
  const ratio = median(subject.map(({ p99Ms }, index) => p99Ms / (baseline[index]?.p99Ms ?? Number.NaN)));
  return {
    measure: `  ${name}`,
    hub: latency(subject),
    baseline: latency(baseline),
    ratio: format(ratio, 2),
    aim: atMost(aim, ratio),
  };
}
