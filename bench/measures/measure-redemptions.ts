/**
 * Accepted redemptions per second, all paid, by many agents and without workers, compared with a server that
 * durably inserts one row per request.
 */
import { join } from 'node:path';
import { createCrowd } from '#test/harness/crowd.ts';
import {
  type BenchEnvironment,
  openContext,
  startApi,
  startRedis,
  tokensPerAgent,
  startServer,
} from '../bench-environment.ts';
import { compareRounds } from '../compare-rounds.ts';
import { postRequest, type PreparedRequests, prepareRequests } from '../load/load-generator.ts';
import { createBareTable } from '../stores/bare-table.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { rateRow, type Row } from '../table.ts';
import { costRows, runLoadRound } from './load-round.ts';

/** As many as one agent may have at work on a public hub. */
const runsPerAgent = 5;

const aim = 0.6;
/** Never called, because no worker runs the jobs. */
const body = { product: 'eval-run', target_url: 'http://127.0.0.1:9/answer' };

export async function measureRedemptions(env: BenchEnvironment): Promise<readonly Row[]> {
  const { store, size, load } = env;
  const redis = await startRedis(env, 'redemptions');
  const setting = await store.createDatabase('redemptions');
  const rounds = await prepareRounds(env, setting);
  const bareSetting = await store.createDatabase('bare-insert');
  await createBareTable(bareSetting);
  const bare = await startServer(env, 'bare-insert.ts', { DATABASE_URL: databaseUrlOf(bareSetting) });
  const api = await startApi(env, setting, redis.url);
  const [any] = rounds;
  if (any === undefined) throw new Error('No round was prepared.');

  const contest = await compareRounds(
    size.rounds,
    () => runLoadRound(load, bare, { requests: any, repeat: true, maxMs: size.roundMs }),
    () => {
      const requests = rounds.shift();
      if (requests === undefined) throw new Error('Too few rounds were prepared.');
      return runLoadRound(load, api, { requests, repeat: false, maxMs: size.roundMs });
    },
  );
  return [rateRow('accepted redemptions/s', contest, 'bare inserts', { aim }), ...costRows(contest)];
}

/** Each round has its own agents, which redeem in turn up to their limit of open jobs. */
async function prepareRounds(
  env: BenchEnvironment,
  setting: Parameters<typeof openContext>[1],
): Promise<PreparedRequests[]> {
  const { size, folder, store } = env;
  const ctx = await openContext(env, setting);
  const agentsPerRound = Math.ceil(size.redemptionsPerRound / runsPerAgent);
  const rounds: PreparedRequests[] = [];
  for (let round = 0; round <= size.rounds; round += 1) {
    const agents = await createCrowd(ctx, agentsPerRound, tokensPerAgent);
    const once = agents.map(({ bearerToken }) => postRequest('/v1/redemptions', bearerToken, body));
    const all = Array.from({ length: runsPerAgent }, () => once).flat();
    rounds.push(prepareRequests(join(folder, `${store.dialect}-redemptions-${round}`), all));
  }
  return rounds;
}
