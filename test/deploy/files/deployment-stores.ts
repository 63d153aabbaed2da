/** The Postgres and the Redis of a deployment under test, on ports of loopback, which relays pass on to its network. */
import { SQL } from 'bun';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '#test/harness/free-ports.ts';
import { startCluster } from '#test/harness/postgres-cluster.ts';
import { startRedisServer } from '#test/harness/redis-server.ts';

export interface DeploymentStores {
  readonly postgresPort: number;
  readonly redisPort: number;
  stop(): Promise<void>;
}

/** Both passwords are words of generated letters. Without one, Redis asks for none. */
export interface Passwords {
  readonly postgres: string;
  readonly redis?: string;
}

const stopTimeoutMs = 5_000;

/** Postgres has the role and the empty database `hub`, as the guide says to create it. */
export async function startDeploymentStores({ postgres, redis }: Passwords): Promise<DeploymentStores> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-stores-'));
  const [redisPort = 0] = await freePorts(1);
  const [cluster, server] = await Promise.all([
    startCluster(join(folder, 'cluster')),
    startRedisServer({
      port: redisPort,
      folder,
      lines: ['appendonly yes', 'maxmemory-policy noeviction', ...(redis ? [`requirepass ${redis}`] : [])],
      ...(redis ? { password: redis } : {}),
    }),
  ]);
  await using sql = new SQL({ url: cluster.url, max: 1 });
  await sql.unsafe(`CREATE ROLE hub LOGIN PASSWORD '${postgres}'`);
  await sql.unsafe(
    `CREATE DATABASE hub OWNER hub TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  return {
    postgresPort: Number(new URL(cluster.url).port),
    redisPort,
    stop: async () => {
      await Promise.all([cluster.stop(stopTimeoutMs), server.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
