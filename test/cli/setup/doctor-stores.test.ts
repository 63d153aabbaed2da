/** `hub setup --check` names every fault of the stores, the mail server and the backups, says what to do, and reports it once. */
import { Database as SqliteFile } from 'bun:sqlite';
import { expect, setSystemTime, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import { guardRedis, userIn } from '#test/harness/guarded-redis.ts';
import { startPooler } from '#test/harness/pgbouncer.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import { startRedisServer } from '#test/harness/redis-server.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { startTestSmtpServer } from '#test/harness/smtp.ts';
import { forEachStore, openScratchStore, useScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { appliedTables, fileOf, runStatements } from '../../db/raw-store.ts';
import { redisThat, tooOld } from '../fake-redis.ts';
import { type Patient, plantBackup, usePatient, withClock } from './patient.ts';

const patient = usePatient();
const postgres = useScratchStore('postgres');

const found: Patient['found'] = (...given) => patient.found(...given);
const expectFault: Patient['expectFault'] = (...given) => patient.expectFault(...given);

/** Of each of these addresses, the check of Redis, or of the database, finds this. */
async function expectFaults(
  name: 'redis' | 'database',
  rows: readonly (readonly [url: string, what: RegExp])[],
): Promise<void> {
  const setting = name === 'redis' ? 'REDIS_URL' : 'DATABASE_URL';
  for (const [url, what] of rows) await expectFault(name, { [setting]: url }, what, /check again/);
}

test('a Redis that is away, evicts, is a replica, is full, lacks permissions or wants a password', async () => {
  await expectFaults('redis', [['redis://127.0.0.1:1', /127\.0\.0\.1:1 cannot be reached.* Start it/]]);
  expect((await found('redis')).state).toBe('ok');
  const server = await startTestRedis();
  const admin = new Redis(server.url);
  for (const [commands, what] of [
    [['CONFIG SET maxmemory 100mb', 'CONFIG SET maxmemory-policy allkeys-lru'], /deletes keys .*noeviction/],
    [
      ['CONFIG SET maxmemory-policy noeviction', 'REPLICAOF 127.0.0.1 1'],
      /read-only replica\. Set REDIS_URL/,
    ],
    [['REPLICAOF NO ONE', 'CONFIG SET maxmemory 1'], /does not accept writes \(OOM.* Fix it/],
    [['CONFIG SET maxmemory 0', 'ACL SETUSER default -set'], /lacks permissions\. Grant it/],
    [
      ['ACL SETUSER default +set', 'CONFIG SET requirepass x'],
      /rejected the user or the password .* Correct/,
    ],
  ] as const) {
    for (const command of commands) {
      const [name = '', ...words] = command.split(' ');
      await admin.call(name, ...words);
    }
    await expectFaults('redis', [[server.url, what]]);
  }
  admin.disconnect();
  await server.stop();
});

test('a Redis that is too old, a node of a Cluster, or taken for a Cluster', async () => {
  const [plainPort = 0, nodePort = 0, busPort = 0] = await freePorts(3);
  const folder = join(patient.root, 'redis');
  mkdirSync(folder);
  const cluster = ['cluster-enabled yes', `cluster-port ${busPort}`];
  const [plain, node] = await Promise.all([
    startRedisServer({ port: plainPort, folder }),
    startRedisServer({ port: nodePort, folder, lines: cluster }),
  ]);
  await expectFaults('redis', [
    [`redis://${redisThat(tooOld)}`, /is version 5\.\S+; the hub needs 6\.2 or later\. Upgrade it/],
    [`redis://127.0.0.1:${nodePort}`, /belongs to a Cluster\. Set REDIS_URL to redis\+cluster:/],
    [`redis+cluster://127.0.0.1:${plainPort}`, /has no cluster mode\. Set REDIS_URL to redis:/],
  ]);
  await Promise.all([plain.stop(), node.stop()]);
});

test('a Redis that cannot save, or whose certificate is of a private authority', async () => {
  const [savingPort = 0, securePort = 0] = await freePorts(2);
  const folder = join(patient.root, 'redis-gone');
  const secured = join(patient.root, 'redis-secured');
  for (const each of [folder, secured]) mkdirSync(each);
  const guard = guardRedis();
  const [saving, secure] = await Promise.all([
    startRedisServer({ port: savingPort, folder }),
    startRedisServer({ port: securePort, folder: secured, guard }),
  ]);
  await saving.admin.config('SET', 'save', '3600 1');
  rmSync(folder, { recursive: true });
  await saving.admin.bgsave();
  await waitUntil(async () => (await saving.read('persistence', 'rdb_last_bgsave_status')) === 'err');
  await expectFaults('redis', [
    [`redis://127.0.0.1:${savingPort}`, /does not accept writes \(MISCONF.* Fix it/],
    [`rediss://${userIn(guard)}localhost:${securePort}`, /certificate must be trusted.* NODE_EXTRA_CA_CERTS/],
  ]);
  await Promise.all([saving.stop(), secure.stop()]);
  guard.remove();
});

forEachStore((store) => {
  test('a database of another version', async () => {
    const table = appliedTables[store.dialect];
    const settings = { DATABASE_URL: databaseUrlOf(store.setting) };
    const upgrading = { version: '9.9.9' };
    for (const [statement, what, undo] of [
      [
        `update ${table} set created_at = created_at - 1`,
        /by an unreleased version of the hub or by another program.* Start with an empty database/,
        `update ${table} set created_at = created_at + 1`,
      ],
      [`delete from ${table}`, /does not have this version's schema\. Start the hub with this version/, null],
    ] as const) {
      await runStatements(store.setting, statement);
      await expectFault('database', settings, what, /check again/);
      // The hub that runs is of another version for the same reason.
      await expectFault('database', settings, what, /check again/, upgrading);
      if (undo !== null) await runStatements(store.setting, undo);
    }
  });
});

test('a file that is no database, a folder, one that is missing, and no store at all', async () => {
  const text = join(patient.root, 'text');
  writeFileSync(text, 'This is no database.'.repeat(100), { mode: 0o600 });
  await expectFaults('database', [
    [`sqlite:${text}`, /not a SQLite database.* Restore/],
    [`sqlite:${patient.data}`, /cannot be opened for writing\. Let this user write/],
  ]);
  const missing = { DATABASE_URL: `sqlite:${join(patient.data, 'missing.sqlite')}` };
  await expectFault('database', missing, /no database at .*missing/, /--data.*hub restore --latest/);
  await expectFault('database', { DATABASE_URL: 'none' }, /is none.* stores nothing/, /Unset DATABASE_URL/);
});

test('a database file that another program holds', async () => {
  const store = await openScratchStore('sqlite');
  const file = fileOf(store);
  await store.db.close();
  const holder = new SqliteFile(file);
  holder.run('pragma locking_mode = exclusive');
  holder.run('begin exclusive');
  await expectFaults('database', [
    [`sqlite:${file}`, /stayed locked by another process\. Stop that process/],
  ]);
  holder.close();
  await store.remove();
});

test('a Postgres that is away, refuses the login, lacks the database, or permits too little', async () => {
  const url = new URL(databaseUrlOf(postgres.setting));
  const urlWith = (change: (url: URL) => void): string => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  const sql = connectDirectly(url.href);
  await sql.unsafe(`create role ${role} login password 'read'`);
  const database = url.pathname.slice(1);
  await expectFaults('database', [
    ['postgres://hub@127.0.0.1:1/hub', /127\.0\.0\.1:1, database hub cannot be reached.* Start it/],
    [urlWith((wrong) => (wrong.password = 'wrong')), /rejected the user or the password .* Correct them/],
    [urlWith((wrong) => (wrong.username = 'nobody')), /rejected the user or the password .* Correct them/],
    [urlWith((wrong) => (wrong.pathname = '/nowhere')), /database nowhere: .*does not exist\. Create it/],
    [
      urlWith((wrong) => Object.assign(wrong, { username: role, password: 'read' })),
      /the user in DATABASE_URL may not read or create tables there\. Make it the owner/,
    ],
  ]);
  await sql.unsafe(`drop role ${role}`);
  await sql.unsafe(`alter database ${database} set default_transaction_read_only = on`);
  const readOnly = new RegExp(`database ${database} accepts no writes`);
  await expectFault('database', { DATABASE_URL: url.href }, readOnly, /to the primary.*read_only off/);
  await sql.unsafe(`alter database ${database} reset default_transaction_read_only`);
  await sql.close();
  const pooler = await startPooler(url.href, join(patient.root, 'pooler'));
  await expectFaults('database', [[pooler.urlOf(url.href), /leads to a pooler.* Add pool_mode=transaction/]]);
  await pooler.stop();
});

test('a clock that differs from that of Postgres, or was set back', async () => {
  const settings = { DATABASE_URL: databaseUrlOf(postgres.setting) };
  expect((await found('clocks of stores', settings)).state).toBe('ok');
  expect((await found('clocks of stores')).state).toBe('ok');
  const path = process.env['PATH'];
  try {
    setSystemTime(new Date(Date.now() - 3_600_000));
    const known = { runningSince: new Date() };
    await expectFault('clocks of stores', settings, /differs by 36\d\d s/, /time server/, known);
    await expectFault('clocks of stores', {}, /in the future/, /time server/);
    process.env['PATH'] = withClock(patient.root, 'no');
    await expectFault('clock', {}, /not synchronized/, /timedatectl/);
  } finally {
    process.env['PATH'] = path;
    setSystemTime();
  }
});

test('a mail server that is away, or refuses the login', async () => {
  const away = { SMTP_URL: 'smtp://127.0.0.1:1' };
  await expectFault('mail', away, /cannot be used: .*ECONNREFUSED/, /Correct SMTP_URL/);
  const server = await startTestSmtpServer({
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'hub' }) : done(new Error('Wrong password.')),
  });
  const as = (password: string) => ({ SMTP_URL: `smtp://hub:${password}@127.0.0.1:${server.port}` });
  expect((await found('mail', as('right'))).state).toBe('ok');
  await expectFault('mail', as('wrong'), /cannot be used: .*535 Wrong password/, /Correct SMTP_URL/);
  await server.close();
});

test('backups that are off, missing, old, failed or deleted', async () => {
  const { db } = patient.store;
  await expectFault('backups', { BACKUP_EVERY: 'off' }, /is off/, /BACKUP_EVERY=6h/);
  const clear = () => db.transaction((tx) => tx.query.delete(tx.tables.hubBackups));
  const plant = async (...backup: [hoursAgo: number, Parameters<typeof plantBackup>[2]?]) => {
    await clear();
    await plantBackup(db, ...backup);
  };
  await clear();
  await expectFault('backups', {}, /no backup yet/, /log/);
  const runningFor = (seconds: number) => ({ runningSince: new Date(Date.now() - seconds * 1_000) });
  await expectFault('backups', {}, /no backup yet/, /log/, runningFor(121));
  expect((await found('backups', {}, runningFor(60))).state).toBe('skipped');
  // A hub that does not run makes none.
  await expectFault('running', { PORT: '1' }, /Nothing serves/, /hub start/);
  await plant(30);
  await expectFault('backups', {}, /30 h old: \/backups\/hub\.sqlite/, /less than a day/);
  await expectFault('running', { PORT: '1' }, /Nothing serves/, /hub start/);
  await plant(1, { failure: 'rclone: no such remote' });
  await expectFault('backups', {}, /failed \(command\): rclone: no such remote/, /Fix/);
  await plant(0.5, { machine: hostname() });
  await expectFault('backups', {}, /hub\.sqlite, which is gone/, /BACKUP_DIR\. The next backup/);
  await plant(2);
  expect((await found('backups')).state).toBe('ok');
  await plant(31 / 60);
  expect(JSON.stringify(await found('backups'))).toContain('31 min old');
});

test('totals that have drifted', async () => {
  expect((await found('audit')).state).toBe('ok');
  await patient.store.db.transaction((tx) => tx.query.update(tx.tables.tokenAccounts).set({ balance: 7 }));
  await expectFault('audit', {}, /token_balances/, /hub audit/);
});
