/** A populated hub of real API and worker processes, with handles on everything that a test may disturb. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { openDatabase } from '#db/open-database.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import type { Preload } from '#test/harness/hub-process.ts';
import { type MortalCluster, startMortalCluster } from '#test/harness/postgres-cluster.ts';
import { type PostgresPair, startPostgresPair } from '#test/harness/postgres-pair.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { type PopulationSize, populate } from './population.ts';
import { type RedisKind, startRedisUnderTest } from './redis-under-test.ts';

export interface HubUnderTestOptions {
  readonly dialect: Dialect;
  readonly population: PopulationSize;
  /** One worker process per entry. */
  readonly workers: readonly (readonly PoolName[])[];
  /** Postgres has a synchronous standby. */
  readonly standby?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Loaded into every process of the hub. */
  readonly preload?: Preload;
  /** The hub reaches Redis, and a Postgres of its own, through gates. */
  readonly gates?: boolean;
  readonly redisKind?: RedisKind;
  /** Redis writes to disk, as under `npm start`. */
  readonly persistentRedis?: boolean;
  readonly settableClocks?: boolean;
}

export type HubUnderTest = Awaited<ReturnType<typeof startHubUnderTest>>;

interface StoreUnderTest {
  /** Connected without the gate. */
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  readonly postgres: { readonly cluster: MortalCluster; readonly gate: TcpGate } | null;
  readonly pair: PostgresPair | null;
}

type Stops = (() => Promise<unknown>)[];

const clusterStopTimeoutMs = 5_000;

/** Everything it started ends with `stop`, or before it throws. */
export async function startHubUnderTest(options: HubUnderTestOptions) {
  const stops: Stops = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await start(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: HubUnderTestOptions, stops: Stops) {
  const { gates = false, persistentRedis = false, settableClocks = false } = options;
  const { redisKind: kind = 'single' } = options;
  const { store, database } = await prepareStore(options, stops);
  const redis = await startRedisUnderTest({ kind, persistent: persistentRedis, gated: gates });
  stops.push(() => redis.stop());
  const population = await populate(store.db, options.population);
  stops.push(() => population.stop());
  /** What the processes of the hub connect to. */
  const stores = { database, redisUrl: redis.url };
  const clockFile = (role: 'api' | 'workers') => join(population.dataDir, `${role}-clock`);
  /** Sets the clock of the API or the workers ahead of the true time. */
  const setClock = (role: 'api' | 'workers', aheadMs: number) => writeFile(clockFile(role), String(aheadMs));
  if (settableClocks) await Promise.all([setClock('api', 0), setClock('workers', 0)]);
  const preload = settableClocks ? 'set-clock' : options.preload;
  const settings = (role: 'api' | 'workers') => ({
    ...population.settings,
    ...options.settings,
    ...(settableClocks ? { CLOCK_FILE: clockFile(role) } : {}),
  });
  const startWorker = (pools: readonly PoolName[]) =>
    startWorkerProcess(pools, stores, settings('workers'), preload);
  /** A disturbance may replace an entry. */
  const workers: WorkerProcess[] = [];
  const startingApi = startApiProcess(stores, settings('api'), preload);
  const startingWorkers = options.workers.map(async (pools, index) => {
    workers[index] = await startWorker(pools);
  });
  stops.push(async () => {
    const [started] = await Promise.allSettled([startingApi, ...startingWorkers]);
    if (started.status === 'fulfilled') await started.value.end('SIGKILL');
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  });
  const [api] = await Promise.all([startingApi, ...startingWorkers]);
  return { url: api.url, population, store, stores, redis, api, workers, startWorker, setClock };
}

/** Opens the store for the test, and says where the hub finds it. */
async function prepareStore(
  { dialect, gates = false, standby = false }: HubUnderTestOptions,
  stops: Stops,
): Promise<{ store: StoreUnderTest; database: DatabaseSetting }> {
  if (!standby && (dialect === 'sqlite' || !gates)) {
    const { db, setting, remove } = await openScratchStore(dialect);
    stops.push(remove);
    return { store: { db, setting, postgres: null, pair: null }, database: setting };
  }
  const open = async (url: string) => {
    const setting: DatabaseSetting = { kind: 'postgres', url };
    const db = await openDatabase(setting);
    stops.push(() => db.close());
    return { db, setting };
  };
  if (standby) {
    const pair = await startPostgresPair();
    stops.push(pair.stop);
    const opened = await open(pair.url);
    return { store: { ...opened, postgres: null, pair }, database: opened.setting };
  }
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-mortal-'));
  const cluster = await startMortalCluster(join(folder, 'cluster'));
  stops.push(
    () => rm(folder, { recursive: true, force: true }),
    () => cluster.stop(clusterStopTimeoutMs),
  );
  const opened = await open(cluster.url);
  const url = new URL(cluster.url);
  const gate = await createTcpGate({ hostname: '127.0.0.1', port: Number(url.port) });
  stops.push(async () => gate.shut());
  url.port = String(gate.port);
  const database: DatabaseSetting = { kind: 'postgres', url: url.href };
  return { store: { ...opened, postgres: { cluster, gate }, pair: null }, database };
}
