/**
 * `hub setup --check` names every fault of the hub, its address and its machine, says what to do, and reports one cause
 * once.
 */
import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { guardFreeze } from '#db/transaction.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startProxy } from '#test/harness/proxies.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { runOnSmallDisk } from '#test/harness/small-disk.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { fileOf } from '../../db/raw-store.ts';
import { type Patient, usePatient, withClock } from './patient.ts';

const patient = usePatient();
const found: Patient['found'] = (...given) => patient.found(...given);
const expectFault: Patient['expectFault'] = (...given) => patient.expectFault(...given);

/** Behind a proxy at `url`. */
const behind = (url: string) => ({ BASE_URL: url, TRUSTED_PROXIES: '127.0.0.1/32' });
const upstream = (port = patient.hub.port) => `proxy_pass http://127.0.0.1:${port};`;
const forwarding = 'proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $http_host;';

/** Runs `work` with a proxy that has these lines of nginx, and whose address is that of `hub` if one is given. */
async function withProxy(
  lines: string,
  work: (settings: ReturnType<typeof behind>) => Promise<void>,
  hub?: TestHub,
): Promise<void> {
  const proxy = await startProxy('nginx', lines);
  const before = hub?.ctx.rules.baseUrl;
  try {
    if (hub !== undefined) Object.assign(hub.ctx.rules, { baseUrl: proxy.url });
    await work(behind(proxy.url));
  } finally {
    if (hub !== undefined) Object.assign(hub.ctx.rules, { baseUrl: before });
    await proxy.stop();
  }
}

/** Behind an nginx with these lines, that check alone finds this. */
const expectBehind = (lines: string, name: string, what: RegExp, advice: RegExp, hub?: TestHub) =>
  withProxy(lines, (settings) => expectFault(name, settings, what, advice), hub);

const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') });
afterAll(() => other.stop(true));

test('a hub that does not run, another program, another version, and one that is not ready', async () => {
  const missing = (settings: object) =>
    expectFault('running', { PORT: '1', ...settings }, /Nothing serves/, /hub start/);
  for (const settings of [{}, behind('http://127.0.0.1:1')]) await missing(settings);
  await withProxy(`${upstream(1)} ${forwarding}`, missing);
  await expectFault('running', { PORT: String(other.port) }, /Another program/, /PORT/);
  const versions = /version 0\.0\.0-test, and this program is 9\.9\.9/;
  await expectFault('running', {}, versions, /Restart/, { version: '9.9.9' });
  expect((await found('running')).state).toBe('ok');
  const lonely = await startTestRedis();
  const unready = await startTestHub({ store: patient.store, redisUrl: lonely.url });
  await lonely.stop();
  const PORT = String(unready.port);
  await expectFault('running', { PORT }, /is not ready: .*Redis/, /Start the store/);
  // That the hub is not ready follows from it.
  await expectFault('redis', { PORT, REDIS_URL: lonely.url }, /cannot be reached.* Start it/, /check again/);
  await unready.close();
});

test('a freeze that was forgotten', async () => {
  const { hub, store } = patient;
  const frozen = await startTestHub({ store: { db: guardFreeze(store.db) }, redisUrl: hub.redisUrl });
  const PORT = String(frozen.port);
  for (const [minutes, says] of [
    [29, /but frozen since/],
    [31, /has been frozen since .*not even backups/],
  ] as const) {
    const clock = { now: () => new Date(Date.now() - minutes * 60_000) };
    await freezeHub({ ...hub.ctx, clock }, { reason: null });
    await waitUntil(async () => says.test((await found('running', { PORT })).found), 10_000);
    if (minutes > 30) await expectFault('running', { PORT }, says, /hub unfreeze/);
    else expect((await found('running', { PORT })).state).toBe('ok');
    await unfreezeHub(hub.ctx);
  }
  await frozen.close();
});

