/** Scheduled backups: one at a time whoever makes them, checked, passed on, and restored by time. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { openSqlite } from '#db/sqlite.ts';
import type { OpenDatabase } from '#db/database.ts';
import { listBackupFiles } from '#domain/backups/backup-files.ts';
import { claimBackup, endBackup, readBackupState } from '#domain/backups/claim-backup.ts';
import { isAlive } from '#runtime/process/is-alive.ts';
import { runBackupCommand } from '#workers/sweeper/backup-command.ts';
import { createBackupRound } from '#workers/sweeper/start-backups.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { createPlace, forEachStore, openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const everyMs = 6 * 3_600_000;
const never = new AbortController().signal;
const scratchFolder = useTestFolder();

forEachStore((store) => {
  test('one of several sweepers gets a backup that is due, and another takes over from a dead one', async () => {
    const ctx = createTestCtx(store.db);
    const claim = (machine: string) => claimBackup(ctx, { everyMs, machine });
    const claims = await Promise.all(['one', 'two', 'three'].map(claim));
    const [won, ...others] = claims.filter((claimed) => 'id' in claimed);
    expect([won, others]).toEqual([{ id: expect.any(String) }, []]);
    ctx.clock.advance(119_000);
    expect(await claim('two')).toHaveProperty('nextAt');
    ctx.clock.advance(2_000);
    const second = await claim('two');
    expect(second).toEqual({ id: expect.any(String) });
    expect((await readBackupState(ctx)).last).toMatchObject({
      machine: expect.any(String),
      failedStep: 'copy',
    });

    const id = 'id' in second ? second.id : '';
    await endBackup(ctx, { id, file: null, bytes: null, failure: { step: 'copy', message: 'Full.' } });
    ctx.clock.advance(15 * 60_000);
    const third = await claim('two');
    const made = { id: 'id' in third ? third.id : '', file: '/backups/hub.sqlite', bytes: 1 };
    await endBackup(ctx, { ...made, failure: { step: 'command', message: 'Away.' } });
    const state = await readBackupState(ctx);
    expect([state.last?.failedStep, state.lastGood?.file]).toEqual(['command', '/backups/hub.sqlite']);
    ctx.clock.advance(everyMs - 1);
    expect(await claim('one')).toHaveProperty('nextAt');
    ctx.clock.advance(1);
    expect(await claim('one')).toHaveProperty('id');
  });
});

test('after the clock was set back, backups go on as often as before, and are reported', async () => {
  const scratch = await openScratchStore('sqlite');
  const ctx = createTestCtx(scratch.db);
  const claimOne = async (message: string | null = null) => {
    const claimed = await claimBackup(ctx, { everyMs, machine: 'one' });
    if (!('id' in claimed)) return false;
    const failure = message === null ? null : { step: 'command' as const, message };
    await endBackup(ctx, { id: claimed.id, file: '/backups/hub.sqlite', bytes: 1, failure });
    return true;
  };
  expect(await claimOne()).toBe(true);
  ctx.clock.advance(-40 * everyMs);
  expect([await claimOne(), await claimOne()]).toEqual([true, false]);
  ctx.clock.advance(everyMs);
  expect([await claimOne('Away.'), await claimOne()]).toEqual([true, false]);
  // The good one from before is of the future, and hides no failure.
  expect((await readBackupState(ctx)).last).toMatchObject({ failure: 'Away.' });
  await scratch.remove();
});

describe('the round', () => {
  let scratch: ScratchStore;
  let other: OpenDatabase;
  let ctx: TestCtx;
  let folder: string;
  beforeEach(async () => {
    scratch = await openScratchStore('sqlite');
    if (scratch.setting.kind !== 'sqlite') throw new Error('The store is a file.');
    other = openSqlite(scratch.setting.file);
    ctx = createTestCtx(scratch.db);
    ctx.clock.set(new Date('2027-01-31T12:00:00Z'));
    folder = join(mkdtempSync(join(scratchFolder, 'of-one-test-')), 'backups');
    await createTestAgent(ctx);
  });
  afterEach(async () => {
    await other.close();
    await scratch.remove();
  });

  function roundOf(
    db: OpenDatabase,
    command: string | null = null,
    store = scratch.setting,
    stopping = never,
  ) {
    const keep = { hours: 24, days: 7, weeks: 8 };
    const settings = { everyMs, keep, folder, command, commandVariables: ['RESTIC_*', 'UPLOAD_TO'] };
    const readSecretKey = () => 'k'.repeat(32);
    const deps = { ctx: { ...ctx, db }, settings, store, version: '0', logger, readSecretKey };
    return createBackupRound(deps, everyMs, stopping);
  }

  test('two sweepers make one backup, which restores by time into an empty folder', async () => {
    const rounds = [roundOf(scratch.db), roundOf(other)];
    await Promise.all(rounds.map((round) => round()));
    expect(listBackupFiles(folder)).toHaveLength(1);
    ctx.clock.advance(everyMs);
    await createTestAgent(ctx);
    await Promise.all(rounds.map((round) => round()));
    expect(listBackupFiles(folder)).toHaveLength(2);

    const agentsAfter = async (...words: string[]): Promise<number> => {
      const DATA_DIR = mkdtempSync(join(dirname(folder), 'restored-'));
      await expectSuccess(runHubCommand(['restore', ...words, '--json'], { DATA_DIR, BACKUP_DIR: folder }));
      expect(readFileSync(join(DATA_DIR, 'secret-key'), 'utf8').trim()).toBe('k'.repeat(32));
      using restored = new Database(join(DATA_DIR, 'hub.sqlite'));
      // That of this backup itself was open in the copy, and a hub would report it as failed.
      expect(restored.query('select id from hub_backups where ended_at is null').all()).toEqual([]);
      return restored.query<{ n: number }, []>('select count(*) as n from agents').get()!.n;
    };
    expect(await agentsAfter('--latest')).toBe(2);
    expect(await agentsAfter('--at', '2027-01-31T17:59:59Z')).toBe(1);
    const early = runHubCommand(['restore', '--at', '2027-01-31T11:00:00Z'], { BACKUP_DIR: folder });
    await expectRefusal(early, 1, 'The oldest is of 2027-01-31T12:00:00.000Z');
    const rehearsed = await runHubCommand(['rehearse-restore', '--json'], { BACKUP_DIR: folder });
    expect([rehearsed.exitCode, rehearsed.json()]).toMatchObject([0, { ok: true, drifts: [] }]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test('the command gets the path, and its failure is kept with its last words', async () => {
    const passed = join(dirname(folder), 'passed.sqlite');
    await roundOf(scratch.db, `cp "$BACKUP_FILE" ${passed}`)();
    const [made] = listBackupFiles(folder);
    expect(readFileSync(passed).equals(readFileSync(made!.file))).toBe(true);
    ctx.clock.advance(everyMs);
    await roundOf(scratch.db, 'echo no such bucket >&2; exit 3; #')();
    const { last, lastGood } = await readBackupState(ctx);
    expect(last).toMatchObject({
      failedStep: 'command',
      failure: 'BACKUP_COMMAND ended with 3: no such bucket',
      file: listBackupFiles(folder)[0]!.file,
    });
    expect(lastGood?.id).toBe(last?.id);
  });

  test('a command that takes too long ends with all it has started, and what it leaves running delays nothing', async () => {
    const pids = join(dirname(folder), 'pids');
    const run = async (command: string, signal = never) => {
      const began = performance.now();
      const said = await runBackupCommand({ command, commandVariables: [] }, folder, signal);
      expect(performance.now() - began).toBeLessThan(10_000);
      return { said, pid: Number(readFileSync(pids, 'utf8')) };
    };
    for (const slow of [`sleep 77; true`, `echo wait >&2; cat /dev/null | sleep 77`]) {
      const { said, pid } = await run(`echo $$ > ${pids}; ${slow}; #`, AbortSignal.timeout(1_000));
      expect(said).toStartWith('BACKUP_COMMAND was ended after 30 minutes');
      // Whether a process of the group is left.
      await waitUntil(async () => !isAlive(-pid));
    }
    const { said, pid } = await run(`sleep 77 & echo $! > ${pids}; echo no >&2; exit 3; #`);
    expect(said).toBe('BACKUP_COMMAND ended with 3: no');
    process.kill(pid, 'SIGKILL');
  });

  test('a backup that a stopping process interrupts has not failed, and is made again', async () => {
    const begun = join(dirname(folder), 'begun');
    const stopping = new AbortController();
    const round = roundOf(scratch.db, `touch ${begun}; sleep 77; #`, scratch.setting, stopping.signal)();
    await waitUntil(async () => existsSync(begun));
    stopping.abort();
    await round;
    expect(await readBackupState(ctx)).toEqual({ last: null, lastGood: null });
    ctx.clock.advance(1_000);
    await roundOf(scratch.db, ':')();
    expect((await readBackupState(ctx)).last).toMatchObject({ failure: null });
  });

  test('the command gets none of the hub’s variables but those that BACKUP_COMMAND_ENV names', async () => {
    const listed = join(dirname(folder), 'environment');
    const own = { SECRET_KEY: 'a', DATABASE_URL: 'b', REDIS_URL: 'c', UPLOAD_TOO: 'd' };
    const planted = { ...own, UPLOAD_TO: 'there', RESTIC_REPOSITORY: 'repository', TZ: 'UTC' };
    const before = { ...process.env };
    Object.assign(process.env, planted);
    try {
      await roundOf(scratch.db, `env > ${listed}; : `)();
    } finally {
      for (const name of Object.keys(planted)) delete process.env[name];
      Object.assign(process.env, before);
    }
    const lines = readFileSync(listed, 'utf8').trim().split('\n');
    const names = lines.map((line) => line.split('=')[0]!);
    const ofTheShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
    const base = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
    const passed = ['BACKUP_FILE', 'RESTIC_REPOSITORY', 'UPLOAD_TO'];
    expect(names.filter((name) => ![...ofTheShell, ...base].includes(name)).toSorted()).toEqual(passed);
    expect(lines).toEqual(expect.arrayContaining(['UPLOAD_TO=there', 'TZ=UTC']));
  });

  test('a backup that cannot be written or fails the audit leaves no file', async () => {
    writeFileSync(folder, 'in the way');
    await roundOf(scratch.db)();
    expect((await readBackupState(ctx)).last).toMatchObject({ failedStep: 'copy', file: null });
    rmSync(folder);
    ctx.clock.advance(15 * 60_000);
    await changeRows(ctx, 'tokenAccounts', {}, { balance: 1_000 });
    await roundOf(scratch.db)();
    expect((await readBackupState(ctx)).last).toMatchObject({
      failedStep: 'check',
      failure: expect.stringContaining('disagrees with its lots'),
    });
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  test('a backup of Postgres is such a file too, and restores into an empty database', async () => {
    const origin = await openScratchStore('postgres');
    const target = await createPlace('postgres');
    try {
      const own = createTestCtx(origin.db, ctx.clock);
      const agent = await createTestAgent(own, { tokens: 5 });
      await roundOf(origin.db, null, origin.setting)();
      expect((await readBackupState(own)).last).toMatchObject({ failedStep: null, failure: null });
      await expectSuccess(runHubCommand(['rehearse-restore', '--json'], { BACKUP_DIR: folder }));
      const environment = {
        DATA_DIR: join(dirname(folder), 'restored'),
        BACKUP_DIR: folder,
        DATABASE_URL: databaseUrlOf(target.setting),
      };
      const restored = await expectSuccess(runHubCommand(['restore', '--latest', '--json'], environment));
      expect(restored.json()).toMatchObject({ restored: true, secret_key: 'restored' });
      const db = await openExistingDatabase(target.setting);
      const agents = await rowsOf({ db }, 'agents');
      await db.close();
      expect(agents.map(({ handle }) => handle)).toEqual([agent.handle]);
      await expectRefusal(runHubCommand(['restore', '--latest'], environment), 1, 'empty database');
    } finally {
      await origin.remove();
      await target.remove();
    }
  });
});
