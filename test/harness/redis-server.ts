/** Redis servers and Sentinels on loopback ports, from the same program as the hub's private Redis. */
import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { spawnTethered, type TetheredProcess } from '#runtime/process/tethered-process.ts';
import type { RedisGuard } from './guarded-redis.ts';
import { waitUntil } from './wait-until.ts';

interface RedisServerOptions {
  readonly port: number;
  /** An existing folder, which several servers may share. */
  readonly folder: string;
  /** Lines of its configuration. */
  readonly lines?: readonly string[];
  readonly isSentinel?: boolean;
  /** For the harness's own connection. */
  readonly password?: string;
  readonly guard?: RedisGuard | undefined;
}

export type RedisServer = Awaited<ReturnType<typeof startRedisServer>>;

const reconnectMs = 50;

/** Resolves when the server responds. */
export async function startRedisServer(options: RedisServerOptions) {
  const { port, password, guard } = options;
  let server = spawn(options);
  const admin = new Redis({
    host: '127.0.0.1',
    port,
    ...(password === undefined ? {} : { password }),
    ...guard?.admin,
    retryStrategy: () => reconnectMs,
    maxRetriesPerRequest: null,
  });
  // A killed server is expected.
  admin.on('error', () => undefined);
  /** Reads one field of INFO. */
  const read = async (section: string, field: string): Promise<string | undefined> =>
    new RegExp(`^${field}:(.*?)\r?$`, 'm').exec(await admin.info(section))?.[1];
  const responds = () => waitUntil(async () => (await admin.ping()) === 'PONG');
  const readPid = async (): Promise<number> => Number(await read('server', 'process_id'));
  await responds();
  let pid = await readPid();
  return {
    port,
    /** A connection that bypasses the hub's; it reconnects after a restart. */
    admin,
    read,
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await server.exited;
    },
    /** Starts it after `kill`, without data, with more lines of configuration. */
    restart: async (...more: readonly string[]) => {
      server = spawn({ ...options, lines: [...(options.lines ?? []), ...more] });
      await responds();
      pid = await readPid();
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => void process.kill(pid, signal),
    stop: async () => {
      admin.disconnect();
      await server.stop(0);
    },
  };
}

function spawn({ port, folder, lines = [], isSentinel = false, guard }: RedisServerOptions): TetheredProcess {
  const file = join(folder, `${port}.conf`);
  const common = [
    'bind 127.0.0.1',
    `dir ${folder}`,
    'save ""',
    ...(guard?.linesOf(port) ?? [`port ${port}`]),
  ];
  writeFileSync(file, `${[...common, ...lines].join('\n')}\n`);
  return spawnTethered({
    command: [findRedisServer() ?? 'redis-server', file, ...(isSentinel ? ['--sentinel'] : [])],
    stopSignal: 'SIGTERM',
  });
}
