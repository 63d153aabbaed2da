/** The store and size of a measure, and helpers that start the hub's processes as in production. */
import { join } from 'node:path';

import { type HubProgram, programWords } from '#cli/supervisor/program-words.ts';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Ctx } from '#domain/context.ts';
import type { JobPublisher } from '#domain/jobs/job-kinds.ts';
import { systemClock } from '#runtime/clock.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { type PrivateRedis, startPrivateRedis } from '#runtime/redis/private-redis.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { testRules } from '#test/harness/rules.ts';
import type { LoadGenerator } from './load/load-generator.ts';
import { type Child, startChild } from './processes/start-child.ts';
import type { BenchSize } from './sizes.ts';
import { type BenchStore, databaseUrlOf } from './stores/bench-stores.ts';

export type Server = Child & { readonly port: number };

export interface BenchEnvironment {
  readonly store: BenchStore;
  readonly size: BenchSize;
  readonly load: LoadGenerator;
  /** Temporary, deleted with its contents. */
  readonly folder: string;
  /** A compiled hub to start; null to start the sources. */
  readonly hub: string | null;
  /** Stops everything a measure has started, in reverse order, even if it fails. */
  readonly stack: AsyncDisposableStack;
}

const host = '127.0.0.1';
export const benchOperatorKey = 'the-operator-key-of-the-benchmark';
/** More than any measure spends. */
export const tokensPerAgent = 1_000;

/** On loopback, rate limits are off and loopback targets are allowed by default. */
function hubEnvironment(env: BenchEnvironment, setting: DatabaseSetting, redisUrl: string) {
  return {
    HOST: host,
    DATA_DIR: env.folder,
    DATABASE_URL: databaseUrlOf(setting),
    REDIS_URL: redisUrl,
    OPERATOR_KEY: benchOperatorKey,
  };
}

/** A separate, append-only Redis, as the hub runs it. */
export async function startRedis(env: BenchEnvironment, name: string): Promise<PrivateRedis> {
  const redis = await startPrivateRedis({ dir: join(env.folder, `${env.store.dialect}-${name}-redis`) });
  env.stack.defer(() => redis.stop());
  return redis;
}

export async function startApi(
  env: BenchEnvironment,
  setting: DatabaseSetting,
  redisUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await settlePort(host, 0);
  const api = await startChildOf(env, hubCommand(env, 'api'), {
    ...hubEnvironment(env, setting, redisUrl),
    ...variables,
    PORT: String(port),
  });
  return { ...api, port };
}

/** Starts a worker process that runs one pool. */
export function startPool(
  env: BenchEnvironment,
  pool: PoolName,
  setting: DatabaseSetting,
  redisUrl: string,
  concurrency?: number,
): Promise<Child> {
  const words = concurrency === undefined ? [] : ['--concurrency', String(concurrency)];
  const command = hubCommand(env, 'worker', '--pool', pool, ...words);
  return startChildOf(env, command, hubEnvironment(env, setting, redisUrl));
}

/** Starts a server of the benchmark. */
export async function startServer(
  env: BenchEnvironment,
  file: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const server = await startChildOf(env, [process.execPath, `bench/children/${file}`], variables);
  return { ...server, port: Number(server.ready['port']) };
}

/** The command of a program of the hub, from the sources or the compiled hub. */
function hubCommand({ hub }: BenchEnvironment, program: HubProgram, ...words: readonly string[]) {
  return hub === null ? [process.execPath, ...programWords(program, words)] : [hub, program, ...words];
}

export async function startChildOf(
  env: BenchEnvironment,
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Child> {
  const name = `${env.store.dialect}-${command
    .slice(1)
    .join('-')
    .replaceAll(/[^a-z-]+/g, '-')}`;
  const child = await startChild({ command, env: variables, logFile: join(env.folder, `${name}.log`) });
  env.stack.defer(() => child.stop());
  return child;
}

/** Opens the store in this process too, to insert rows and check results. */
export async function openContext(
  env: BenchEnvironment,
  setting: DatabaseSetting,
  publisher: JobPublisher = { publish: () => {}, signal: () => {} },
): Promise<Ctx & { readonly db: OpenDatabase }> {
  const db = await openDatabase(setting);
  env.stack.defer(() => db.close());
  const rules = testRules({
    baseUrl: `http://${host}`,
    targetAddresses: createAddressPolicy(['loopback']),
  });
  return { db, clock: systemClock, rules, publisher };
}