test('an address that does not lead to this hub', async () => {
  expect((await found('reachable')).state).toBe('skipped');
  await expectFault('reachable', behind('https://no-such-name.invalid'), /does not resolve/, /DNS/);
  await expectFault('reachable', behind('http://127.0.0.1:1'), /did not respond/, /firewall/);
  await expectFault('reachable', behind(`http://127.0.0.1:${other.port}`), /not as a hub/, /every path/);
  await expectBehind(`${upstream()} ${forwarding}`, 'reachable', /calls itself/, /BASE_URL/);
  expect((await found('reachable', behind(patient.hub.url))).state).toBe('ok');
});

test('a proxy that sends wrong headers, or is not trusted', async () => {
  const { hub, store } = patient;
  const without = 'proxy_set_header X-Forwarded-For ""; proxy_set_header Host $http_host;';
  const passed = 'proxy_set_header X-Forwarded-For $http_x_forwarded_for; proxy_set_header Host $http_host;';
  const withoutHost = 'proxy_set_header X-Forwarded-For $remote_addr;';
  const withoutKey = `${forwarding} proxy_set_header Authorization "";`;
  for (const [headers, what, advice] of [
    [without, /sends no X-Forwarded-For/, /Behind a proxy/],
    [passed, /claim any address/, /\$remote_addr/],
    [withoutHost, /sends Host/, /\$http_host/],
    [withoutKey, /answers 401/, /Authorization/],
  ] as const)
    await expectBehind(`${upstream()} ${headers}`, 'proxy headers', what, advice, hub);
  await withProxy(`${upstream()} ${forwarding}`, async (settings) => {
    expect((await found('proxy headers', settings)).state).toBe('ok');
  });
  const opened = `${forwarding} proxy_set_header Authorization "Bearer ${testOperatorKey}";`;
  const open = /Anybody can open \/metrics, \/admin/;
  await expectBehind(`${upstream()} ${opened}`, 'operator pages', open, /Remove the header/, hub);
  expect((await found('operator pages')).state).toBe('ok');
  const untrusting = await startTestHub({ store, redisUrl: hub.redisUrl });
  const claiming = `${upstream(untrusting.port)} proxy_set_header X-Forwarded-For 198.51.100.4;`;
  const trust = /TRUSTED_PROXIES=127\.0\.0\.1/;
  await expectBehind(claiming, 'proxy headers', /does not believe/, trust, untrusting);
  await untrusting.close();
  // The name does not resolve either.
  expect(await found('proxy headers', behind('http://hub.example'))).toMatchObject({
    found: expect.stringContaining('no TLS'),
    advice: expect.stringContaining('https'),
  });
});

test('secrets that others may read, and a clock that nothing sets', async () => {
  const { data, root } = patient;
  const database = fileOf(patient.store);
  const secrets = ['hub.env', 'secret-key', 'operator-key', 'keeper.pem'].map((name) => join(data, name));
  for (const secret of secrets) writeFileSync(secret, '', { mode: 0o600 });
  for (const file of [...secrets, database]) {
    chmodSync(file, 0o644);
    const name = basename(file);
    const rotate = file === database ? '' : ' .*rotate';
    const advice = new RegExp(`chmod 600 \\S+${name}\\.${rotate}`);
    await expectFault('secrets', {}, new RegExp(`${name}\\.`), advice);
    chmodSync(file, 0o600);
    expect((await found('secrets')).state).toBe('ok');
  }
  const path = process.env['PATH'];
  try {
    process.env['PATH'] = withClock(root, '');
    expect((await found('clock')).state).toBe('skipped');
    process.env['PATH'] = withClock(root, 'no');
    await expectFault('clock', {}, /not synchronized/, /timedatectl set-ntp true/);
  } finally {
    process.env['PATH'] = path;
  }
});

test('a line of hub.env that sets nothing', async () => {
  const file = join(patient.data, 'hub.env');
  writeFileSync(file, 'TRUSTED_PROXY=127.0.0.1/32\n');
  const said = /hub\.env, line 1: TRUSTED_PROXY .* TRUSTED_PROXIES\?/;
  await expectFault('settings', {}, said, /Correct the file/);
  writeFileSync(file, '');
});

