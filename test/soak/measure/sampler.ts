/** Samples a hub from outside: its processes under /proc, their metrics, Redis and the store. */
import type { SQL } from 'bun';
import { Redis } from 'ioredis';
import { readdirSync, statSync } from 'node:fs';
import type { DatabaseSetting } from '#db/database.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { parseMetrics, type Sample, sumOf } from '#test/harness/metrics.ts';
import { memoryOf } from '../../../bench/processes/process-usage.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import type { Witness } from '#test/workload/witness.ts';

export interface WatchedProcess {
  readonly name: string;
  readonly pid: number;
  /** Null for a process that is not the hub's. */
  readonly metricsUrl: string | null;
}

export type Sampler = ReturnType<typeof createSampler>;

/** Written to the file of a soak as one line of JSON. */
export interface SoakSample extends Awaited<ReturnType<Sampler['take']>> {
  /** Since the start of the load. */
  readonly atMs: number;
  readonly responses: ReturnType<Witness['takeWindow']>;
  /** The 1-minute load average of the machine. */
  readonly machineLoad: number;
}

const bytesPerMb = 1024 * 1024;
const metricsTimeoutMs = 20_000;
/** Processes update their metrics twice a second. */
const metricsRefreshMs = 1_500;
const scannedAtOnce = 500;

/** @param processes the first is an API process, which reports the queues */
export function createSampler(
  processes: readonly WatchedProcess[],
  redisUrl: string,
  setting: DatabaseSetting,
) {
  const redis = new Redis(redisUrl);
  const postgres = setting.kind === 'postgres' ? connectDirectly(setting.url) : null;
  return {
    /** @throws if a process of the hub has exited or does not respond */
    take: async () => {
      const metrics = await Promise.all(processes.map(({ metricsUrl }) => readMetrics(metricsUrl)));
      const apiMetrics = metrics[0]!;
      return {
        processes: Object.fromEntries(
          processes.map(({ name, pid }, index) => [name, sampleProcess(pid, metrics[index]!)]),
        ),
        queues: sampleQueues(apiMetrics),
        /** Actors with commands in their mailbox. */
        mailboxes: sumOf(apiMetrics, 'hub_actor_mailboxes'),
        redis: await sampleRedis(redis),
        store: postgres === null ? sampleFile(setting) : await samplePostgres(postgres),
      };
    },
    /** Makes the hub's processes collect garbage, and waits until their metrics show it. */
    collect: async () => {
      for (const { pid, metricsUrl } of processes) if (metricsUrl !== null) process.kill(pid, 'SIGUSR2');
      await Bun.sleep(metricsRefreshMs);
    },
    close: async () => {
      redis.disconnect();
      await postgres?.close();
    },
  };
}

async function readMetrics(url: string | null): Promise<Sample[]> {
  if (url === null) return [];
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${everythingConfigured.operatorKey}` },
    signal: AbortSignal.timeout(metricsTimeoutMs),
  });
  if (!response.ok) throw new Error(`GET ${url} got status ${response.status}.`);
  return parseMetrics(await response.text());
}

function sampleProcess(pid: number, metrics: readonly Sample[]) {
  const heapBytes = metrics.find(({ name }) => name === 'process_heap_bytes')?.value;
  return {
    ...memoryOf([pid]),
    /** Null for a process that is not the hub's. */
    heapMb: heapBytes === undefined ? null : heapBytes / bytesPerMb,
    /** Open file descriptors, including sockets. */
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function sampleQueues(metrics: readonly Sample[]) {
  const names = new Set(
    metrics.flatMap(({ name, labels }) => (name === 'hub_queue_jobs' ? labels['queue']! : [])),
  );
  return Object.fromEntries(
    [...names].map((queue) => {
      const jobs = (state: string): number => sumOf(metrics, 'hub_queue_jobs', { queue, state });
      const sample = {
        waiting: jobs('waiting'),
        active: jobs('active'),
        delayed: jobs('delayed'),
        failed: jobs('failed'),
        /** Rows of the jobs table; 0 for the queue whose jobs are not in it. */
        open: sumOf(metrics, 'hub_jobs_open', { queue }),
      };
      return [queue, sample];
    }),
  );
}

async function sampleRedis(redis: Redis) {
  const [memory, clients] = await Promise.all([redis.info('memory'), redis.info('clients')]);
  const keys = await listKeys(redis);
  const logs = keys.filter((key) => /^hub:queue:.*:events$/.test(key));
  // Null for a key that has expired.
  const logBytes = await Promise.all(logs.map((key) => redis.memory('USAGE', key, 'SAMPLES', 20)));
  const keysByKind: Record<string, number> = {};
  for (const key of keys) keysByKind[kindOfKey(key)] = (keysByKind[kindOfKey(key)] ?? 0) + 1;
  return {
    memoryMb: Number(/used_memory:(\d+)/.exec(memory)?.[1]) / bytesPerMb,
    /** BullMQ's event logs, each trimmed to about ten thousand entries. */
    eventLogsMb: logBytes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) / bytesPerMb,
    keys: keys.length,
    /** By key name without the ids of agents, jobs and processes. */
    keysByKind,
    connections: Number(/connected_clients:(\d+)/.exec(clients)?.[1]),
  };
}

async function listKeys(redis: Redis): Promise<string[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, some] = await redis.scan(cursor, 'COUNT', scannedAtOnce);
    cursor = next;
    for (const key of some) keys.add(key);
  } while (cursor !== '0');
  return [...keys];
}

/** `hub:queue:{mail}:mail:0190…` becomes `hub:queue:{mail}:mail:*`: parts with a digit are ids. */
function kindOfKey(key: string): string {
  return key
    .split(':')
    .map((part) => (/\d/.test(part) ? '*' : part))
    .join(':');
}

function sampleFile(setting: DatabaseSetting) {
  if (setting.kind !== 'sqlite') throw new Error('Only SQLite is a file.');
  const sizeOf = (file: string): number =>
    (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / bytesPerMb;
  // The log is the write-ahead log. Only Postgres has connections.
  return { sizeMb: sizeOf(setting.file), logMb: sizeOf(`${setting.file}-wal`), connections: 0 };
}

async function samplePostgres(postgres: SQL) {
  const [row]: { bytes: number; connections: number }[] = await postgres`
    SELECT pg_database_size(current_database())::float8 AS bytes,
      (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS connections`;
  return { sizeMb: row!.bytes / bytesPerMb, logMb: 0, connections: row!.connections };
}
