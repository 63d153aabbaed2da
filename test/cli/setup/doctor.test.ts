/** `hub setup --check` names every fault that it knows and says what to do, and finds none on a sound hub. */
import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { checks, findingOf } from '#cli/hub/setup/doctor/diagnose.ts';
import type { Finding } from '#cli/hub/setup/doctor/finding.ts';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import type { Database } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createId } from '#runtime/create-id.ts';
import { UNPACKED_REDIS_DIR } from '#runtime/redis/find-redis-server.mjs';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startProxy } from '#test/harness/proxies.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { runOnSmallDisk } from '#test/harness/small-disk.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startHub } from '#test/harness/whole-hub.ts';

const root = mkdtempSync(join(tmpdir(), 'agent-hub-doctor-'));
const data = join(root, 'data');
let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  mkdirSync(data);
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, settings: { trustedProxies: ['127.0.0.1/32'] }, ownBaseUrl: true });
  hub.clock.set(new Date());
  await createTestAgent(hub.ctx);
}, 30_000);
afterAll(async () => {
  await hub.close();
  await store.remove();
  rmSync(root, { recursive: true, force: true });
});

/** What the check of that name finds with these settings. */
async function found(name: string, env: Readonly<Record<string, string>> = {}, version = '0.0.0-test') {
  const check = checks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}.`);
  const settings = parseSettings({
    DATA_DIR: data,
    DATABASE_URL: databaseUrlOf(store.setting),
    PORT: String(hub.port),
    ...env,
  });
  const settingsFile = join(data, 'hub.env');
  return findingOf(check, { settings, settingsFile, operatorKey: testOperatorKey, version });
}

function expectFault(finding: Finding, what: RegExp, advice: RegExp): void {
  expect(finding).toEqual({
    state: 'fault',
    found: expect.stringMatching(what),
    advice: expect.stringMatching(advice),
  });
}

/** Behind a proxy at `url`. */
const behind = (url: string) => ({ BASE_URL: url, TRUSTED_PROXIES: '127.0.0.1/32' });
const upstream = () => `proxy_pass http://127.0.0.1:${hub.port};`;
const forwarding = 'proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $http_host;';

test('a hub that does not run, another program, another version, and one that is not ready', async () => {
  expectFault(await found('running', { PORT: '1' }), /Nothing serves/, /hub start/);
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') });
  expectFault(await found('running', { PORT: String(other.port) }), /Another program/, /PORT/);
  await other.stop(true);
  expectFault(
    await found('running', {}, '9.9.9'),
    /version 0\.0\.0-test, and this program is 9\.9\.9/,
    /Restart/,
  );
  expect((await found('running')).state).toBe('ok');
});

test('an address that does not lead to this hub', async () => {
  expect((await found('reachable')).state).toBe('skipped');
  expectFault(await found('reachable', behind('https://no-such-name.invalid')), /does not resolve/, /DNS/);
  expectFault(await found('reachable', behind('http://127.0.0.1:1')), /did not respond/, /firewall/);
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') });
  const url = `http://127.0.0.1:${other.port}`;
  expectFault(await found('reachable', behind(url)), /not as a hub/, /every path/);
  await other.stop(true);
  const proxy = await startProxy('nginx', `${upstream()} ${forwarding}`);
  expectFault(await found('reachable', behind(proxy.url)), /calls itself/, /BASE_URL/);
  await proxy.stop();
  expect((await found('reachable', behind(hub.url))).state).toBe('ok');
}, 20_000);

test('a proxy that sends wrong headers, or is not trusted', async () => {
  const judged = async (lines: string, check = 'proxy headers') => {
    const proxy = await startProxy('nginx', `${upstream()} ${lines}`);
    try {
      return await found(check, behind(proxy.url));
    } finally {
      await proxy.stop();
    }
  };
  expect((await judged(forwarding)).state).toBe('ok');
  const without = 'proxy_set_header X-Forwarded-For ""; proxy_set_header Host $http_host;';
  expectFault(await judged(without), /sends no X-Forwarded-For/, /Behind a proxy/);
  const passed = 'proxy_set_header X-Forwarded-For $http_x_forwarded_for; proxy_set_header Host $http_host;';
  expectFault(await judged(passed), /claim any address/, /\$remote_addr/);
  expectFault(await judged('proxy_set_header X-Forwarded-For $remote_addr;'), /sends Host/, /\$host/);
  const withoutKey = `${forwarding} proxy_set_header Authorization "";`;
  expectFault(await judged(withoutKey), /answers 401/, /Authorization/);
  const untrusting = await startTestHub({ store, redisUrl: hub.redisUrl });
  const claiming = `proxy_pass http://127.0.0.1:${untrusting.port}; proxy_set_header X-Forwarded-For 198.51.100.4;`;
  const proxy = await startProxy('nginx', claiming);
  expectFault(
    await found('proxy headers', behind(proxy.url)),
    /does not believe/,
    /TRUSTED_PROXIES=127\.0\.0\.1/,
  );
  await proxy.stop();
  await untrusting.close();
  const opened = `${forwarding} proxy_set_header Authorization "Bearer ${testOperatorKey}";`;
  expectFault(
    await judged(opened, 'operator pages'),
    /Anybody can open \/metrics, \/admin/,
    /Remove the header/,
  );
  expect((await found('operator pages')).state).toBe('ok');
  expectFault(
    await found('proxy headers', { BASE_URL: 'http://hub.example', TRUSTED_PROXIES: '127.0.0.1' }),
    /no TLS/,
    /https/,
  );
}, 60_000);

