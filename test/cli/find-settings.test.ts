/** Every command finds the settings of its hub: --data, DATA_DIR, hub.env here or in data/, the system's. */
import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSettings, type Places } from '#cli/find-settings.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const root = useTestFolder();
const sources = join(import.meta.dir, '..', '..', 'cli', 'find-settings.ts');
const here = join(root, 'here');
const elsewhere = join(root, 'elsewhere');
const system = join(root, 'etc');
const systemFolders = [{ folder: system, dataFolder: join(root, 'var'), isSystem: true }];

function write(folder: string, text: string): string {
  const file = join(folder, 'hub.env');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function find(environment: Places['environment'] = {}, passesOver = false) {
  return findSettings({ environment, currentFolder: here, systemFolders, passesOver });
}

test('the nearest file wins: the data folder, this folder, its data/, the system', () => {
  mkdirSync(here);
  expect(find()).toEqual({ file: null, values: {} });
  const ofSystem = write(system, 'PORT=1\n');
  expect(find()).toEqual({ file: ofSystem, values: { PORT: '1', DATA_DIR: join(root, 'var') } });
  const inData = write(join(here, 'data'), 'PORT=2\n');
  expect(find()).toEqual({ file: inData, values: { PORT: '2', DATA_DIR: join(here, 'data') } });
  const inHere = write(here, 'PORT=3\nDATA_DIR=../elsewhere\n');
  expect(find()).toEqual({ file: inHere, values: { PORT: '3', DATA_DIR: elsewhere } });
  // The data folder has no file of its own, but this one is about it.
  expect(find({ DATA_DIR: elsewhere }).file).toBe(inHere);
  expect(find({ DATA_DIR: join(root, 'none') })).toEqual({ file: null, values: {} });
  const own = write(elsewhere, "# Of this hub\nexport HUB_NAME='Ada #1'\n");
  expect(find({ DATA_DIR: elsewhere })).toEqual({
    file: own,
    values: { HUB_NAME: 'Ada #1', DATA_DIR: elsewhere },
  });
});

test('a file that cannot be read stops the command, unless it only calls a hub', () => {
  const locked = join(root, 'locked');
  // Reading a folder as a file fails for every user, root included.
  mkdirSync(join(locked, 'hub.env'), { recursive: true });
  chmodSync(locked, 0o755);
  const places = {
    environment: {},
    currentFolder: elsewhere,
    systemFolders: [{ folder: locked, dataFolder: locked, isSystem: true }],
  };
  rmSync(join(elsewhere, 'hub.env'));
  expect(() => findSettings(places)).toThrow(/locked\/hub\.env cannot be read \(EISDIR\).*--data/);
  expect(findSettings({ ...places, passesOver: true }).file).toBeNull();
});

test('`hub health` names the hub, without its password, and the environment wins over the file', async () => {
  const file = write(
    elsewhere,
    "PORT=1\nBASE_URL=https://hub.example\nDATABASE_URL='postgres://hub:the-password@db.example:5432/hub?pool_size=4'\n",
  );
  const hub = {
    base_url: 'https://hub.example',
    data_dir: elsewhere,
    database: 'postgres://db.example:5432/hub',
    settings_file: file,
  };
  const flagged = await runHubCommand(['health', '--json', '--data', elsewhere], { DATA_DIR: here });
  expect(flagged.json()).toMatchObject({ ok: false, url: 'http://127.0.0.1:1/readyz', hub });
  const ofOther = runHubCommand(['--data', elsewhere, 'health'], { BASE_URL: 'https://other.example' });
  const shown = await expectRefusal(ofOther, 1, 'https://other.example, data in');
  expect(shown.complaints).toContain(`settings from ${file}`);
  expect(flagged.printed + shown.complaints).not.toContain('the-password');
});

test('programs of the hub read the file too', async () => {
  write(elsewhere, 'DATABASE_URL=none\n');
  const migrated = await runHubCommand(['migrate'], { DATA_DIR: elsewhere });
  expect(migrated.printed).toContain('DATABASE_URL is none');
  write(elsewhere, 'PORT=no\n');
  await expectRefusal(runHubCommand(['worker', '--pool', 'mail', '--data', elsewhere]), 78, 'PORT must be');
});

/** Root enters every folder, so another user has to look. */
const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
const canSwitch =
  process.getuid?.() === 0 &&
  Bun.which('setpriv') !== null &&
  Bun.spawnSync([...nobody, process.execPath, '-e', `await import('${sources}')`]).exitCode === 0;

test.skipIf(!canSwitch)('a current folder that the user may not enter is passed over', () => {
  const closed = join(root, 'closed');
  write(closed, 'PORT=5\n');
  chmodSync(root, 0o755);
  chmodSync(closed, 0o700);
  const places = JSON.stringify({ environment: {}, currentFolder: closed, systemFolders: [] });
  const look = `const { findSettings } = await import('${sources}'); console.log(findSettings(${places}).file);`;
  const { stdout, stderr } = Bun.spawnSync([...nobody, process.execPath, '-e', look]);
  expect([stdout.toString(), stderr.toString()]).toEqual(['null\n', '']);
});
