/**
 * `npm run test:upgrade`: a rolling upgrade from an earlier commit, one process after another, and a partial rollback,
 * while clients send every request that commits, charges, sells or notifies. `PREVIOUS` names the commit or tag, by
 * default the previous release, or, before the first one, the commit that made the baseline of the database.
 * `UPGRADE_STEP_SECONDS` is the time between steps.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import type { Dialect } from '#db/dialect.ts';
import { openDatabase } from '#db/open-database.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import type { HubProcessStores } from '#test/harness/hub-process.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { createPlace } from '#test/harness/stores.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';
import { startClients } from '#test/workload/clients.ts';
import { expectAtRest, expectDelivered, expectMailed } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { startPlayers } from '#test/workload/players.ts';
import { type PopulatedHub, populate } from '#test/workload/population.ts';
import { createWitness } from '#test/workload/witness.ts';
import { poolNames } from '#workers/pool-registry.ts';
import recorded from '../wire/previous-version.json';
import { buildPreviousHub, findBaselineCommit, type PreviousHub } from './previous-hub.ts';

const commit = process.env['PREVIOUS'] || recorded.commit || (await findBaselineCommit());
const seed = process.env['TEST_SEED'] || randomBytes(8).toString('hex');
const stepMs = Number(process.env['UPGRADE_STEP_SECONDS'] || '4') * 1_000;
const testMaxMs = 600_000;
const responseMaxMs = 30_000;
/** An attempt whose process was killed holds its key for 30 seconds. */
const lastResponsesMs = 40_000;
const restMaxMs = 180_000;
const groups = [
  { mix: 'seats', count: 6, pauseMs: 20 },
  { mix: 'offices', count: 2, pauseMs: 100 },
  { mix: 'runs', count: 1, pauseMs: 500, waitingMax: 4 },
  { mix: 'writes', count: 5, pauseMs: 20, waitingMax: 4 },
] as const;
const refusals = ['queue_unavailable', 'too_many_open_jobs'];
const pools = poolNames.filter((name) => name !== 'inbound-mail');

/** Each step replaces one process with one of the given version. */
const steps = [
  ['killed worker', 'previous'],
  ['worker 0', 'current'],
  ['worker 1', 'current'],
  ['api 0', 'current'],
  ['api 1', 'current'],
  ['api 0', 'previous'],
  ['worker 0', 'previous'],
  ['worker 0', 'current'],
  ['api 0', 'current'],
] as const;

let previous: PreviousHub;
beforeAll(async () => {
  console.log(`rolling upgrade from ${commit}: TEST_SEED=${seed}`);
  previous = await buildPreviousHub(commit);
}, testMaxMs);
afterAll(() => previous?.remove());

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(
    `a rolling upgrade on ${dialect} loses and duplicates nothing`,
    async () => console.log(JSON.stringify(await upgrade(dialect))),
    testMaxMs,
  );
}

async function upgrade(dialect: Dialect) {
  await using stack = new AsyncDisposableStack();
  const place = await createPlace(dialect);
  stack.defer(() => place.remove());
  const redis = await startTestRedis();
  stack.defer(() => redis.stop());
  const stores = { database: place.setting, redisUrl: redis.url };
  await migrateWith(previous.binary, stores);
  const db = await openDatabase(place.setting);
  stack.defer(() => db.close());
  const population = await populate(db, { eventCount: 3, officeCount: 20, playerCount: 2 });
  stack.defer(() => population.stop());
  const processes = await startProcesses(stores, population);
  stack.defer(() => processes.end());

  const { urls } = processes;
  const witness = createWitness(responseMaxMs);
  const clients = startClients({ urls, groups, seed, population, witness });
  stack.defer(() => clients.end(0));
  const { players: agents, receiver, dataDir } = population;
  const players = startPlayers({ db, urls, agents, pauseMs: 500, witness });
  stack.defer(async () => void (await players.end()));
  for (const [name, version] of steps) {
    await Bun.sleep(stepMs);
    await processes.replace(name, version);
  }
  await Bun.sleep(stepMs);
  await clients.end(lastResponsesMs);
  const played = await players.end();
  await expectAtRest(db, restMaxMs);
  expect(witness.unexpected(refusals)).toEqual([]);
  await expectKept(db, witness.outcomes);
  await expectDelivered(db, receiver);
  await expectMailed(db, join(dataDir, 'mail'));
  const { acknowledged, retries, refused, slowestMs } = witness;
  return { dialect, steps: steps.length, acknowledged, retries, refused, slowestMs, played };
}

async function migrateWith(binary: string, { database, redisUrl }: HubProcessStores): Promise<void> {
  const url = database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url;
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, REDIS_URL: redisUrl };
  const migration = Bun.spawn([binary, 'migrate'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  expect(await migration.exited).toBe(0);
}

/** Two API and two worker processes of the previous version. */
async function startProcesses(stores: HubProcessStores, { settings }: PopulatedHub) {
  const ports = [await settlePort('127.0.0.1', 0), await settlePort('127.0.0.1', 0)];
  const binaries = { previous: previous.binary, current: hubBinary };
  type Version = keyof typeof binaries;
  const start = (name: string, version: Version) => {
    const build = { binary: binaries[version] };
    return name.startsWith('api')
      ? startApiProcess(stores, { ...settings, PORT: String(ports[Number(name.slice(4))]) }, build)
      : startWorkerProcess(pools, stores, settings, build);
  };
  const names = ['api 0', 'api 1', 'worker 0', 'worker 1'];
  const running = new Map(
    await Promise.all(names.map(async (name) => [name, await start(name, 'previous')] as const)),
  );
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    replace: async (given: (typeof steps)[number][0], version: Version): Promise<void> => {
      const [name, signal] =
        given === 'killed worker' ? (['worker 1', 'SIGKILL'] as const) : ([given, 'SIGTERM'] as const);
      await running.get(name)?.end(signal);
      running.set(name, await start(name, version));
    },
    end: async (): Promise<void> => {
      await Promise.all([...running.values()].map((each) => each.end('SIGKILL')));
    },
  };
}
