/**
 * Reads of the caller's balance per second, by many agents in turn, compared with a route behind the same server that
 * runs one prepared select.
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
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { plainOrder } from '#test/harness/plain-order.ts';
import { getRequest, prepareRequests } from '../load/load-generator.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { rateRow, type Row } from '../table.ts';
import { costRows, runLoadRound } from './load-round.ts';

const aim = 0.8;
const agentCount = 1_000;
const path = '/v1/tokens/balance';

export async function measureBalance(env: BenchEnvironment): Promise<readonly Row[]> {
  const { store, size, load } = env;
  const redis = await startRedis(env, 'balance');
  const setting = await store.createDatabase('balance');
  const ctx = await openContext(env, setting);
  const agents = await createCrowd(ctx, agentCount, tokensPerAgent);
  // One open job each, so that the hub has held tokens to sum up.
  await acceptRedemptions(
    ctx,
    agents.map(({ id }) => ({ agentId: id, order: plainOrder('http://127.0.0.1:9/answer') })),
  );
  const requests = prepareRequests(
    join(env.folder, `${store.dialect}-balance`),
    agents.map(({ bearerToken }) => getRequest(path, bearerToken)),
  );
  const select = await startServer(env, 'prepared-select.ts', {
    DATABASE_URL: databaseUrlOf(setting),
    REDIS_URL: redis.url,
  });
  const api = await startApi(env, setting, redis.url);
  const order = { requests, repeat: true, maxMs: size.roundMs };
  const contest = await compareRounds(
    size.rounds,
    () => runLoadRound(load, select, order),
    () => runLoadRound(load, api, order),
  );
  return [rateRow(`GET ${path}/s`, contest, 'one prepared select', { aim }), ...costRows(contest)];
}
