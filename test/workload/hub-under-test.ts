/** A populated hub of real API and worker processes, with handles on everything that a test may disturb. */
import { Redis } from 'ioredis';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, Dialect, OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import type { HubProcessStores } from '#test/harness/hub-process.ts';
import { type MortalCluster, startMortalCluster } from '#test/harness/postgres-cluster.ts';
import { redisPidOf, startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { type PopulatedHub, type PopulationSize, populate } from './population.ts';

export interface HubUnderTestOptions {
  readonly dialect: Dialect;
  readonly population: PopulationSize;
  /** One worker process per entry. */
  readonly workers: readonly (readonly PoolName[])[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Loaded into every process of the hub. */
  readonly preload?: string;
  /** The hub reaches Redis, and a Postgres of its own, through gates. */
  readonly gates?: boolean;
  /** Redis writes to disk, as under `npm start`. */
  readonly persistentRedis?: boolean;
  readonly settableClocks?: boolean;
}

export interface HubUnderTest {
  readonly url: string;
  readonly population: PopulatedHub;
  readonly store: StoreUnderTest;
  /** What the processes of the hub connect to. */
  readonly stores: HubProcessStores;
  readonly redis: RedisUnderTest;
  readonly api: ApiProcess;
  /** A disturbance may replace an entry. */
  readonly workers: WorkerProcess[];
  startWorker(pools: readonly PoolName[]): Promise<WorkerProcess>;
  /** Sets the clock of the API or the workers ahead of the true time. */
  setClock(role: 'api' | 'workers', aheadMs: number): Promise<void>;
  stop(): Promise<void>;
}

export interface StoreUnderTest {
  /** Connected without the gate. */
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  readonly postgres: { readonly cluster: MortalCluster; readonly gate: TcpGate } | null;
}

export interface RedisUnderTest {
  readonly gate: TcpGate | null;
  kill(): Promise<void>;
  restart(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  command(name: string, ...parameters: readonly string[]): Promise<void>;
}

type Stops = (() => Promise<unknown>)[];

const clockPreload = 'test/workload/children/set-clock.ts';
const clusterStopTimeoutMs = 5_000;

/** Everything it started ends with `stop`, or before it throws. */
export async function startHubUnderTest(options: HubUnderTestOptions): Promise<HubUnderTest> {
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

async function start(options: HubUnderTestOptions, stops: Stops): Promise<Omit<HubUnderTest, 'stop'>> {
  const { dialect, gates = false, persistentRedis = false, settableClocks = false } = options;
  const { store, database } = await prepareStore(dialect, gates, stops);
  const { redis, redisUrl } = await prepareRedis(persistentRedis, gates, stops);
  const population = await populate(store.db, options.population);
  stops.push(() => population.stop());
  const stores = { database, redisUrl };
  const clockFile = (role: 'api' | 'workers') => join(population.dataDir, `${role}-clock`);
  const setClock = (role: 'api' | 'workers', aheadMs: number) => writeFile(clockFile(role), String(aheadMs));
  if (settableClocks) await Promise.all([setClock('api', 0), setClock('workers', 0)]);
  const preload = settableClocks ? clockPreload : options.preload;
  const settings = (role: 'api' | 'workers') => ({
    ...population.settings,
    ...options.settings,
    ...(settableClocks ? { CLOCK_FILE: clockFile(role) } : {}),
  });
  const startWorker = (pools: readonly PoolName[]) =>
    startWorkerProcess(pools, stores, settings('workers'), preload);
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

async function prepareStore(
  dialect: Dialect,
  gated: boolean,
  stops: Stops,
): Promise<{ store: StoreUnderTest; database: DatabaseSetting }> {
  if (dialect === 'sqlite' || !gated) {
    const scratch = await openScratchStore(dialect);
    stops.push(() => scratch.remove());
    const { db, setting } = scratch;
    return { store: { db, setting, postgres: null }, database: setting };
  }
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-mortal-'));
  const cluster = await startMortalCluster(join(folder, 'cluster'));
  stops.push(
    () => rm(folder, { recursive: true, force: true }),
    () => cluster.stop(clusterStopTimeoutMs),
  );
  const setting: DatabaseSetting = { kind: 'postgres', url: cluster.url };
  const db = await openDatabase(setting);
  stops.push(() => db.close());
  const url = new URL(cluster.url);
  const gate = await createTcpGate({ hostname: '127.0.0.1', port: Number(url.port) });
  stops.push(async () => gate.shut());
  url.port = String(gate.port);
  return {
    store: { db, setting, postgres: { cluster, gate } },
    database: { kind: 'postgres', url: url.href },
  };
}

async function prepareRedis(
  persistent: boolean,
  gated: boolean,
  stops: Stops,
): Promise<{ redis: RedisUnderTest; redisUrl: string }> {
  const startServer = persistent ? startPersistentRedis : startTestRedis;
  let server = await startServer();
  stops.push(() => server.stop());
  let pid = await redisPidOf(server.url);
  const gate = gated ? await createTcpGate({ path: server.url }) : null;
  if (gate !== null) stops.push(async () => gate.shut());
  const redis: RedisUnderTest = {
    gate,
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await server.stop();
    },
    restart: async () => {
      server = await startServer();
      pid = await redisPidOf(server.url);
      gate?.retarget({ path: server.url });
    },
    signal: (signal) => void process.kill(pid, signal),
    command: async (name, ...parameters) => {
      const admin = new Redis(server.url);
      await admin.call(name, ...parameters);
      admin.disconnect();
    },
  };
  return { redis, redisUrl: gate === null ? server.url : `redis://127.0.0.1:${gate.port}` };
}

async function startPersistentRedis(): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-hub-persistent-'));
  const server = await startPrivateRedis({ dir });
  const stop = (): Promise<void> => server.stop().then(() => rm(dir, { recursive: true, force: true }));
  return { url: server.url, stop };
}
