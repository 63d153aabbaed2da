/** A restore accepts only a hub's database with everything committed in it, and otherwise changes nothing. */
import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { usePlaces } from '#test/db/use-places.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
const place = usePlaces();
const folder = useTestFolder();
const backup = join(folder, 'backup.sqlite');
let DATA_DIR: string;
let count = 0;

beforeAll(async () => {
  const made = join(folder, 'made');
  await (await openDatabase({ kind: 'sqlite', file: join(made, 'hub.sqlite') })).close();
  writeFileSync(join(made, 'secret-key'), 'k'.repeat(43));
  await expectSuccess(runHubCommand(['backup', backup], { DATA_DIR: made }));
});
beforeEach(() => {
  count += 1;
  DATA_DIR = join(folder, `hub-${count}`);
});

function restore(file: string, env: Readonly<Record<string, string>> = {}) {
  return runHubCommand(['restore', file, '--yes'], { DATA_DIR, ...env });
}

function change(file: string, ...statements: readonly string[]): void {
  using database = new Database(file);
  for (const statement of statements) database.run(statement);
}

function tablesOf(file: string): readonly string[] {
  using database = new Database(file, { readonly: true });
  return database
    .query<{ name: string }, []>('select name from sqlite_master')
    .all()
    .map(({ name }) => name);
}

const migratedAt = (time: number): readonly string[] => [
  'create table __drizzle_migrations (id integer primary key, hash text, created_at numeric)',
  `insert into __drizzle_migrations values (1, 'x', ${time})`,
];
const foreign = 'It is a SQLite database, but not one that this hub can upgrade.\n';
const damaged = 'Its notes about the backup are damaged.\n';
const trigger = 'create trigger gift after insert on agents begin update token_accounts set balance = 9; end';
const newer = `insert into __drizzle_migrations (hash, created_at)
  select 'later', max(created_at) + 1 from __drizzle_migrations`;
const view = "create view hub_backup as select '2026' made_at, '' version, null secret_key";

/** Refuses it before anything is replaced. */
async function expectRefused(file: string, words: string): Promise<void> {
  expect((await expectRefusal(restore(file), 1, words)).printed).toBe('');
  for (const name of ['hub.sqlite', 'secret-key']) expect(existsSync(join(DATA_DIR, name))).toBe(false);
}

test.each([
  ['a backup with a trigger', backup, [trigger], 'trigger gift'],
  ['a backup with a view', backup, ['create view everybody as select * from agents'], 'view everybody'],
  ['a backup with another table', backup, ['create table loot (id integer)'], 'table loot'],
  ['a database of another program', null, ['create table diary (entry text)'], foreign],
  ['an older database of the same migrator', null, migratedAt(1_600_000_000_000), foreign],
  ['a newer database of the same migrator', null, migratedAt(9_999_999_999_999), foreign],
  ['migrations in another form', null, ['create table __drizzle_migrations (id integer)'], foreign],
  ['a view of migrations', null, ['create view __drizzle_migrations as select 16 as created_at'], foreign],
  ['notes in another form', backup, ['drop table hub_backup', 'create table hub_backup (x)'], damaged],
  ['notes that are a view', backup, ['drop table hub_backup', view], damaged],
  ['notes without a time', backup, ["update hub_backup set made_at = 'long ago'"], damaged],
  ['a key that no hub has made', backup, ["update hub_backup set secret_key = 'short'"], damaged],
  ['a backup of a newer version', backup, [newer], 'newer version'],
])('%s is refused before anything is replaced', async (_, from, statements, says) => {
  const file = join(folder, `wrong-${count}.sqlite`);
  if (from !== null) copyFileSync(from, file);
  change(file, ...statements);
  await expectRefused(file, says);
});

test('a file that is missing, no database or cut off is refused before anything is replaced', async () => {
  const file = join(folder, 'wrong.sqlite');
  await expectRefused(file, 'does not exist');
  writeFileSync(file, 'Dear diary');
  await expectRefused(file, 'not a SQLite database');
  writeFileSync(file, readFileSync(backup).subarray(0, -40_000));
  await expectRefused(file, 'damaged');
});

