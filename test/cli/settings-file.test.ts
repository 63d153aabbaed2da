/** Values are read as in a shell. A line of `hub.env` that sets nothing is reported: it stops a start, and is a fault of `hub setup --check`. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeSettingsFile, parseSettingsFile } from '#cli/settings-file.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const root = useTestFolder();
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
  const others =
    'OTEL_LOGS_EXPORTER=none\nHTTP_PROXY=http://proxy\nno_proxy=hub\nTZ=UTC\nNODE_EXTRA_CA_CERTS=/ca.pem\nHOME=/\nPGSSLMODE=require\n';
  expect(judge(others)).toEqual(sound);
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
