/**
 * Compares two API processes with one, and two API and two seats processes with one of each, on one machine. Each setup
 * has its own Redis and database, and is idle while the other runs.
 */
import { join } from 'node:path';
import { createCrowd } from '#test/harness/crowd.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { DatabaseSetting } from '#db/database.ts';
import type { Ctx } from '#domain/context.ts';
import {
  type BenchEnvironment,
  openContext,
  type Server,
  startApi,
  startPool,
  startRedis,
  tokensPerAgent,
} from '../bench-environment.ts';
import { compareRounds, type Contest, type Round } from '../compare-rounds.ts';
import {
  connections,
  getRequest,
  type LoadGenerator,
  postRequest,
  prepareRequests,
  startLoadGenerator,
} from '../load/load-generator.ts';
import { eventRow } from '../seed-events.ts';
import { format, type Row, spread } from '../table.ts';

const manyEvents = 1_000;

interface Hub {
  readonly env: BenchEnvironment;
  readonly ctx: Ctx;
  readonly agents: readonly TestAgent[];
  /** Each has its own load generator. */
  readonly apis: readonly { readonly server: Server; readonly load: LoadGenerator }[];
  rounds: number;
}

export async function measureProcesses(env: BenchEnvironment): Promise<readonly Row[]> {
  const other = await startLoadGenerator(env.folder);
  env.stack.defer(() => other.stop());
  const one = await startHub(env, [env.load]);
  const two = await startHub(env, [env.load, other]);
  const { rounds } = env.size;
  return [
    row(
      'GET /v1/tokens/balance/s, two API processes',
      await compareRounds(
        rounds,
        () => readBalances(one),
        () => readBalances(two),
      ),
    ),
    row(
      `seats/s of ${format(manyEvents)} events, two API and two seats processes`,
      await compareRounds(
        rounds,
        () => reserveSeats(one),
        () => reserveSeats(two),
      ),
    ),
  ];
}

async function startHub(env: BenchEnvironment, loads: readonly LoadGenerator[]): Promise<Hub> {
  const name = `processes-${loads.length}`;
  const redis = await startRedis(env, name);
  const setting: DatabaseSetting = await env.store.createDatabase(name);
  const ctx = await openContext(env, setting, { publish: () => {}, signal: () => {} });
  const agents = await createCrowd(ctx, env.size.seatsPerRound, tokensPerAgent);
  const apis = await Promise.all(
    loads.map(async (load) => ({ load, server: await startApi(env, setting, redis.url) })),
  );
  await Promise.all(loads.map(() => startPool(env, 'seats', setting, redis.url)));
  return { env, ctx, agents, apis, rounds: 0 };
}

function readBalances(hub: Hub): Promise<Round> {
  const requests = hub.agents.map(({ bearerToken }) => getRequest('/v1/tokens/balance', bearerToken));
  return runRound(hub, requests, true);
}

/** Every agent reserves one seat; the events take turns. */
async function reserveSeats(hub: Hub): Promise<Round> {
  const { ctx, agents } = hub;
  const hostId = agents[0]?.id ?? '';
  const events = Array.from({ length: manyEvents }, () => eventRow(hostId, agents.length, new Date()));
  await ctx.db.transaction((tx) => tx.query.insert(tx.tables.events).values(events));
  const body = { idempotency_key: `round-${hub.rounds}`.padEnd(12, '-') };
  const requests = agents.map(({ bearerToken }, index) =>
    postRequest(`/v1/events/${events[index % manyEvents]?.id}/reserve`, bearerToken, body),
  );
  return runRound(hub, requests, false);
}

/** Each API process gets its share of the requests and connections. */
async function runRound(hub: Hub, requests: readonly string[], repeat: boolean): Promise<Round> {
  const { env, apis } = hub;
  hub.rounds += 1;
  const reports = await Promise.all(
    apis.map(({ load, server }, index) => {
      const own = requests.filter((_, position) => position % apis.length === index);
      const file = join(env.folder, `${env.store.dialect}-processes-${apis.length}-${index}`);
      return load.run({
        requests: prepareRequests(file, own),
        port: server.port,
        repeat,
        maxMs: env.size.roundMs,
        connections: connections / apis.length,
      });
    }),
  );
  const rates = reports.map(({ answered, elapsedMs }) => (answered * 1_000) / elapsedMs);
  return { rate: rates.reduce((sum, rate) => sum + rate, 0) };
}

function row(measure: string, { subject, baseline, ratio }: Contest<Round, Round>): Row {
  const rates = (rounds: readonly Round[]): string => spread(rounds.map(({ rate }) => rate));
  return { measure, hub: rates(subject), baseline: `${rates(baseline)} of one`, ratio: format(ratio, 2) };
}
