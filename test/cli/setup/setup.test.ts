/** `hub setup` makes a hub that starts, checks every answer as it is given, and asks what it was not told. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { forShell, forSystemd, nextStepsFor } from '#cli/hub/setup/next-steps.ts';
import { formatSettings } from '#cli/hub/setup/set-up-hub.ts';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { UNPACKED_REDIS_DIR } from '#runtime/redis/find-redis-server.mjs';
import { createTestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { usePlaces } from '#test/db/use-places.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { runProgram } from '#test/harness/run-program.ts';

const root = useTestFolder();
const place = usePlaces();

const PATH = `${process.env['PATH']}:${UNPACKED_REDIS_DIR}`;
const setup = (...words: string[]) => runHubCommand(['setup', '--yes', ...words], { PATH });
const modeOf = (file: string): number => statSync(file).mode & 0o777;

interface Made {
  readonly maintainer: { readonly handle: string; readonly key_file: string; readonly token: string };
  readonly settings_file: string;
  readonly systemd_unit: string;
  readonly proxy: string | null;
}

test('a private hub: free runs, a maintainer with the badge, and files that only their owner reads', async () => {
  const data = join(root, 'private');
  const port = String(await settlePort('127.0.0.1', 0));
  const made = await expectSuccess(setup('--data', data, '--port', port, '--maintainer', 'ada-7', '--json'));
  // The command printed it.
  const { maintainer, settings_file: file, systemd_unit: unit, proxy } = made.json() as Made;
  expect(file).toBe(join(data, 'hub.env'));
  for (const secret of [file, maintainer.key_file, join(data, 'secret-key'), join(data, 'operator-key')])
    expect([secret, modeOf(secret)]).toEqual([secret, 0o600]);
  expect(parseEnv(readFileSync(file, 'utf8'))).toMatchObject({
    PORT: port,
    EVAL_RUN_COST: '0',
    DATA_DIR: data,
  });
  expect(unit).toContain('NoNewPrivileges=yes\nProtectSystem=strict');
  expect(unit).toContain(`start --data ${data}`);
  expect(proxy).toBeNull();

  await expectRefusal(setup('--data', data), 1, '--check');

  const hub = startHub({ PATH, DATA_DIR: data, WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0,eval-runner=0' });
  await hub.until(/is ready/);
  const headers = { authorization: `Bearer ${maintainer.token}` };
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json();
  expect(await read('/v1/hub')).toMatchObject({
    maintainers: ['ada-7'],
    limits: { eval_run_cost_tokens: 0 },
  });
  expect(await read('/v1/agents/ada-7')).toMatchObject({ agent: { verified_badge: true } });
  const login = await runHubCommand(['login', 'ada-7', '--key', maintainer.key_file, '--data', data]);
  expect(login.exitCode).toBe(0);
  // Where the badge is from.
  expect(await read('/v1/verification')).toMatchObject({
    verifications: [{ agent_handle: 'ada-7', status: 'approved', basis: 'operator', decided_by: null }],
  });
  expect((await hub.stop()).exitCode).toBe(0);
});

test('a public hub on Postgres, its own Redis and a proxy', async () => {
  const [setting, redis] = await Promise.all([place('postgres'), startTestRedis()]);
  const data = join(root, 'public');
  const databaseUrl = databaseUrlOf(setting);
  const port = String(await settlePort('127.0.0.1', 0));
  const stores = ['--database', databaseUrl, '--redis', redis.url];
  const flags = `--address https://localhost:8443 --proxy nginx --port ${port} --run-cost 3`.split(' ');
  const made = await expectSuccess(setup('--data', data, ...stores, ...flags, '--json'));
  const settings = parseEnv(readFileSync(join(data, 'hub.env'), 'utf8'));
  expect(settings).toMatchObject({
    BASE_URL: 'https://localhost:8443',
    TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    EVAL_RUN_COST: '3',
    AGENT_RUN_COST: '3',
  });
  const { proxy } = made.json() as Made;
  for (const line of [
    'listen 8443 ssl http2;',
    'proxy_set_header Host $http_host;',
    'proxy_set_header X-Forwarded-For $remote_addr;',
  ])
    expect(proxy).toContain(line);
  const db = await openDatabase(setting);
  expect((await auditHub(createTestCtx(db))).flatMap(({ drifts }) => drifts)).toEqual([]);
  await db.close();
  await redis.stop();
});

test('every answer is checked as it is given, and a wrong one leaves nothing behind', async () => {
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const data = join(root, 'wrong', 'below');
  const file = join(root, 'a-file');
  await Bun.write(file, '');
  const password = 'the-secret-password';
  const wrong: readonly [flag: string, answer: string, said: RegExp][] = [
    ['data', join(file, 'below'), /error: --data .*is not a folder/],
    ['address', 'https://no-such-name.invalid', /--address: The name no-such-name\.invalid does not resolve/],
    ['address', 'ftp://x', /error: --address must be an http/],
    ['address', 'https://localhost/hub', /error: --address must be an http.* without user, path, query/],
    ['port', String(taken.port), /--port: Port \d+ on 127\.0\.0\.1 is in use.* set --port to another port/],
    [
      'database',
      `postgres://hub:${password}@127.0.0.1:1/hub`,
      /--database: Postgres at 127\.0\.0\.1:1.*cannot be reached/,
    ],
    ['database', 'mysql://x', /error: --database must be/],
    ['redis', `redis://:${password}@127.0.0.1:1`, /--redis: .*127\.0\.0\.1:1/],
    ['mail', `smtp://hub:${password}@127.0.0.1:1`, /--mail: The mail server cannot be used/],
    ['run-cost', '-1', /error: --run-cost must be a whole number from 0/],
    ['maintainer', 'Ada', /--maintainer: `Ada` cannot be a handle/],
  ];
  for (const [flag, answer, said] of wrong) {
    const refused = await setup('--data', data, '--port', '0', `--${flag}`, answer);
    expect([flag, refused.exitCode, refused.complaints]).toEqual([flag, 2, expect.stringMatching(said)]);
    expect(refused.complaints).not.toContain(password);
    expect(refused.complaints).not.toMatch(/\b[A-Z]+_(URL|COST|DIR)\b|\bPORT\b/);
    // Not even an empty folder.
    expect(existsSync(join(root, 'wrong'))).toBe(false);
  }
  expect(existsSync(join(data, 'hub.env'))).toBe(false);
  await expectRefusal(runHubCommand(['setup', '--data', data]), 2, '--yes');
  await taken.stop(true);
});

test('on a terminal it asks again until an answer is right', async () => {
  const data = join(root, 'asked');
  let shown = '';
  const words = [hubBinary, 'setup', '--data', data, '--database', 'sqlite', '--redis', 'private'];
  const child = Bun.spawn(words, {
    cwd: root,
    env: { PATH, HOME: root, TERM: 'dumb' },
    terminal: { cols: 200, rows: 50, data: (_terminal, bytes) => (shown += Buffer.from(bytes).toString()) },
  });
  const answer = async (question: RegExp, text: string): Promise<void> => {
    await waitUntil(() => question.test(shown), 10_000, `It asks ${question}`);
    shown = '';
    child.terminal?.write(`${text}\r`);
  };
  await answer(/address .*\[none\]: $/, 'https://no-such-name.invalid');
  await answer(/does not resolve[^]*\[none\]: $/, '');
  await answer(/port .*\[3000\]: $/, '0');
  await answer(/Mail.*\[none\]: $/, '');
  await answer(/run costs.*\[0\]: $/, '2');
  await answer(/maintainer.*\[keeper\]: $/, '');
  expect(await child.exited).toBe(0);
  expect(readFileSync(join(data, 'hub.env'), 'utf8')).toContain('EVAL_RUN_COST=2\n');
});

test('a value is written so that a shell, systemd and the hub read it alike, or not at all', async () => {
  const values = { A: 'postgres://u:p%20$x"@h/d?pool_size=4', B: 'Ada #1', C: '', D: 'a=b' };
  const text = formatSettings(values);
  expect(parseEnv(text)).toEqual(values);
  const shell = await runProgram(['sh', '-c', `${text}\nprintf '%s|%s|%s|%s' "$A" "$B" "$C" "$D"`]);
  expect(shell.printed).toBe(Object.values(values).join('|'));
  expect(() => formatSettings({ A: "it's" })).toThrow(/percent-encoded/);
  expect(() => formatSettings({ A: 'two\nlines' })).toThrow(/newlines/);
});

test('a folder of any name is one word for a shell and for systemd', async () => {
  const folder = `/srv/it's 100% "mine" $HOME`;
  const shell = await runProgram(['sh', '-c', `printf '%s' ${forShell(folder)}`]);
  expect(shell.printed).toBe(folder);
  expect(forSystemd(folder)).toBe(String.raw`"/srv/it's 100%% \"mine\" $HOME"`);
  expect([forShell('/srv/hub-1'), forSystemd('/srv/hub-1')]).toEqual(['/srv/hub-1', '/srv/hub-1']);
  const settings = { baseUrl: 'http://127.0.0.1:3000', port: 3000, dataDir: folder };
  const { systemdUnit } = nextStepsFor(settings as Settings, 'caddy');
  // From the sources, the hub starts only in their folder.
  expect(systemdUnit).toContain(`WorkingDirectory=${projectFolder}\n`);
  expect(systemdUnit).toContain(String.raw`--data "/srv/it's 100%% \"mine\" $$HOME"`);
  expect(systemdUnit).toContain(String.raw`ReadWritePaths="/srv/it's 100%% \"mine\" $HOME"`);
});
