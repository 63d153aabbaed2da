/** A hub of real processes, API and workers, whose ways to both stores lead through gates that a test can trouble. */
import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect, OpenDatabase } from '#db/database.ts';
import { type DatabaseSetting, openDatabase } from '#db/open-database.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Surroundings } from '#test/crash/attempts.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type MortalCluster, startMortalCluster } from '#test/harness/postgres-cluster.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

export interface StoreUnderTest {
  readonly dialect: Dialect;
  /** Past the gate, for who judges. */
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  /** Of Postgres alone. */
  readonly gate: TcpGate | null;
  readonly cluster: MortalCluster | null;
}

export interface RedisUnderTest {
  kill(): Promise<void>;
  restart(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  command(name: string, ...words: readonly string[]): Promise<void>;
}

export interface FaultWorld {
  readonly url: string;
  readonly around: Surroundings;
  readonly store: StoreUnderTest;
  readonly redis: RedisUnderTest;
  readonly redisGate: TcpGate;
  stop(): Promise<void>;
}

const agentCount = 40;
const tokens = 500;
const eventCount = 2;
const seatsTotal = 30;
const stopTimeoutMs = 5_000;

export async function buildFaultWorld(dialect: Dialect): Promise<FaultWorld> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const { store, hubSetting } = await prepareStore(dialect, stops);
    const { redis, redisGate } = await prepareRedis(stops);
    const around = await settle(store.db);
    const stores = { database: hubSetting, redisUrl: `redis://127.0.0.1:${redisGate.port}` };
    const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-faults-'));
    stops.push(() => rm(dataDir, { recursive: true, force: true }));
    const settings = {
      DATA_DIR: dataDir,
      MAINTAINER_DIDS: around.maintainer.did,
      // So high that nobody meets them, and counted all the same.
      WRITES_PER_MINUTE: '1000000',
      READS_PER_MINUTE: '1000000',
    };
    const started = {
      api: startApiProcess(stores, settings),
      workers: startWorkerProcess(['seats', 'sweeper'], stores, settings),
    };
    for (const one of Object.values(started)) stops.push(async () => (await one).end('SIGKILL'));
    const [api] = await Promise.all([started.api, started.workers]);
    return { url: api.url, around, store, redis, redisGate, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareStore(
  dialect: Dialect,
  stops: (() => Promise<unknown>)[],
): Promise<{ store: StoreUnderTest; hubSetting: DatabaseSetting }> {
  if (dialect === 'sqlite') {
    const scratch = await openScratchStore('sqlite');
    const { db, setting } = scratch;
    stops.push(() => scratch.remove());
    return { store: { dialect, db, setting, gate: null, cluster: null }, hubSetting: setting };
  }
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-mortal-'));
  const cluster = await startMortalCluster(join(folder, 'cluster'));
  stops.push(
    () => cluster.stop(stopTimeoutMs),
    () => rm(folder, { recursive: true, force: true }),
  );
  const setting: DatabaseSetting = { kind: 'postgres', url: cluster.url };
  const db = await openDatabase(setting);
  stops.push(() => db.close());
  const url = new URL(cluster.url);
  const gate = await createTcpGate({ hostname: '127.0.0.1', port: Number(url.port) });
  stops.push(async () => gate.shut());
  url.port = String(gate.port);
  return {
    store: { dialect, db, setting, gate, cluster },
    hubSetting: { kind: 'postgres', url: url.href },
  };
}

async function prepareRedis(
  stops: (() => Promise<unknown>)[],
): Promise<{ redis: RedisUnderTest; redisGate: TcpGate }> {
  let server = await startTestRedis();
  stops.push(() => server.stop());
  let pid = await pidOf(server.url);
  const redisGate = await createTcpGate({ path: server.url });
  stops.push(async () => redisGate.shut());
  const redis: RedisUnderTest = {
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await server.stop();
    },
    restart: async () => {
      server = await startTestRedis();
      pid = await pidOf(server.url);
      redisGate.retarget({ path: server.url });
    },
    signal: (signal) => void process.kill(pid, signal),
    command: async (name, ...words) => {
      const admin = new Redis(server.url);
      await admin.call(name, ...words);
      admin.disconnect();
    },
  };
  return { redis, redisGate };
}

async function pidOf(url: string): Promise<number> {
  const admin = new Redis(url);
  const info = await admin.info('server');
  admin.disconnect();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

/** Who wants something of the hub, and what there is to be had. */
async function settle(db: OpenDatabase): Promise<Surroundings> {
  const ctx = { ...createTestCtx(db), clock: systemClock };
  const [maintainer, ...agents] = await createCrowd(ctx, agentCount, tokens);
  const [author] = agents;
  if (maintainer === undefined || author === undefined) throw new Error('A crowd has more than two agents.');
  const { id: threadId } = await startThread(actingAs(ctx, author), { title: 'Replies', body: 'Go here.' });
  const eventIds: string[] = [];
  for (let made = 0; made < eventCount; made += 1) {
    eventIds.push((await createTestEvent(ctx, { seatsTotal, tokenPrice: 1 })).id);
  }
  return {
    agents,
    maintainer,
    eventIds,
    threadId,
    targetOrigin: 'http://127.0.0.1:1',
    inboundMailSecret: 'whsec_bm9uZQ==',
  };
}
