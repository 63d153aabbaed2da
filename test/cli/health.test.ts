/** `hub health`, the health check of containers, reports the state of a process of the hub. */
import { expect, test } from 'bun:test';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useProcessOf, useTestHub } from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';
import { runProgram } from '#test/harness/run-program.ts';

const operatorKey = 'the-operators-key';

/** Without a data folder. */
const empty = useTestFolder();

const store = useScratchStore('sqlite');
const open = useTestHub({ store });
const locked = useProcessOf(open, { settings: { operatorKey }, ownBaseUrl: true });

/** @returns what it said on standard output when it is healthy or asked for JSON, else on standard error */
async function health(words: readonly string[], env: Readonly<Record<string, string>>) {
  const { exitCode, printed, complaints } = await runProgram([hubBinary, 'health', ...words], {
    cwd: empty,
    env: { PATH: process.env['PATH'], ...env },
  });
  expect(printed === '' || complaints === '').toBe(true);
  return { exitCode, printed: printed.trim(), complaints: complaints.trim() };
}

const healthy = { exitCode: 0, printed: expect.stringMatching(/^ok\n/) };

test('a ready process is healthy, whatever HOST it listens on', async () => {
  const PORT = String(open.port);
  for (const HOST of ['127.0.0.1', '0.0.0.0']) {
    for (const words of [[], ['--live']]) expect(await health(words, { HOST, PORT })).toMatchObject(healthy);
  }
});

test('says that a ready hub should be looked after', async () => {
  const body = { ready: true, warnings: ['Only 4.2% of the disk of the database is free.'] };
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(body) });
  expect(await health([], { PORT: String(server.port) })).toMatchObject({
    exitCode: 0,
    printed: expect.stringMatching(/^ok\nwarning: Only 4\.2% of the disk/),
  });
  await server.stop(true);
});

test('sends the operator key from the environment, and reports a wrong one', async () => {
  const PORT = String(locked.port);
  expect((await health([], { PORT, OPERATOR_KEY: operatorKey })).exitCode).toBe(0);
  // The bare status needs no key.
  expect(await health([], { PORT })).toMatchObject(healthy);
  const wrong = await health(['--json'], { PORT, OPERATOR_KEY: 'another-key-altogether' });
  expect(wrong.exitCode).toBe(1);
  expect(JSON.parse(wrong.printed)).toMatchObject({ ok: false, url: `http://127.0.0.1:${PORT}/readyz` });
  expect(wrong.printed).not.toContain('another-key-altogether');
});

test('asks a worker on its metrics port; without its Redis the worker is alive but not ready', async () => {
  const own = await startTestRedis();
  const worker = await startWorkerProcess(['mail'], { database: store.setting, redisUrl: own.url });
  const words = ['--port', new URL(worker.operatorUrl).port];
  expect((await health(words, {})).exitCode).toBe(0);
  await own.stop();
  await expectRefusal(health(words, {}), 1, 'answers 503');
  expect((await health([...words, '--live'], {})).exitCode).toBe(0);
  await worker.end('SIGTERM');
});

test('agents reach the hub that it asks, also one whose parts run without a supervisor', async () => {
  const stores = { DATA_DIR: join(empty, 'data'), REDIS_URL: open.redisUrl };
  const env = { ...stores, OPERATOR_KEY: operatorKey, PORT: String(locked.port) };
  expect((await health([], env)).exitCode).toBe(0);
  const key = join(empty, 'k.pem');
  await runHubCommand(['keygen', key]);
  const { exitCode, json } = await runHubCommand(['register', 'keeper', '--key', key, '--json'], env);
  expect([exitCode, json()]).toMatchObject([0, { handle: 'keeper' }]);
});

test('no process on the port is unhealthy, and an invalid port is a wrong command line', async () => {
  await expectRefusal(health(['--port', '1'], {}), 1, 'did not respond');
  expect((await health(['--port', '70000'], {})).exitCode).toBe(2);
  expect((await health([], { PORT: 'x' })).exitCode).toBe(78);
});

test('in a folder without a hub it does not claim that there is one', async () => {
  const folder = join(realpathSync(empty), 'data');
  const none = await health([], { PORT: '1' });
  expect([none.exitCode, none.complaints.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/:1\/readyz did not respond: nothing is listening there\.$/),
      `There is no hub here: no hub.env, and nothing in ${folder}.`,
    ],
  ]);
  const json = await health(['--json'], { PORT: '1' });
  expect(JSON.parse(json.printed)).toMatchObject({ ok: false, hub: null });
});