test('a full disk of the data or of the backups', async () => {
  const { data } = patient;
  const check = async (words: string) => {
    const command = ['sh', '-c', `${words}; exec "$HUB" setup --check --data "$DATA"`];
    const env = { HUB: hubBinary, DATA: data };
    return (await runOnSmallDisk({ sizeMb: 8, command, env, timeoutMs: 20_000 })).output;
  };
  const full = await check('DATA="$TMPDIR"; : > "$TMPDIR/secret-key"');
  expect(full).toMatch(/Only 0\.0 GiB .* free for .*\n +Free some space, or move the data folder/);
  expect(await check('export BACKUP_DIR="$TMPDIR"')).toMatch(/Only 0\.0 GiB .*\n.*BACKUP_KEEP.*BACKUP_DIR/);
});

test('a data folder that is gone, which is one fault', async () => {
  const DATA_DIR = join(patient.root, 'nowhere');
  const gone = { DATA_DIR, DATABASE_URL: `sqlite:${join(DATA_DIR, 'hub.sqlite')}` };
  for (const settings of [gone, { ...gone, PORT: '1' }])
    await expectFault('disk', settings, /no data folder .*nowhere/, /DATA_DIR or --data.*mount/);
});

test('a data folder in which the parts of the hub keep nothing', async () => {
  const keys = { SECRET_KEY: 'the-secret-key-of-this-test-of-a-hub', OPERATOR_KEY: testOperatorKey };
  const elsewhere = { DATA_DIR: join(patient.root, 'nowhere'), ...keys };
  expect((await patient.found('disk', elsewhere)).state).toBe('skipped');
  expect((await patient.found('disk', { ...elsewhere, REDIS_URL: '' })).state).toBe('fault');
});

/** The lines with a fault, each with its advice. */
const faultsIn = (printed: string) =>
  [...printed.matchAll(/^FAULT +(.+)\n +(.+)$/gm)].map(([, ...said]) => said);

test('a folder without a hub: no other check says more', async () => {
  const empty = mkdtempSync(join(patient.root, 'empty-'));
  const env = { PATH: process.env['PATH'], HOME: patient.root };
  const here = await runProgram([hubBinary, 'setup', '--check'], { cwd: empty, env });
  expect([here.exitCode, here.complaints]).toEqual([1, '']);
  const none = [
    expect.stringMatching(/^hub +There is no hub here: no hub\.env, and nothing in \S+\.$/),
    'Make one with `hub setup`, or name the data folder of an existing one with --data.',
  ];
  expect(faultsIn(here.printed)).toEqual([none]);
  expect(here.printed).toEndWith('\nNothing else was checked.\n');
  const named = await runHubCommand(['setup', '--check', '--data', empty, '--json']);
  expect([named.exitCode, named.json()]).toMatchObject([
    1,
    { ok: false, data_dir: empty, checks: [{ name: 'hub', state: 'fault' }] },
  ]);
});

/** Root reads every folder, so another user has to look. */
const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
const canSwitch =
  process.getuid?.() === 0 &&
  Bun.which('setpriv') !== null &&
  Bun.spawnSync([...nobody, hubBinary, '--version']).exitCode === 0;

test.skipIf(!canSwitch)('a data folder of another user', async () => {
  const { data, root } = patient;
  chmodSync(root, 0o755);
  chmodSync(data, 0o700);
  const command = [...nobody, hubBinary, 'setup', '--check', '--data', data];
  const env = { PATH: process.env['PATH'], HOME: tmpdir() };
  const { exitCode, printed, complaints } = await runProgram(command, { cwd: tmpdir(), env });
  expect([exitCode, complaints]).toEqual([1, '']);
  const refused = expect.stringMatching(/^hub +This user may not read \S+\.$/);
  expect(faultsIn(printed)).toEqual([[refused, expect.stringContaining('as the user of the hub')]]);
});
