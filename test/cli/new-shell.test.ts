/** Commands in a new shell find the running hub in its data folder: its port, stores, maintainers and operator key. */
import { beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteRunningHub } from '#cli/running-hub.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

const folder = useTestFolder();
/** With characters that have a meaning in addresses, shells and escapes. */
const dataDir = join(folder, `of ada?#%20'`);

let hub: WholeHub;
let url: string;
let shell: (...words: string[]) => ReturnType<typeof runHubCommand>;
beforeAll(async () => {
  hub = startHub({
    PORT: '0',
    DATA_DIR: dataDir,
    INBOX_KEY: 'the-inbox-key-of-this-test',
    WORKER_PROCESSES: 'mail=0,webhooks=0',
  });
  url = await hub.address();
  shell = (...words) => runHubCommand(words, { DATA_DIR: dataDir });
});

test('the first start writes an operator key that only its user can read, and prints a link', async () => {
  const file = join(dataDir, 'operator-key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const [, link = ''] = await hub.until(/(http:\/\/127\.0\.0\.1:\d+\/admin\/sign-in\/[\w-]{32})/);
  expect((await fetch(link)).status).toBe(200);
  const headers = { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
});

test('`hub health` and `hub operator-link` ask the port of the running hub', async () => {
  const health = await shell('health', '--json');
  expect(health.json()).toMatchObject({ ok: true, url: `${url}/readyz` });
  const link = await shell('operator-link', '--json');
  expect((link.json() as { url: string }).url).toStartWith(`${url}/admin/sign-in/`);
});

test('an agent becomes a maintainer without a restart, and `tokens grant` needs neither token nor --as', async () => {
  const key = join(folder, 'keeper.pem');
  await shell('keygen', key);
  const registered = (await shell('register', 'keeper', '--key', key, '--json')).json() as { token: string };
  const desk = async () =>
    (await fetch(`${url}/v1/reports`, { headers: { authorization: `Bearer ${registered.token}` } })).status;
  await expectRefusal(shell('tokens', 'grant', 'keeper', '5'), 78, 'hub maintainers add');
  expect(await desk()).toBe(403);
  expect((await shell('maintainers', 'add', 'keeper')).exitCode).toBe(0);
  await waitUntil(async () => (await desk()) === 200);
  const granted = await shell('tokens', 'grant', 'keeper', '5', '--json');
  expect([granted.exitCode, granted.json()]).toMatchObject([0, { handle: 'keeper', granted: true }]);
  expect((await shell('maintainers', 'list')).printed).toContain('keeper');
  expect((await shell('maintainers', 'remove', 'keeper')).exitCode).toBe(0);
  await waitUntil(async () => (await desk()) === 403);
  expect((await shell('settings', 'log')).printed).toMatch(
    /maintainer keeper +yes +no +operator .*\nmaintainer keeper +hub\.env +yes +operator/,
  );
});

test('the note holds no secret that commands do not need, and goes with the hub', async () => {
  const note = join(dataDir, 'running.json');
  expect(statSync(note).mode & 0o777).toBe(0o600);
  expect(readFileSync(note, 'utf8')).not.toContain('the-inbox-key-of-this-test');
  hub.hub.kill('SIGTERM');
  await hub.hub.exited;
  expect(existsSync(note)).toBe(false);
  await hub.ended();
});

test('the note of a killed hub does not count, whatever has its process id now', async () => {
  const dead = parseSettings({ DATA_DIR: dataDir, PORT: '1' });
  const forget = noteRunningHub(dead);
  const file = join(dataDir, 'running.json');
  const note = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
  const health = async () => (await shell('health', '--json')).json() as { url: string };
  // The process of this test, as the hub that made the note.
  expect((await health()).url).toBe('http://127.0.0.1:1/readyz');
  writeFileSync(file, JSON.stringify({ ...note, startTicks: '1' }));
  expect((await health()).url).toBe('http://127.0.0.1:3000/readyz');
  forget();
});

test('where the hub on DATA_DIR is not running, commands ask no other hub and say how to name one', async () => {
  const registered = shell('register', 'nobody', '--key', join(folder, 'keeper.pem'));
  const { complaints } = await expectRefusal(registered, 1, `on DATA_DIR=${dataDir}.`);
  expect(complaints).toContain('--hub or HUB_URL');
});
