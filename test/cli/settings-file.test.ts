/**
 * Every command finds the settings of its hub: --data, DATA_DIR, hub.env here or in data/, the system's. Values are read as in
 * a shell. A line of `hub.env` that sets nothing is reported: it stops a start, and is a fault of `hub setup --check`.
 */
import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSettings, type Places } from '#cli/find-settings.ts';
import { judgeSettingsFile, parseSettingsFile } from '#cli/settings-file.ts';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const root = useTestFolder();
const sources = join(import.meta.dir, '..', '..', 'cli', 'find-settings.ts');
const here = join(root, 'here');
const elsewhere = join(root, 'elsewhere');
const system = join(root, 'etc');
const systemFolders = [{ folder: system, dataFolder: join(root, 'var'), isSystem: true }];

function write(folder: string, text: string): string {
  const file = join(folder, 'hub.env');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  return file;
}

const find = (environment: Places['environment'] = {}) =>
  findSettings({ environment, currentFolder: here, systemFolders });

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
  const values = { HUB_NAME: 'Ada #1', DATA_DIR: elsewhere };
  expect(find({ DATA_DIR: elsewhere })).toEqual({ file: own, values });
});

test('a file that cannot be read stops the command, unless it only calls a hub', () => {
  const locked = join(root, 'locked');
  // Reading a folder as a file fails for every user, root included.
  mkdirSync(join(locked, 'hub.env'), { recursive: true });
  chmodSync(locked, 0o755);
  const ofSystem = [{ folder: locked, dataFolder: locked, isSystem: true }];
  const places = { environment: {}, currentFolder: elsewhere, systemFolders: ofSystem };
  rmSync(join(elsewhere, 'hub.env'));
  expect(() => findSettings(places)).toThrow(/locked\/hub\.env cannot be read \(EISDIR\).*--data/);
  expect(findSettings({ ...places, passesOver: true }).file).toBeNull();
});

