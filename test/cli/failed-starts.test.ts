/**
 * A hub that cannot start prints one message that names the problem, the setting and the remedy, and starts
 * nothing.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlace, type StorePlace } from '#test/harness/stores.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { openDatabase } from '#db/open-database.ts';
import { runProgram } from '#test/harness/run-program.ts';

const password = 'a-password-that-nobody-may-see';

let scratch: string;
let postgres: StorePlace;
const servers: ReturnType<typeof listenAs>[] = [];

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-hub-failed-'));
  postgres = await createPlace('postgres');
});
afterAll(async () => {
  for (const server of servers) server.stop(true);
  await postgres.remove();
  rmSync(scratch, { recursive: true, force: true });
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

const text = (name: string, content: string): string => {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
};
const redisThat = (answer: string | null): string => {
  const server = listenAs(answer);
  servers.push(server);
  return `:${password}@127.0.0.1:${server.port}`;
};
const infoOf = (info: string): string => `$${info.length}\r\n${info}\r\n`;

/** One of each kind; `hub setup --check` has the same messages, and its tests cover more of them. */
const causes: readonly (readonly [
  cause: string,
  settings: () => Readonly<Record<string, string>>,
  exitCode: number,
  message: RegExp,
])[] = [
  [
    'an unreachable Postgres',
    () => ({ DATABASE_URL: `postgres://hub:${password}@127.0.0.1:1/hub` }),
    1,
    /^Postgres at 127\.0\.0\.1:1, database hub cannot be reached .*DATABASE_URL/,
  ],
  [
    'a Postgres that never responds',
    () => ({ DATABASE_URL: `postgres://hub${redisThat(null)}/hub` }),
    1,
    /^Postgres at .* does not respond\. .*DATABASE_URL/,
  ],
  [
    'a Postgres that refuses the password',
    () => ({ DATABASE_URL: postgresUrl((url) => (url.password = password)) }),
    78,
    /^Postgres at .*: the server rejected the user or the password in DATABASE_URL/,
  ],
  [
    'a Postgres without TLS, which the setting requires',
    () => ({ DATABASE_URL: postgresUrl((url) => url.searchParams.set('sslmode', 'require')) }),
    78,
    /offers no TLS, which sslmode in DATABASE_URL requires/,
  ],
  [
    'a database file that is not SQLite',
    () => ({
      DATABASE_URL: `sqlite:${text('letter.sqlite', 'Dear hub, this is no database. '.repeat(200))}`,
    }),
    1,
    /letter\.sqlite is not a SQLite database.*DATABASE_URL/,
  ],
  [
    'a data folder that is a file',
    () => ({ DATA_DIR: text('a-file', '') }),
    78,
    /^DATA_DIR \S+a-file is not a folder.* Set DATA_DIR to/,
  ],
  [
    'a data folder that cannot be created',
    () => ({ DATA_DIR: '/dev/null/hub' }),
    78,
    /^DATA_DIR \/dev\/null\/hub .* Set DATA_DIR to/,
  ],
  [
    'an unreachable Redis',
    () => ({ REDIS_URL: `redis://:${password}@127.0.0.1:1` }),
    1,
    /^Redis at 127\.0\.0\.1:1 cannot be reached .*REDIS_URL/,
  ],
  [
    'a Redis that never responds',
    () => ({ REDIS_URL: `redis://${redisThat(null)}` }),
    1,
    /^Redis at .*REDIS_URL/,
  ],
  [
    'a Redis that rejects the password',
    () => ({
      REDIS_URL: `redis://${redisThat('-WRONGPASS invalid username-password pair or user is disabled.\r\n')}`,
    }),
    78,
    /^Redis at .* rejected the user or the password in REDIS_URL/,
  ],
  [
    'a Redis that is too old',
    () => ({ REDIS_URL: `redis://${redisThat(infoOf('redis_version:5.0.14\r\nloading:0\r\n'))}` }),
    1,
    /^Redis at .* is version 5\.0\.14; the hub needs 6\.2 or later\. .*REDIS_URL/,
  ],
];

// Concurrent, because two of them wait for a time limit.
test.concurrent.each(causes)('%s', (_cause, settings, exitCode, message) =>
  expectFailedStart(settings(), exitCode, message),
);

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
  await expectFailedStart({ DATABASE_URL: `sqlite:${copy}` }, 78, message);
  expect(readFileSync(copy).equals(before)).toBe(true);
  await sqlite.remove();
});

test('a process that an operator starts directly prints the same message', async () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: 'postgres://hub@127.0.0.1:1/hub',
    REDIS_URL: 'redis://127.0.0.1:1',
  };
  for (const command of [hubProgram('api'), hubProgram('worker', '--pool', 'sweeper')]) {
    const { exitCode, printed, complaints } = await runProgram(command, { env });
    expect(complaints).toMatch(/^Postgres at 127\.0\.0\.1:1, database hub cannot be reached .*\n$/);
    expect(printed).toBe('');
    expect(exitCode).toBe(1);
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
