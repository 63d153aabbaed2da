/**
 * A hub that cannot start prints one message that names the problem, the setting and the remedy, and starts
 * nothing.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createPlace, type StorePlace } from '#test/harness/stores.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { openDatabase } from '#db/open-database.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

const password = 'a-password-that-nobody-may-see';

let scratch: string;
let postgres: StorePlace;
let redis: TestRedis;
let admin: Redis;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-hub-failed-'));
  postgres = await createPlace('postgres');
  redis = await startTestRedis();
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
  await postgres.remove();
  rmSync(scratch, { recursive: true, force: true });
  // From the test that names the folder itself as the database.
  rmSync(`${scratch}.migration-lock`, { force: true });
});

function postgresUrl(change: (url: URL) => void = () => undefined): string {
  if (postgres.setting.kind !== 'postgres') throw new Error('not a Postgres store');
  const url = new URL(postgres.setting.url);
  change(url);
  return url.href;
}

/**
 * A Redis that replies the same to every command, also to pipelined ones, or a server that never replies.
 */
function listenAs(answer: string | null) {
  return Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket, chunk) => {
        // Each command is an array that begins with `*` and its length on a separate line.
        const commands = chunk.toString('latin1').match(/^\*\d+\r$/gm)?.length ?? 0;
        if (answer !== null) socket.write(answer.repeat(commands));
      },
    },
  });
}

async function expectFailedStart(
  settings: Readonly<Record<string, string>>,
  exitCode: number,
  message: RegExp,
): Promise<void> {
  const end = await startHub({ PORT: '0', ...settings }).ended();
  expect(end.complaints).toMatch(message);
  expect(end.complaints.trim().split('\n')).toHaveLength(1);
  expect(end.complaints + end.output).not.toContain(password);
  expect(end.output).toBe('');
  expect(end.exitCode).toBe(exitCode);
}

test('an unreachable Postgres', () =>
  expectFailedStart(
    { DATABASE_URL: `postgres://hub:${password}@127.0.0.1:1/hub` },
    1,
    /^Postgres at 127\.0\.0\.1:1, database hub cannot be reached .*DATABASE_URL/,
  ));

test('a Postgres that accepts connections but never responds', async () => {
  const silent = listenAs(null);
  await expectFailedStart(
    { DATABASE_URL: `postgres://hub:${password}@127.0.0.1:${silent.port}/hub` },
    1,
    /^Postgres at .* does not respond\. .*DATABASE_URL/,
  );
  silent.stop(true);
});

test('a Postgres with a wrong password, an unknown user or an unknown database', async () => {
  const refused = /^Postgres at .*: the server rejected the user or the password in DATABASE_URL/;
  await expectFailedStart({ DATABASE_URL: postgresUrl((url) => (url.password = password)) }, 78, refused);
  await expectFailedStart({ DATABASE_URL: postgresUrl((url) => (url.username = 'nobody')) }, 78, refused);
  await expectFailedStart(
    { DATABASE_URL: postgresUrl((url) => (url.pathname = '/nowhere')) },
    78,
    /database nowhere: the database does not exist\. Create it .*DATABASE_URL/,
  );
});

test('a Postgres without TLS, which the setting requires', () =>
  expectFailedStart(
    { DATABASE_URL: postgresUrl((url) => url.searchParams.set('sslmode', 'require')) },
    78,
    /offers no TLS, which sslmode in DATABASE_URL requires/,
  ));

test('a database file that is not SQLite, or is a folder', async () => {
  const file = join(scratch, 'letter.sqlite');
  writeFileSync(file, 'Dear hub, this is no database. '.repeat(200));
  await expectFailedStart(
    { DATABASE_URL: `sqlite:${file}` },
    1,
    /letter\.sqlite is not a SQLite database.*DATABASE_URL/,
  );
  await expectFailedStart(
    { DATABASE_URL: `sqlite:${scratch}` },
    78,
    /cannot be opened for writing.*DATABASE_URL/,
  );
});

test('a data folder that is a file or cannot be created', async () => {
  const file = join(scratch, 'a-file');
  writeFileSync(file, '');
  await expectFailedStart({ DATA_DIR: file }, 78, /^DATA_DIR \S+a-file is not a folder.* Set DATA_DIR to/);
  await expectFailedStart({ DATA_DIR: '/dev/null/hub' }, 78, /^DATA_DIR \/dev\/null\/hub .* Set DATA_DIR to/);
});

test('a Redis that is unreachable, never responds or rejects the password', async () => {
  await expectFailedStart(
    { REDIS_URL: `redis://:${password}@127.0.0.1:1` },
    1,
    /^Redis at 127\.0\.0\.1:1 cannot be reached .*REDIS_URL/,
  );
  const silent = listenAs(null);
  await expectFailedStart({ REDIS_URL: `redis://127.0.0.1:${silent.port}` }, 1, /^Redis at .*REDIS_URL/);
  silent.stop(true);
  const refusing = listenAs('-WRONGPASS invalid username-password pair or user is disabled.\r\n');
  await expectFailedStart(
    { REDIS_URL: `redis://:${password}@127.0.0.1:${refusing.port}` },
    78,
    /^Redis at .* rejected the user or the password in REDIS_URL/,
  );
  refusing.stop(true);
});