test('`hub health` names the hub, without its password, and the environment wins over the file', async () => {
  const database = 'postgres://hub:the-password@db.example:5432/hub?pool_size=4';
  const own = write(elsewhere, `PORT=1\nBASE_URL=https://hub.example\nDATABASE_URL='${database}'\n`);
  const hub = {
    base_url: 'https://hub.example',
    data_dir: elsewhere,
    database: 'postgres://db.example:5432/hub',
    settings_file: own,
  };
  const flagged = await runHubCommand(['health', '--json', '--data', elsewhere], { DATA_DIR: here });
  expect(flagged.json()).toMatchObject({ ok: false, url: 'http://127.0.0.1:1/readyz', hub });
  const ofOther = runHubCommand(['--data', elsewhere, 'health'], { BASE_URL: 'https://other.example' });
  const shown = await expectRefusal(ofOther, 1, 'https://other.example, data in');
  expect(shown.complaints).toContain(`settings from ${own}`);
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

test.skipIf(!canSwitch)('a current folder that the user may not enter is passed over', async () => {
  const closed = join(root, 'closed');
  write(closed, 'PORT=5\n');
  chmodSync(root, 0o755);
  chmodSync(closed, 0o700);
  const places = JSON.stringify({ environment: {}, currentFolder: closed, systemFolders: [] });
  const look = `const { findSettings } = await import('${sources}'); console.log(findSettings(${places}).file);`;
  const { printed, complaints } = await runProgram([...nobody, process.execPath, '-e', look]);
  expect([printed, complaints]).toEqual(['null\n', '']);
});

const file = join(root, 'hub.env');

function judge(text: string, commandVariables: readonly string[] = []) {
  writeFileSync(file, text);
  const { faults, doubts } = judgeSettingsFile(file, commandVariables);
  const inLines = (said: readonly string[]) => said.map((one) => one.replace(`${file}, line `, ''));
  return { faults: inLines(faults), doubts: inLines(doubts) };
}

const sound = { faults: [], doubts: [] };

test('lines that are no assignment', () => {
  expect(judge('# Of this hub\n\nPORT 3441\nwhat is this\nHOST=127.0.0.1')).toEqual({
    faults: ['3: this is no assignment. Write PORT=value.', '4: this is no assignment. Write NAME=value.'],
    doubts: [],
  });
  // The value might be a secret.
  expect(judge('SECRET_KEY 0123456789abcdef').faults.join()).not.toContain('0123456789abcdef');
});

test('names that are near to a setting', () => {
  expect(judge('PORTT=3441\nTRUSTED_PROXY=127.0.0.1/32\nexport base_url=https://hub.example\n')).toEqual({
    faults: [
      '1: PORTT is no setting of the hub. Did you mean PORT?',
      '2: TRUSTED_PROXY is no setting of the hub. Did you mean TRUSTED_PROXIES?',
      '3: base_url is no setting of the hub. Did you mean BASE_URL?',
    ],
    doubts: [],
  });
});

test('a name that is set twice', () => {
  expect(judge('PORT=1\nHOST=127.0.0.1\nPORT=2\n').faults).toEqual([
    '3: PORT is already set in line 1. Remove one.',
  ]);
});

test('names of other programs, and of the backup command', () => {
  const others = 'OTEL_LOGS_EXPORTER HTTP_PROXY no_proxy TZ NODE_EXTRA_CA_CERTS HOME PGSSLMODE'.split(' ');
  expect(judge(others.map((name) => `${name}=x\n`).join(''))).toEqual(sound);
  expect(judge('UPLOAD_TARGET=s3://bucket\n')).toEqual({
    faults: [],
    doubts: ['1: UPLOAD_TARGET is no setting of the hub.'],
  });
  expect(judge('UPLOAD_TARGET=s3://bucket\nBACKUP_KEY=k\n', ['UPLOAD_*', 'BACKUP_KEY'])).toEqual(sound);
});

test('all forms of assignments that are read', () => {
  const forms = [
    '\uFEFFPORT=1',
    'export HOST = 127.0.0.1 # here',
    'MCP: on',
    "HUB_NAME='Ada #1'",
    'HUB_DESCRIPTION="one',
    'PORTT=2 is text',
    'three"',
    "BACKUP_COMMAND='it",
    'INBOX_KEY=',
    '; of systemd',
    '',
  ];
  expect(judge(forms.join('\n'))).toEqual(sound);
  expect(judge(forms.join('\r\n'))).toEqual(sound);
  expect(judge(`${forms.slice(3, 7).join('\n')}\nPORTT=2`).faults).toEqual([
    expect.stringContaining('5: PORTT'),
  ]);
});

test('a value with # is read as in a shell', async () => {
  const text = `OPERATOR_KEY=0123456789abcdef#the-rest
INBOX_KEY= # none
HUB_NAME=#1
export HUB_DESCRIPTION="Ada #1" # here
PORT=3000\t# of the proxy`;
  const shell = await runProgram(['sh', '-c', `set -a\n${text}\nenv`]);
  const values = Object.entries(parseSettingsFile(text));
  expect(values).toHaveLength(5);
  for (const [name, value] of values) expect(shell.printed.split('\n')).toContain(`${name}=${value}`);
  expect(judge(text)).toEqual(sound);
  // A shell and systemd would join what follows the quotes.
  expect(judge(`PORT=1\nOPERATOR_KEY="0123456789abcdef"#the-rest`).faults).toEqual([
    '2: put the whole value of OPERATOR_KEY in one pair of quotes.',
  ]);
});

test('a start names them with the other wrong settings, and does not start', async () => {
  writeFileSync(file, 'PORT 3441\nTRUSTED_PROXY=127.0.0.1/32\nHOST=1.2.3\nSOMETHING_ELSE=1\n');
  for (const program of ['start', 'api', 'migrate']) {
    const { exitCode, printed, complaints } = await runHubCommand([program, '--data', root]);
    expect([exitCode, printed]).toEqual([78, '']);
    expect(complaints.trim().split('\n')).toEqual([
      `Warning: ${file}, line 4: SOMETHING_ELSE is no setting of the hub.`,
      '3 settings are wrong:',
      expect.stringContaining('  HOST must be '),
      `  ${file}, line 1: this is no assignment. Write PORT=value.`,
      `  ${file}, line 2: TRUSTED_PROXY is no setting of the hub. Did you mean TRUSTED_PROXIES?`,
    ]);
  }
});
