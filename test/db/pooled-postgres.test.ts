/**
 * Postgres behind a pooler in transaction mode: migrations, transactions, timeouts, processes, and starting without
 * the setting.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { type Pooler, startPooler } from '#test/harness/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { startClients } from '#test/workload/clients.ts';
import { expectAtRest } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { populate } from '#test/workload/population.ts';
import { createWitness } from '#test/workload/witness.ts';
import { poolNames } from '#workers/pool-registry.ts';

const redis = useTestRedis();
let database: TestDatabase;
let pooler: Pooler;
let url: string;
let db: OpenDatabase;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  const ports = { PORT: '0', SMTP_INBOUND_PORT: '0' };
  environment = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, REDIS_URL: redis.url, ...ports };
  database = await createTestDatabase();
  pooler = await startPooler(database.url, join(dataDir, 'pgbouncer'));
  url = pooler.urlOf(database.url);
  // Several processes migrate at once.
  const stores = await Promise.all(
    Array.from({ length: 3 }, () => openDatabase({ kind: 'postgres', url: `${url}?pool_mode=transaction` })),
  );
  db = stores[0]!;
  await Promise.all(stores.slice(1).map((store) => store.close()));
});
afterAll(async () => {
  await db.close();
  await pooler.stop();
  await database.drop();
});
const dataDir = useTestFolder();

test('a transaction has its timeouts, although connections lose theirs', async () => {
  const [inside] = await db.transaction((tx) =>
    tx.query.execute(sql`select current_setting('statement_timeout') as statement`),
  );
  expect(inside).toEqual({ statement: '7s' });
});

const withoutMode: readonly (readonly string[])[] = [
  ['start'],
  ['migrate'],
  ['api'],
  ...poolNames.map((pool) => ['worker', '--pool', pool]),
  ['queues', 'status'],
  ['audit'],
  ['agents', 'show', 'ada'],
];
test.each(withoutMode.map((words) => [words.join(' '), words] as const))(
  '`hub %s` without the setting says what to add',
  async (_, words) => {
    const env = { ...environment, DATABASE_URL: url };
    await expectRefusal(runProgram([hubBinary, ...words], { env }), 78, 'Add pool_mode=transaction');
  },
);

test('`hub move` to it without the setting says what to add to --to, and copies nothing', async () => {
  const run = (words: readonly string[]) => runHubCommand(words, { DATA_DIR: dataDir });
  expect((await run(['migrate'])).exitCode).toBe(0);
  await expectRefusal(run(['move', '--to', url]), 78, /^--to leads to .*pool_mode=transaction/);
});

test('an API and a worker process serve seats and runs through few server connections', async () => {
  const setting = { kind: 'postgres', url: `${url}?pool_mode=transaction` } as const;
  const population = await populate(db, { agentCount: 8, eventCount: 1, threadCount: 1, subscriberCount: 1 });
  const stores = { database: setting, redisUrl: redis.url };
  const pools = ['seats', 'eval-runner', 'sweeper', 'webhooks'] as const;
  const [api, worker] = await Promise.all([
    startApiProcess(stores, population.settings),
    startWorkerProcess(pools, stores, population.settings),
  ]);
  try {
    const witness = createWitness(30_000);
    const groups = [
      { mix: 'few', count: 4, pauseMs: 20 },
      { mix: 'runs', count: 1, pauseMs: 500 },
    ] as const;
    const clients = startClients({ urls: [api.url], groups, seed: 'pooled', population, witness });
    const kinds = () =>
      new Set(witness.outcomes.filter(({ reply }) => reply?.status === 200).map(({ action }) => action.kind));
    await waitUntil(async () => kinds().has('reservation') && witness.acknowledged > 20);
    await clients.end(10_000);
    await expectAtRest(db, 60_000);
    // On a busy machine, Redis may take longer than a request waits.
    expect(witness.unexpected(['queue_unavailable'])).toEqual([]);
    await expectKept(db, witness.outcomes);
  } finally {
    await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')]);
    await population.stop();
  }
});
