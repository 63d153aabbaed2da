/**
 * A backup taken under writes is a consistent snapshot that restores to a working hub; a running hub is never
 * overwritten.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresBackupLines, postgresRestoreLines } from '#cli/hub/operator/backup/postgres-commands.ts';
import { openDatabase } from '#db/open-database.ts';
import { usePlaces } from '#test/db/use-places.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';
const writersAtOnce = 4;

let running: WholeHub;
let HUB_URL: string;
let token: string;

beforeAll(async () => {
  const made = await runHubCommand(['keygen', keyFile, '--json']);
  const { did } = made.json() as { did: string };
  running = startHub({ PORT: '0', MAINTAINER_DIDS: did });
  HUB_URL = await running.address();
  const signedUp = await runHubCommand(['register', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  token = (signedUp.json() as { token: string }).token;
});
afterAll(async () => {
  if (running.hub.exitCode === null) await running.stop();
});
const place = usePlaces();
const folder = useTestFolder();
const keyFile = join(folder, 'agent.pem');
const backup = join(folder, 'backup.sqlite');

/** Grants tokens without a pause until told to stop. @returns the number of grants */
async function keepGranting(stop: AbortSignal, onGrant: () => void): Promise<number> {
  let granted = 0;
  while (!stop.aborted) {
    const response = await fetch(`${HUB_URL}/v1/tokens/grants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'ada-7', amount: 1, reason: 'For a test' }),
    });
    expect(response.status).toBe(201);
    granted += 1;
    onGrant();
  }
  return granted;
}

function entriesIn(file: string): number {
  using database = new Database(file, { readonly: true });
  return database.query<{ entries: number }, []>('select count(*) as entries from token_entries').get()!
    .entries;
}

test('a backup taken under writes is complete, restores to a clean audit, and includes the secret key', async () => {
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const grant = () => keepGranting(stop.signal, begun.resolve);
  const writers = Promise.all(Array.from({ length: writersAtOnce }, grant));
  await begun.promise;
  const made = await runHubCommand(['backup', backup, '--json'], { DATA_DIR: running.dataDir });
  stop.abort();
  const granted = (await writers).reduce((sum, count) => sum + count, 0);
  expect([made.exitCode, made.complaints]).toEqual([0, '']);
  expect(made.json()).toMatchObject({ backed_up: true, file: backup, secret_key: 'included' });
  expect(statSync(backup).mode & 0o777).toBe(0o600);

  const DATA_DIR = join(folder, 'elsewhere');
  const restored = await expectSuccess(runHubCommand(['restore', backup, '--json'], { DATA_DIR }));
  expect(restored.json()).toMatchObject({ restored: true, kept: [], secret_key: 'restored' });
  const keyOf = (dataDir: string): string => readFileSync(join(dataDir, 'secret-key'), 'utf8');
  expect(keyOf(DATA_DIR)).toBe(keyOf(running.dataDir));
  const audit = await runHubCommand(['audit'], { DATA_DIR });
  expect([audit.exitCode, audit.printed]).toEqual([0, expect.stringContaining('No drift.')]);
  const copied = entriesIn(join(DATA_DIR, 'hub.sqlite'));
  expect(copied).toBeGreaterThan(0);
  expect(copied).toBeLessThanOrEqual(granted);
  expect(entriesIn(join(running.dataDir, 'hub.sqlite'))).toBe(granted);
  // The key is only in the backup, not in the hub's database.
  expect(readFileSync(backup).includes(keyOf(DATA_DIR).trim())).toBe(true);
  expect(readFileSync(join(DATA_DIR, 'hub.sqlite')).includes(keyOf(DATA_DIR).trim())).toBe(false);
});

test('a backup overwrites no file, and a restore refuses to touch a running hub', async () => {
  const DATA_DIR = running.dataDir;
  await expectRefusal(runHubCommand(['backup', backup], { DATA_DIR }), 1, 'already exists');
  await expectRefusal(runHubCommand(['backup', ''], { DATA_DIR }), 1, 'file name is empty');
  const before = entriesIn(join(DATA_DIR, 'hub.sqlite'));
  for (const env of [{ DATA_DIR }, { DATA_DIR, REDIS_URL: 'redis://127.0.0.1:9' }]) {
    await expectRefusal(runHubCommand(['restore', backup, '--yes'], env), 1, 'A hub is running on');
  }
  expect(entriesIn(join(DATA_DIR, 'hub.sqlite'))).toBe(before);
  expect((await fetch(`${HUB_URL}/v1/health`)).status).toBe(200);
});

test('a restore keeps the old database beside the new one, and the hub continues from the backup', async () => {
  const { dataDir: DATA_DIR } = running;
  await expectSuccess(runHubCommand(['tokens', 'grant', 'ada-7', '1'], { DATA_DIR }));
  running.hub.kill('SIGTERM');
  await running.hub.exited;
  const present = entriesIn(join(DATA_DIR, 'hub.sqlite'));
  await expectRefusal(runHubCommand(['restore', backup], { DATA_DIR }), 2, 'Add --yes');
  const restored = await expectSuccess(runHubCommand(['restore', backup, '--yes', '--json'], { DATA_DIR }));
  const { kept } = restored.json() as { kept: string[] };
  expect(kept).toEqual([expect.stringContaining('hub.sqlite.replaced-')]);
  expect(entriesIn(kept[0]!)).toBe(present);
  expect(entriesIn(join(DATA_DIR, 'hub.sqlite'))).toBeLessThan(present);

  // Uses the old Redis, which knows of newer work than the restored database.
  const next = startHub({ PORT: '0', DATA_DIR });
  const login = ['login', 'ada-7', '--key', keyFile];
  await expectSuccess(runHubCommand(login, { HUB_URL: await next.address() }));
  expect((await next.stop()).exitCode).toBe(0);
  expect((await runHubCommand(['audit'], { DATA_DIR })).exitCode).toBe(0);
});

test.each([
  [
    'postgres://hub:secret@db/hub?pool_size=5&options=-c%20search_path%3Dhub',
    "'postgres://hub@db/hub?options=-c%20search_path%3Dhub'",
  ],
  ['postgres://hub:secret@hub,hub-2:5433/hub?pool_mode=transaction', "'postgres://hub@hub,hub-2:5433/hub'"],
  ['postgres:///hub?host=/run/postgresql', "'postgres:///hub?host=/run/postgresql'"],
  ['postgres://hub@db/hub?p%61ssword=secret&connect_timeout=5', "'postgres://hub@db/hub?connect_timeout=5'"],
  ['postgres://hub@db/hub?password=secret&sslpassword=secret', 'postgres://hub@db/hub'],
])('the commands for %s name the same hosts and parameters, but no password', (url, named) => {
  expect(postgresBackupLines(url, 'hub.dump')[0]).toBe(
    `pg_dump --format=custom --file=hub.dump --dbname=${named}`,
  );
  expect(postgresRestoreLines(url, 'hub.dump')[0]).toEndWith(`--dbname=${named} hub.dump`);
  const asks = expect.stringContaining('It asks for the password');
  for (const lines of [postgresBackupLines(url, 'hub.dump'), postgresRestoreLines(url, 'hub.dump')])
    expect(lines.slice(1, -1)).toEqual(url.includes('secret') ? [asks] : []);
});

test('on Postgres both commands print what to run, without the password, and exit with 1', async () => {
  const setting = await place('postgres');
  await (await openDatabase(setting)).close();
  const env = { DATABASE_URL: databaseUrlOf(setting) };
  const made = await runHubCommand(['backup', join(folder, 'of postgres.dump')], env);
  expect([made.exitCode, made.complaints]).toEqual([1, '']);
  expect(made.printed).toMatch(/^pg_dump --format=custom --file='.*of postgres\.dump' --dbname=\S+$/m);
  const dump = join(folder, 'hub.dump');
  writeFileSync(dump, 'PGDMP');
  const restored = await runHubCommand(['restore', dump], env);
  expect([restored.exitCode, restored.printed]).toEqual([1, expect.stringContaining('pg_restore')]);
  const { password } = new URL(env.DATABASE_URL);
  expect(password).not.toBe('');
  expect(made.printed + restored.printed).not.toContain(password);
});
