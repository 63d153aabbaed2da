/** A hub that cannot start prints one message that names the problem, the setting and the remedy, and starts nothing. */
import { Database as SqliteFile } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usePlaces } from '#test/db/use-places.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { openDatabase } from '#db/open-database.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { redisThat, tooOld } from './fake-redis.ts';

const password = 'a-password-that-nobody-may-see';

const place = usePlaces();
let postgres: string;
beforeAll(async () => {
  postgres = databaseUrlOf(await place('postgres'));
});
const scratch = useTestFolder();

function postgresUrl(change: (url: URL) => void): string {
  const url = new URL(postgres);
  change(url);
  return url.href;
}

async function expectFailedStart(
  settings: Readonly<Record<string, string>>,
  exitCode: number,
  message: RegExp,
): Promise<void> {
  const { complaints, ...end } = await startHub({ PORT: '0', ...settings }).ended();
  expect(complaints).toMatch(message);
  expect(complaints.trim().split('\n')).toHaveLength(1);
  expect(complaints).not.toContain(password);
  expect(end).toEqual({ exitCode, output: '' });
}

const text = (name: string, content: string): string => {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
};

const letter = 'Dear hub, this is no database. '.repeat(200);
const wrongPassword = '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
const database = (url: () => string) => () => ({ DATABASE_URL: url() });
const redis = (place: () => string) => () => ({ REDIS_URL: `redis://:${password}@${place()}` });
const folder = (path: () => string) => () => ({ DATA_DIR: path() });

/** One of each kind, with its exit code. The tests of `hub setup --check` cover the words of the messages. */
const causes: readonly (readonly [
  cause: string,
  settings: () => Readonly<Record<string, string>>,
  exitCode: number,
  message: RegExp,
])[] = [
  ['Postgres is away', database(() => `postgres://hub:${password}@127.0.0.1:1/hub`), 1, /cannot be reached/],
  [
    'Postgres hangs',
    database(() => `postgres://hub:${password}@${redisThat(null)}/hub`),
    1,
    /does not respond\. /,
  ],
  ['a wrong password', database(() => postgresUrl((url) => (url.password = password))), 78, /rejected/],
  ['no TLS', database(() => postgresUrl((url) => (url.search = '?sslmode=require'))), 78, /offers no TLS/],
  ['no database', database(() => `sqlite:${text('a.sqlite', letter)}`), 1, /is not a SQLite database/],
  ['the data folder is a file', folder(() => text('a-file', '')), 78, /not a folder.* Set DATA_DIR to/],
  ['the data folder cannot be made', folder(() => '/dev/null/hub'), 78, /^DATA_DIR .* Set DATA_DIR to/],
  ['Redis is away', redis(() => '127.0.0.1:1'), 1, /^Redis at .* be reached .*REDIS_URL/],
  ['Redis hangs', redis(() => redisThat(null)), 1, /^Redis at .*REDIS_URL/],
  ['Redis rejects it', redis(() => redisThat(wrongPassword)), 78, /^Redis at .* rejected .*REDIS_URL/],
  ['Redis is too old', redis(() => redisThat(tooOld)), 1, /^Redis at .* needs 6\.2 or later\. /],
];

// Concurrent, because two of them wait for a time limit.
test.concurrent.each(causes)('%s', (_cause, settings, exitCode, message) =>
  expectFailedStart(settings(), exitCode, message),
);

test('a port in use', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  for (const setting of ['PORT', 'API_METRICS_PORT', 'WORKER_METRICS_PORT', 'SMTP_INBOUND_PORT']) {
    const message = new RegExp(`^Port \\d+ on 127\\.0\\.0\\.1 is in use.* set ${setting} to another port`);
    await expectFailedStart({ [setting]: String(server.port) }, 1, message);
  }
  // The workers take consecutive ports.
  await expectFailedStart({ WORKER_METRICS_PORT: '65535' }, 78, /^There is no port 65536\. Set WORKER_/);
  await server.stop();
});

test('a port of two settings', async () => {
  const ports = { API_METRICS_PORT: '9463', API_PROCESSES: '2', WORKER_METRICS_PORT: '9464' };
  const message = /^API_METRICS_PORT and WORKER_METRICS_PORT both take port 9464\. /;
  // Several API processes need Postgres.
  await expectFailedStart({ ...ports, DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }, 78, message);
  await expectFailedStart({ PORT: '9463', API_METRICS_PORT: '9463' }, 78, /^PORT and API_METRICS_PORT both/);
});

test('a store of an unreleased version, which stays as it is', async () => {
  const message = /was made by an unreleased version of the hub .* Start with an empty database: set DATA/;
  const original = join(scratch, 'original.sqlite');
  await (await openDatabase({ kind: 'sqlite', file: original })).close();
  const file = new SqliteFile(original);
  file.run('update __drizzle_migrations set created_at = created_at - 1000');
  // A copy has the journal mode that a hub would change.
  const copy = join(scratch, 'unreleased.sqlite');
  file.run('VACUUM INTO ?', [copy]);
  file.close();
  const before = readFileSync(copy);
  await expectFailedStart({ DATABASE_URL: `sqlite:${copy}` }, 78, message);
  expect(readFileSync(copy).equals(before)).toBe(true);
});

test('a process that an operator starts directly prints the same message', async () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: 'postgres://hub@127.0.0.1:1/hub',
    REDIS_URL: 'redis://127.0.0.1:1',
  };
  const said = /^Postgres at 127\.0\.0\.1:1, database hub cannot be reached .*\n$/;
  for (const command of [hubProgram('api'), hubProgram('worker', '--pool', 'sweeper')])
    expect((await expectRefusal(runProgram(command, { env }), 1, said)).printed).toBe('');
});

test('a data folder that another hub uses', async () => {
  const settings = { DATA_DIR: join(scratch, 'taken') };
  const first = startHub({ PORT: '0', ...settings });
  await first.until(/Agent Hub is ready/);
  const note = join(settings.DATA_DIR, 'running.json');
  const noted = readFileSync(note, 'utf8');
  const message = /^Another hub runs in .*\. Stop it, or set DATA_DIR to another folder\./;
  await expectFailedStart(settings, 1, message);
  // Commands find the running hub by it.
  expect(readFileSync(note, 'utf8')).toBe(noted);
  expect((await first.stop()).exitCode).toBe(0);
});

test('a first start that fails keeps the sign-in link for the one that succeeds, and for that one only', async () => {
  const settings = { PORT: '0', DATA_DIR: join(scratch, 'first') };
  await expectFailedStart({ ...settings, PATH: scratch }, 1, /^No redis-server or valkey-server was found\./);
  for (const links of [1, 0]) {
    const { until, stop } = startHub(settings);
    await until(/Agent Hub is ready/);
    await until(/v1\/agents\/register/);
    expect((await stop()).output.match(/\/admin\/sign-in\//g) ?? []).toHaveLength(links);
  }
});