test('a Redis that deletes keys when it is full', async () => {
  const info = 'redis_version:7.2.0\r\nloading:0\r\nmaxmemory:1000000\r\nmaxmemory_policy:allkeys-lru\r\n';
  const evicting = listenAs(`$${info.length}\r\n${info}\r\n`);
  await expectFailedStart(
    { REDIS_URL: `redis://127.0.0.1:${evicting.port}` },
    1,
    /^Redis at .* deletes keys .*allkeys-lru.*noeviction/,
  );
  evicting.stop(true);
});

test('a Redis that is too old', async () => {
  const info = 'redis_version:5.0.14\r\nloading:0\r\n';
  const old = listenAs(`$${info.length}\r\n${info}\r\n`);
  await expectFailedStart(
    { REDIS_URL: `redis://127.0.0.1:${old.port}` },
    1,
    /^Redis at .* is version 5\.0\.14; the hub needs 6\.2 or later\. .*REDIS_URL/,
  );
  old.stop(true);
});

test('a Redis that requires a password, or is a read-only replica', async () => {
  await admin.config('SET', 'requirepass', 'secret');
  await expectFailedStart({ REDIS_URL: redis.url }, 78, /^Redis at .* rejected the user or the password/);
  await admin.config('SET', 'requirepass', '');
  await admin.replicaof('127.0.0.1', 1);
  await expectFailedStart({ REDIS_URL: redis.url }, 1, /^Redis at .* is a read-only replica\. .*REDIS_URL/);
  await admin.replicaof('NO', 'ONE');
});

test('a port in use', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  await expectFailedStart({ PORT: String(server.port) }, 1, /^Port \d+ on 127\.0\.0\.1 is in use.*PORT/);
  await server.stop();
});

test('a store of an unreleased version, which stays as it is', async () => {
  const message = /was made by an unreleased version of the hub .* Start with an empty database: set DATA/;
  const sqlite = await createPlace('sqlite');
  if (sqlite.setting.kind !== 'sqlite') throw new Error('not a SQLite store');
  await (await openDatabase(sqlite.setting)).close();
  const file = new SqliteFile(sqlite.setting.file);
  file.run('update __drizzle_migrations set created_at = created_at - 1000');
  // A copy has the journal mode that a hub would change.
  const copy = join(scratch, 'unreleased.sqlite');
  file.run('VACUUM INTO ?', [copy]);
  file.close();
  const before = readFileSync(copy);
  await expectFailedStart({ DATABASE_URL: `sqlite:${copy}` }, 1, message);
  expect(readFileSync(copy).equals(before)).toBe(true);
  await sqlite.remove();

  const place = await createPlace('postgres');
  if (place.setting.kind !== 'postgres') throw new Error('not a Postgres store');
  await (await openDatabase(place.setting)).close();
  const client = connectDirectly(place.setting.url);
  await client`update drizzle.__drizzle_migrations set created_at = created_at - 1000`;
  await expectFailedStart({ DATABASE_URL: place.setting.url }, 1, message);
  await client.close();
  await place.remove();
});

test('a process that an operator starts directly prints the same message', async () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: 'postgres://hub@127.0.0.1:1/hub',
    REDIS_URL: redis.url,
  };
  for (const command of [hubProgram('api'), hubProgram('worker', '--pool', 'sweeper')]) {
    const child = Bun.spawn(command, { env, stderr: 'pipe', stdout: 'pipe' });
    const [said, logged] = await Promise.all([
      Bun.readableStreamToText(child.stderr),
      Bun.readableStreamToText(child.stdout),
    ]);
    expect(said).toMatch(/^Postgres at 127\.0\.0\.1:1, database hub cannot be reached .*\n$/);
    expect(logged).toBe('');
    expect(await child.exited).toBe(1);
  }
});

test('a data folder that another hub uses', async () => {
  const settings = { DATA_DIR: join(scratch, 'taken') };
  const first = startHub({ PORT: '0', ...settings });
  await first.until(/Agent Hub is ready/);
  const note = join(settings.DATA_DIR, 'running.json');
  const noted = readFileSync(note, 'utf8');
  await expectFailedStart(
    settings,
    1,
    /^Another hub runs in .*\. Stop it, or set DATA_DIR to another folder\./,
  );
  // Commands find the running hub by it.
  expect(readFileSync(note, 'utf8')).toBe(noted);
  first.hub.kill('SIGTERM');
  expect((await first.ended()).exitCode).toBe(0);
});

test('a first start that fails keeps the sign-in link for the one that succeeds, and for that one only', async () => {
  const settings = { PORT: '0', DATA_DIR: join(scratch, 'first') };
  await expectFailedStart({ ...settings, PATH: scratch }, 1, /^No redis-server or valkey-server was found\./);
  for (const links of [1, 0]) {
    const { hub, until, ended } = startHub(settings);
    await until(/Agent Hub is ready/);
    await until(/v1\/agents\/register/);
    hub.kill('SIGTERM');
    expect((await ended()).output.match(/\/admin\/sign-in\//g) ?? []).toHaveLength(links);
  }
});