test('a plain copy is restored with the changes in its write-ahead log, on both stores, and its files stay unchanged', async () => {
  const source = join(folder, 'with-log.sqlite');
  const copy = join(folder, 'copied.sqlite');
  copyFileSync(backup, source);
  using writer = new Database(source);
  writer.run('PRAGMA journal_mode = WAL');
  const id = '01900000-0000-7000-8000-000000000000';
  writer.run(`insert into setting_changes (id, name, created_at) values ('${id}', 'only in log', 0)`);
  copyFileSync(source, copy);
  copyFileSync(`${source}-wal`, `${copy}-wal`);
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
  const before = readFileSync(`${copy}-wal`);
  await expectSuccess(restore(copy));
  using restored = new Database(join(DATA_DIR, 'hub.sqlite'), { readonly: true });
  expect(restored.query('select name from setting_changes').values()).toEqual([['only in log']]);
  expect(tablesOf(join(DATA_DIR, 'hub.sqlite'))).not.toContain('hub_backup');
  const setting = await place('postgres');
  const there = { DATA_DIR, DATABASE_URL: databaseUrlOf(setting) };
  await expectSuccess(runHubCommand(['restore', copy, '--json'], there));
  const db = await openExistingDatabase(setting);
  expect(await rowsOf({ db }, 'settingChanges')).toMatchObject([{ name: 'only in log' }]);
  await db.close();
  expect(readFileSync(`${copy}-wal`).equals(before)).toBe(true);
  writer.run('create table loot (id integer)');
  copyFileSync(`${source}-wal`, `${copy}-wal`);
  await expectRefusal(runHubCommand(['rehearse-restore', copy]), 1, 'table loot');
});

test('a rehearsal that is interrupted leaves no copy of the database behind', async () => {
  const place = join(folder, 'interrupted');
  mkdirSync(place);
  const file = join(place, 'backup.sqlite');
  copyFileSync(backup, file);
  const { child, ended } = startProgram([hubBinary, 'rehearse-restore', file], { cwd: place });
  await waitUntil(() => readdirSync(place).length > 1 || child.exitCode !== null);
  child.kill('SIGINT');
  await ended;
  expect(readdirSync(place)).toEqual(['backup.sqlite']);
});

test('the database stays in place when the secret key cannot be written', async () => {
  const store = join(folder, 'store.sqlite');
  copyFileSync(backup, store);
  change(store, 'drop table hub_backup', 'create table of_before (x)');
  writeFileSync(DATA_DIR, 'a file where the folder would be');
  const env = { DATABASE_URL: `sqlite:${store}`, REDIS_URL: 'redis://127.0.0.1:9' };
  expect(await restore(backup, env)).toMatchObject({ exitCode: 1, printed: '' });
  expect(tablesOf(store)).toContain('of_before');
  expect(readdirSync(folder).filter((name) => name.includes('.restoring'))).toEqual([]);
});

test('a missing folder for the secret key is created, readable only by its owner', async () => {
  const store = join(folder, 'apart.sqlite');
  const env = { DATABASE_URL: `sqlite:${store}`, REDIS_URL: 'redis://127.0.0.1:9' };
  await expectSuccess(restore(backup, env));
  expect(readFileSync(join(DATA_DIR, 'secret-key'), 'utf8').trim()).toBe('k'.repeat(43));
  expect(statSync(DATA_DIR).mode & 0o777).toBe(0o700);
  expect(statSync(join(DATA_DIR, 'secret-key')).mode & 0o777).toBe(0o600);
});

test('a database behind a symbolic link is replaced and kept at its real path', async () => {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  mkdirSync(DATA_DIR);
  copyFileSync(backup, join(disk, 'hub.sqlite'));
  symlinkSync(join(disk, 'hub.sqlite'), join(DATA_DIR, 'hub.sqlite'));
  const { printed } = await expectSuccess(restore(backup));
  expect(printed).toContain(`kept   ${join(realpathSync(disk), 'hub.sqlite.replaced-')}`);
  expect(lstatSync(join(DATA_DIR, 'hub.sqlite')).isSymbolicLink()).toBe(true);
  expect(tablesOf(join(disk, 'hub.sqlite'))).not.toContain('hub_backup');
});
