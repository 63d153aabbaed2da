/** A hub of real processes, API and workers, whose ways to both stores lead through gates that a test can trouble. */
import { Redis } from 'ioredis';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, Dialect, OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Surroundings } from '#test/crash/attempts.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type MortalCluster, startMortalCluster } from '#test/harness/postgres-cluster.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { redisPidOf, startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';
import { register } from '#test/harness/webhooks.ts';
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
  readonly clocks: WorldClocks | null;
  /** Of webhooks, where clocks can be set. */
  readonly receiver: Receiver | null;
  stop(): Promise<void>;
}

const agentCount = 40;
const tokens = 500;
const eventCount = 2;
const seatsTotal = 30;
const setClock = 'test/faults/children/set-clock.ts';
const stopTimeoutMs = 5_000;

export interface WorldOptions {
  /** Redis writes down what it holds, as that of `npm start` does. */
  readonly redisKeeps?: boolean;
  /** The processes read the time of clocks that can be set, and the author of the first thread is told of replies. */
  readonly clocksCanBeSet?: boolean;
}

export interface SettableClock {
  /** By so much, from the true time. */
  set(aheadMs: number): Promise<void>;
}

export type WorldClocks = Readonly<Record<'api' | 'workers', SettableClock>>;

export async function buildFaultWorld(
  dialect: Dialect,
  { redisKeeps = false, clocksCanBeSet = false }: WorldOptions = {},
): Promise<FaultWorld> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const { store, hubSetting } = await prepareStore(dialect, stops);
    const { redis, redisGate } = await prepareRedis(redisKeeps, stops);
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
      INBOUND_MAIL_SECRET: around.inboundMailSecret,
    };
    const clockFiles = clocksCanBeSet
      ? { api: join(dataDir, 'api-clock'), workers: join(dataDir, 'workers-clock') }
      : null;
    const receiver = clocksCanBeSet ? await tellAuthor(store.db, around, stops) : null;
    for (const file of Object.values(clockFiles ?? {})) await writeFile(file, '0');
    const preload = clockFiles === null ? undefined : setClock;
    const withClock = (file = '') => (clockFiles === null ? settings : { ...settings, CLOCK_FILE: file });
    const pools = ['seats', 'sweeper', 'webhooks'] as const;
    const started = {
      api: startApiProcess(stores, withClock(clockFiles?.api), preload),
      workers: startWorkerProcess(pools, stores, withClock(clockFiles?.workers), preload),
    };
    for (const one of Object.values(started)) stops.push(async () => (await one).end('SIGKILL'));
    const [api] = await Promise.all([started.api, started.workers]);
    const clocks = clockFiles && {
      api: { set: (aheadMs: number) => writeFile(clockFiles.api, String(aheadMs)) },
      workers: { set: (aheadMs: number) => writeFile(clockFiles.workers, String(aheadMs)) },
    };
    return { url: api.url, around, store, redis, redisGate, clocks, receiver, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function tellAuthor(
  db: OpenDatabase,
  { agents: [author] }: Surroundings,
  stops: (() => Promise<unknown>)[],
): Promise<Receiver> {
  if (author === undefined) throw new Error('A crowd has more than two agents.');
  const receiver = startReceiver();
  stops.push(() => receiver.stop());
  await register({ ...createTestCtx(db), clock: systemClock }, author, receiver.url, ['thread.reply']);
  return receiver;
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
  redisKeeps: boolean,
  stops: (() => Promise<unknown>)[],
): Promise<{ redis: RedisUnderTest; redisGate: TcpGate }> {
  const start = redisKeeps ? startKeepingRedis : startTestRedis;
  let server = await start();
  stops.push(() => server.stop());
  let pid = await redisPidOf(server.url);
  const redisGate = await createTcpGate({ path: server.url });
  stops.push(async () => redisGate.shut());
  const redis: RedisUnderTest = {
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await server.stop();
    },
    restart: async () => {
      server = await start();
      pid = await redisPidOf(server.url);
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

async function startKeepingRedis(): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-hub-keeping-'));
  const server = await startPrivateRedis({ dir });
  const stop = (): Promise<void> => server.stop().then(() => rm(dir, { recursive: true, force: true }));
  return { url: server.url, stop };
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
    officeIds: [],
    threadIds: [threadId],
    targetOrigin: 'http://127.0.0.1:1',
    inboundMailSecret: `whsec_${Buffer.from('what providers sign mail with').toString('base64')}`,
  };
}
