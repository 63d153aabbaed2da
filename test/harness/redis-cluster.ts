/** A Redis Cluster of several masters, each with one replica, for tests that fail them over. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { type RedisGuard, userIn } from './guarded-redis.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';
import { waitUntil } from './wait-until.ts';

const masterCount = 3;
const slotCount = 16_384;
const nodeTimeoutMs = 1_000;
/** An election takes a second or two; the rest is for a busy machine. */
const settledWithinMs = 60_000;

export async function startRedisCluster(guard?: RedisGuard): Promise<ReplicatedRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-cluster-'));
  const ports = await freePorts(4 * masterCount);
  const pairs = Array.from(
    { length: 2 * masterCount },
    (_, index) => [ports[2 * index]!, ports[2 * index + 1]!] as const,
  );
  const servers = await Promise.all(
    pairs.map(([port, busPort]) =>
      startRedisServer({
        port,
        folder,
        guard,
        lines: [
          ...(guard === undefined ? [] : ['tls-cluster yes', ...guard.replication]),
          'cluster-enabled yes',
          `cluster-config-file nodes-${port}.conf`,
          `cluster-port ${busPort}`,
          `cluster-node-timeout ${nodeTimeoutMs}`,
          'repl-diskless-sync-delay 0',
        ],
      }),
    ),
  );
  const masters = () => mastersOf(servers);
  const settle = () => waitUntil(() => isSettled(servers), settledWithinMs);
  await formCluster(servers, pairs);
  await settle();
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis${guard === undefined ? '' : 's'}+cluster://${userIn(guard)}${hosts.join(',')}`,
    servers,
    masters,
    replicaOf: async (master) => {
      const ports = await Promise.all(servers.map((server) => server.read('replication', 'master_port')));
      const replica = servers.find((_, index) => ports[index] === String(master.port));
      if (replica === undefined) throw new Error(`The master on port ${master.port} has no replica.`);
      return replica;
    },
    switchOver: async ({ admin }) => void (await admin.call('CLUSTER', 'FAILOVER')),
    // It learns of the election from the others.
    demote: () => Promise.resolve(),
    settle,
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Ports = readonly [port: number, busPort: number];

/** The first servers become masters of equal shares of the slots, the others their replicas. */
async function formCluster(servers: readonly RedisServer[], ports: readonly Ports[]): Promise<void> {
  const [first] = servers;
  for (const [port, busPort] of ports.slice(1))
    await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  const masters = servers.slice(0, masterCount);
  for (const [index, { admin }] of masters.entries()) {
    const startOf = (share: number): number => Math.floor((share * slotCount) / masterCount);
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1).catch(() => undefined);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', startOf(index), startOf(index + 1) - 1);
  }
  for (const server of servers)
    await waitUntil(async () => (await readState(server, 'cluster_known_nodes')) === String(servers.length));
  for (const [index, { admin }] of servers.slice(masterCount).entries()) {
    const id = String(await masters[index]?.admin.call('CLUSTER', 'MYID'));
    await admin.call('CLUSTER', 'REPLICATE', id);
  }
}

async function readState({ admin }: RedisServer, field: string): Promise<string | undefined> {
  return new RegExp(`^${field}:(.*?)\r?$`, 'm').exec(String(await admin.call('CLUSTER', 'INFO')))?.[1];
}

async function mastersOf(servers: readonly RedisServer[]): Promise<readonly RedisServer[]> {
  const roles = await Promise.all(servers.map((server) => server.read('replication', 'role')));
  return servers.filter((_, index) => roles[index] === 'master');
}

async function isSettled(servers: readonly RedisServer[]): Promise<boolean> {
  const states = await Promise.all(servers.map((server) => readState(server, 'cluster_state')));
  if (states.some((state) => state !== 'ok')) return false;
  const masters = await mastersOf(servers);
  const replicas = await Promise.all(masters.map((server) => server.read('replication', 'slave0')));
  return masters.length === masterCount && replicas.every((replica) => /state=online/.test(replica ?? ''));
}
