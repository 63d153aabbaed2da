/**
 * A store that refuses its clients or their writes: every request is 503 with `Retry-After`, the log and `/readyz` say
 * why, and everything works again once the cause is gone.
 */
import type { SQL } from 'bun';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Redis } from 'ioredis';
import type { OpenDatabase } from '#db/database.ts';
import { openPostgres } from '#db/postgres.ts';
import { connectionOf } from '#db/prepared.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { connectDirectly, createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const ready = (hub: TestHub) => hub.fetch('/readyz', { token: testOperatorKey });

function write(hub: TestHub, { bearerToken: token }: TestAgent) {
  return hub.fetch('/v1/threads', { token, json: { title: 'A title', body: 'A body' } });
}

describe('Postgres', () => {
  const recording = createRecordingLogger();
  let database: TestDatabase;
  let db: OpenDatabase;
  let admin: SQL;
  let hub: TestHub;
  let agent: TestAgent;
  let name: string;
  let role: string;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: true });
    const url = new URL(database.url);
    name = url.pathname.slice(1);
    role = `role_of_${name}`;
    const postgres = new URL(url);
    postgres.pathname = '/postgres';
    admin = connectDirectly(postgres.href);
    await admin.unsafe(`create role ${role} login password 'first'`);
    await admin.unsafe(`alter database ${name} owner to ${role}`);
    const own = connectDirectly(database.url);
    await own.unsafe(`reassign owned by current_user to ${role}`).catch(() => undefined);
    await own.unsafe(`grant all on all tables in schema public, drizzle to ${role}`);
    await own.unsafe(`grant all on schema public, drizzle to ${role}`);
    await own.close();
    url.username = role;
    url.password = 'first';
    db = openPostgres(url.href);
    hub = await startTestHub({ store: { db }, logger: recording.logger });
    agent = await createTestAgent(hub.ctx);
  });
  afterAll(async () => {
    await hub.close();
    await db.close();
    await database.drop();
    await admin.unsafe(`drop role ${role}`);
    await admin.close();
  });

  const disconnect = () =>
    admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);

  type Outage = () => readonly [cause: string, cure: string, said: RegExp];
  const ofRole = (cause: string, cure: string, said: RegExp): Outage => {
    return () => [`alter role ${role} ${cause}`, `alter role ${role} ${cure}`, said];
  };
  const ofDatabase = (cause: string, cure: string, said: RegExp): Outage => {
    return () => [`alter database ${name} ${cause}`, `alter database ${name} ${cure}`, said];
  };
  /** What the operator does, how it is undone, and what the probe then says. */
  const outages: Readonly<Record<string, Outage>> = {
    'a role that may not log in': ofRole('nologin', 'login', /rejects the user or the password/),
    'a rotated password': ofRole("password 'second'", "password 'first'", /rejects the user or the password/),
    'a renamed database': () => [
      `alter database ${name} rename to ${name}_x`,
      `alter database ${name}_x rename to ${name}`,
      /does not exist/,
    ],
    'a database that accepts no connections': ofDatabase(
      'allow_connections false',
      'allow_connections true',
      /does not accept connections/,
    ),
    'too many connections': ofRole('connection limit 0', 'connection limit -1', /no connection left/),
    'a read-only database': ofDatabase(
      'set default_transaction_read_only = on',
      'reset default_transaction_read_only',
      /read-only/,
    ),
  };

  test.each(Object.entries(outages))('%s is 503 with a reason until it is over', async (title, outage) => {
    const [cause, cure, said] = outage();
    expect((await write(hub, agent)).status).toBe(201);
    // A server refuses to rename a database that is in use.
    await waitUntil(async () => {
      await disconnect();
      return admin.unsafe(cause).then(
        () => true,
        () => false,
      );
    });
    await disconnect();
    try {
      await waitUntil(async () => {
        const { status, body } = await ready(hub);
        if (status === 503) expect(body.failing).toEqual(['database']);
        return status === 503 && said.test(body.message);
      });
      recording.lines.length = 0;
      const refused = await write(hub, agent);
      expectError(refused, 503, 'database_unavailable');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(recording.lines)).toMatch(/"(28000|28P01|3D000|55000|53300|25006|57P01)"/);
      if (title !== 'a read-only database') expect((await hub.fetch('/v1/threads')).status).toBe(503);
    } finally {
      await admin.unsafe(cure);
      // Connections keep what they began with.
      await disconnect();
    }
    await waitUntil(async () => (await ready(hub)).status === 200);
    await waitUntil(async () => (await write(hub, agent)).status === 201);
  });
});

test('a SQLite file that takes no writes is not ready, though it can be read', async () => {
  await using store = await openScratchStore('sqlite');
  await using hub = await startTestHub({ store });
  const agent = await createTestAgent(hub.ctx);
  const writer = await store.db.transaction(async (tx) => connectionOf(tx.query));
  writer.run('PRAGMA query_only = ON');
  expectError(await write(hub, agent), 503, 'database_unavailable');
  const { status, body } = await ready(hub);
  expect([status, body.failing]).toEqual([503, ['database']]);
  expect(body.message).toContain('cannot be written');
  expect((await hub.fetch('/v1/threads')).status).toBe(200);
  writer.run('PRAGMA query_only = OFF');
  await waitUntil(async () => (await ready(hub)).status === 200);
});

describe('Redis', () => {
  let redis: TestRedis;
  let admin: Redis;
  let hub: TestHub;
  beforeAll(async () => {
    redis = await startTestRedis();
    admin = new Redis(redis.url);
    hub = await startTestHub({ store: await openScratchStore('sqlite'), redisUrl: redis.url });
  });
  afterAll(async () => {
    await hub.close();
    admin.disconnect();
    await redis.stop();
  });

  test.each([
    ['full', 'config set maxmemory 1', 'config set maxmemory 0'],
    ['a replica', 'replicaof 127.0.0.1 1', 'replicaof no one'],
  ] as const)('that is %s is not ready, until it takes writes again', async (_name, cause, cure) => {
    const run = ([command = '', ...words]: readonly string[]) => admin.call(command, ...words);
    await waitUntil(async () => (await ready(hub)).status === 200);
    await run(cause.split(' '));
    // While the hub looks for another master, it cannot be reached.
    const said = 'Redis does not accept writes: it is full, or a replica.';
    await waitUntil(async () => ((await ready(hub)).body.message ?? '').startsWith(said));
    const refused = await ready(hub);
    expectError(refused, 503, 'queue_unavailable');
    expect(refused.body.failing).toEqual(['redis']);
    await run(cure.split(' '));
    await waitUntil(async () => (await ready(hub)).status === 200);
  });
});
