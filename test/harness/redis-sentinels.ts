/** A Redis master with a replica and three Sentinels, for tests that fail them over. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { type RedisGuard, userIn } from './guarded-redis.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';
import { waitUntil } from './wait-until.ts';

const name = 'hub';
const password = 'p@ss word';
const sentinelCount = 3;
const quorum = 2;
const downAfterMs = 500;
const failoverTimeoutMs = 3_000;
const settledWithinMs = 60_000;

export type RedisWithSentinels = Awaited<ReturnType<typeof startRedisSentinels>>;

export async function startRedisSentinels(guard?: RedisGuard) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-sentinels-'));
  const [first = 0, second = 0, ...sentinelPorts] = await freePorts(2 + sentinelCount);
  const common = [
    ...(guard?.replication ?? [`requirepass "${password}"`, `masterauth "${password}"`]),
    'repl-diskless-sync-delay 0',
    'min-replicas-to-write 1',
  ];
  const replica = [...common, `replicaof 127.0.0.1 ${first}`];
  const servers = await Promise.all([
    startRedisServer({ port: first, folder, lines: common, password, guard }),
    startRedisServer({ port: second, folder, lines: replica, password, guard }),
  ]);
  const lines = [
    `sentinel monitor ${name} 127.0.0.1 ${first} ${quorum}`,
    ...(guard?.watching(name) ?? [`sentinel auth-pass ${name} "${password}"`]),
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} ${failoverTimeoutMs}`,
  ];
  const sentinels = await Promise.all(
    sentinelPorts.map((port) => startRedisServer({ port, folder, lines, isSentinel: true, guard })),
  );
  const settle = () => waitUntil(() => isSettled(servers, sentinels), settledWithinMs);
  await settle();
  const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  const redis: ReplicatedRedis = {
    url:
      guard === undefined
        ? `redis+sentinel://:${encodeURIComponent(password)}@${hosts}/${name}`
        : `rediss+sentinel://${userIn(guard)}${hosts}/${name}?${guard.sentinelAccount}`,
    servers,
    masters: async () => [await masterOf(servers, sentinels)],
    replicaOf: async (master) => servers.find((server) => server !== master) ?? master,
    switchOver: () => waitUntil(() => startsFailover(sentinels), settledWithinMs),
    demote: async (former, master) => void (await former.admin.call('REPLICAOF', '127.0.0.1', master.port)),
    settle,
    stop: async () => {
      await Promise.all([...servers, ...sentinels].map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return { ...redis, /** In the order of the address. */ sentinels };
}

/** For some seconds, a Sentinel may reject a replica that has just come back, or still be busy with a failover. */
async function startsFailover([sentinel]: readonly RedisServer[]): Promise<boolean> {
  try {
    await sentinel?.admin.call('SENTINEL', 'FAILOVER', name);
    return true;
  } catch (error) {
    if (error instanceof Error && /^(NOGOODSLAVE|INPROG)/.test(error.message)) return false;
    throw error;
  }
}

async function masterPortOf({ admin }: RedisServer): Promise<number> {
  const reply = await admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
  return Array.isArray(reply) ? Number(reply[1]) : 0;
}

async function masterOf(
  servers: readonly RedisServer[],
  [sentinel]: readonly RedisServer[],
): Promise<RedisServer> {
  const port = sentinel === undefined ? 0 : await masterPortOf(sentinel);
  const master = servers.find((server) => server.port === port);
  if (master === undefined) throw new Error('The Sentinels know no master.');
  return master;
}

async function isSettled(
  servers: readonly RedisServer[],
  sentinels: readonly RedisServer[],
): Promise<boolean> {
  const ports = new Set(await Promise.all(sentinels.map(masterPortOf)));
  const master = servers.find(({ port }) => ports.size === 1 && ports.has(port));
  if (master === undefined) return false;
  if (!/state=online/.test((await master.read('replication', 'slave0')) ?? '')) return false;
  const known = await Promise.all(
    sentinels.map(async ({ admin }) => {
      const replicas = await admin.call('SENTINEL', 'REPLICAS', name);
      const others = await admin.call('SENTINEL', 'SENTINELS', name);
      return [replicas, others].map((list) => (Array.isArray(list) ? list.length : 0)).join();
    }),
  );
  return known.every((counts) => counts === `1,${sentinelCount - 1}`);
}
