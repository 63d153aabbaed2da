/** The Redis of a hub under test: one server, a master behind Sentinels, or a Cluster. */
import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { startRedisCluster } from '#test/harness/redis-cluster.ts';
import { startRedisSentinels } from '#test/harness/redis-sentinels.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import type { ReplicatedRedis } from '#test/harness/replicated-redis.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';

export type RedisKind = 'single' | 'sentinel' | 'cluster';

export interface RedisUnderTest {
  /** What the hub connects to. */
  readonly url: string;
  /** Null unless it is a single one with masters to fail over. */
  readonly replicated: ReplicatedRedis | null;
  readonly single: SingleRedis | null;
  /** Sends a command to every master. */
  command(name: string, ...parameters: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface SingleRedis {
  readonly gate: TcpGate | null;
  kill(): Promise<void>;
  restart(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

export interface RedisOptions {
  readonly kind: RedisKind;
  /** A single one writes to disk, as under `npm start`. */
  readonly persistent?: boolean;
  /** The hub reaches a single one through a gate. */
  readonly gated?: boolean;
}

/** `CHAOS_REDIS` of the long forms of the tests. */
export function chosenRedisKind(): RedisKind {
  const kind = process.env['CHAOS_REDIS'] ?? 'single';
  if (kind === 'single' || kind === 'sentinel' || kind === 'cluster') return kind;
  throw new RangeError(`CHAOS_REDIS must be single, sentinel or cluster, but is ${kind}.`);
}

export async function startRedisUnderTest({ kind, ...options }: RedisOptions): Promise<RedisUnderTest> {
  switch (kind) {
    case 'single':
      return startSingle(options);
    case 'sentinel':
      return ofReplicated(await startRedisSentinels());
    case 'cluster':
      return ofReplicated(await startRedisCluster());
  }
}

function ofReplicated(replicated: ReplicatedRedis): RedisUnderTest {
  return {
    url: replicated.url,
    replicated,
    single: null,
    command: async (name, ...parameters) => {
      const masters = await replicated.masters();
      await Promise.all(masters.map(({ admin }) => admin.call(name, ...parameters)));
    },
    stop: () => replicated.stop(),
  };
}

async function startSingle({
  persistent = false,
  gated = false,
}: Omit<RedisOptions, 'kind'>): Promise<RedisUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-hub-redis-'));
  const startServer = () => startPrivateRedis({ dir, persistent });
  let server = await startServer();
  const { url } = server;
  let pid = await redisPidOf(url);
  const gate = gated ? await createTcpGate({ path: url }) : null;
  return {
    url: gate === null ? url : `redis://127.0.0.1:${gate.port}`,
    replicated: null,
    single: {
      gate,
      kill: async () => {
        process.kill(pid, 'SIGKILL');
        await server.stop();
      },
      restart: async () => {
        server = await startServer();
        pid = await redisPidOf(url);
      },
      signal: (signal) => void process.kill(pid, signal),
    },
    command: async (name, ...parameters) => {
      const admin = new Redis(url);
      await admin.call(name, ...parameters);
      admin.disconnect();
    },
    stop: async () => {
      gate?.shut();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