test('secrets that others may read, and a clock that nothing sets', async () => {
  writeFileSync(join(data, 'hub.env'), '', { mode: 0o600 });
  writeFileSync(join(data, 'secret-key'), 'x', { mode: 0o600 });
  expect((await found('secrets')).state).toBe('ok');
  chmodSync(join(data, 'secret-key'), 0o644);
  expectFault(await found('secrets'), /secret-key/, /chmod 600 .*secret-key/);
  const path = process.env['PATH'];
  try {
    for (const [says, state] of [
      ['yes', 'ok'],
      ['no', 'fault'],
      ['', 'skipped'],
    ] as const) {
      process.env['PATH'] = `${programSaying(says)}${delimiter}${path}`;
      expect([says, (await found('clock')).state]).toEqual([says, state]);
    }
  } finally {
    process.env['PATH'] = path;
  }
});

/** @returns a folder with a timedatectl of a machine in that state */
function programSaying(text: string): string {
  const folder = join(root, `says-${text}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'timedatectl'), `#!/bin/sh\necho ${text}\n`, { mode: 0o755 });
  return folder;
}

test('a full disk, and a database that is not there', async () => {
  const command = ['sh', '-c', 'exec "$HUB" setup --check --json --data "$TMPDIR"'];
  const { output } = await runOnSmallDisk({ sizeMb: 8, command, env: { HUB: hubBinary }, timeoutMs: 20_000 });
  expect(output).toMatch(/Only 0\.0 GiB/);
  expect(output).toContain('There is no database at');
}, 30_000);

test('stores that cannot be used, and a clock that was set back', async () => {
  expectFault(await found('redis', { REDIS_URL: 'redis://127.0.0.1:1' }), /127\.0\.0\.1:1/, /check again/);
  expect((await found('redis', { REDIS_URL: hub.redisUrl })).state).toBe('ok');
  expectFault(await found('mail', { SMTP_URL: 'smtp://127.0.0.1:1' }), /cannot be used/, /SMTP_URL/);
  expect((await found('clocks of stores')).state).toBe('ok');
  expect((await found('database')).state).toBe('ok');
  const postgres = await openScratchStore('postgres');
  try {
    const DATABASE_URL = databaseUrlOf(postgres.setting);
    expect((await found('clocks of stores', { DATABASE_URL })).state).toBe('ok');
    setSystemTime(new Date(Date.now() - 3_600_000));
    expectFault(await found('clocks of stores', { DATABASE_URL }), /differs by 3600 s/, /time server/);
    expectFault(await found('clocks of stores'), /in the future/, /time server/);
  } finally {
    setSystemTime();
    await postgres.remove();
  }
}, 20_000);

test('backups that are off, missing, old or failed', async () => {
  expectFault(await found('backups', { BACKUP_EVERY: 'off' }), /is off/, /BACKUP_EVERY=6h/);
  expectFault(await found('backups'), /no backup yet/, /log/);
  const plant = (hoursAgo: number, failure: string | null) => plantBackup(store.db, hoursAgo, failure);
  await plant(30, null);
  expectFault(await found('backups'), /30 h old: \/backups\/hub\.sqlite/, /less than a day/);
  await plant(2, null);
  expect((await found('backups')).state).toBe('ok');
  await plant(1, 'rclone: no such remote');
  expectFault(await found('backups'), /failed \(command\): rclone: no such remote/, /Fix/);
});

async function plantBackup(db: Database, hoursAgo: number, failure: string | null): Promise<void> {
  const startedAt = new Date(Date.now() - hoursAgo * 3_600_000);
  const row = {
    id: createId(startedAt),
    startedAt,
    heldUntil: startedAt,
    endedAt: startedAt,
    machine: 'here',
  };
  const ended = { file: '/backups/hub.sqlite', bytes: 1, failure };
  const failedStep = failure === null ? null : ('command' as const);
  await db.transaction((tx) =>
    tx.query.insert(tx.tables.hubBackups).values({ ...row, ...ended, failedStep }),
  );
}

test('totals that have drifted', async () => {
  expect((await found('audit')).state).toBe('ok');
  await store.db.transaction((tx) => tx.query.update(tx.tables.tokenAccounts).set({ balance: 7 }));
  expectFault(await found('audit'), /token_balances/, /hub audit/);
});

test('finds no fault on a hub that was just set up', async () => {
  const folder = join(root, 'sound');
  const PATH = [programSaying('yes '), process.env['PATH'], UNPACKED_REDIS_DIR].join(delimiter);
  const port = String(await settlePort('127.0.0.1', 0));
  await runHubCommand(['setup', '--yes', '--data', folder, '--port', port], { PATH });
  const whole = startHub({
    PATH,
    DATA_DIR: folder,
    WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0,eval-runner=0',
  });
  await whole.until(/is ready/);
  const db = await openDatabase({ kind: 'sqlite', file: join(folder, 'hub.sqlite') });
  // Before the first one, a minute after the start.
  await plantBackup(db, 1, null);
  await db.close();
  const judged = await runHubCommand(['setup', '--check', '--data', folder], { PATH });
  expect([judged.exitCode, judged.printed]).toEqual([0, expect.stringContaining('No fault.')]);
  whole.hub.kill('SIGTERM');
  await whole.ended();
}, 60_000);
