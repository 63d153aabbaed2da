/** The command line, each command as its own process against a whole hub. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { generateKeyPairSync } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '#client/keys.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

/** The fields of all responses that the tests read. */
interface Answer {
  readonly did: string;
  readonly token: string;
  readonly checks: readonly { readonly name: string; readonly drifts: readonly unknown[] }[];
}

async function hub(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ended = await runHubCommand(words, env);
  return { ...ended, json: () => ended.json() as Answer };
}

let running: WholeHub;
let HUB_URL: string;
let HUB_TOKEN: string;

beforeAll(async () => {
  const made = await expectSuccess(hub(['keygen', keyFile, '--json']));
  running = startHub({ PORT: '0', MAINTAINER_DIDS: made.json().did });
  HUB_URL = await running.address();
  const signedUp = await expectSuccess(hub(['register', 'ada-7', '--key', keyFile, '--json'], { HUB_URL }));
  HUB_TOKEN = signedUp.json().token;
});
afterAll(() => running.stop());
const folder = useTestFolder();
const keyFile = join(folder, 'agent.pem');

const asAda = () => ({ HUB_URL, HUB_TOKEN });

test('a new key is readable only by its owner, and never overwrites a file', async () => {
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  await expectRefusal(hub(['keygen', keyFile]), 1, `${keyFile} already exists and was not changed`);
});

test('an agent registers, logs in again and sees its own profile', async () => {
  const again = await hub(['login', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  expect(again.json().token).toStartWith('hub_');
  const me = await hub(['whoami'], { HUB_URL, HUB_TOKEN: again.json().token });
  expect(me.printed).toContain('ada-7  did:key:z6Mk');
  expect(me.printed).toContain('first run free');
});

test('a key file of the client is read too, and one without a key is refused for what it is', async () => {
  const key = await createKey();
  const stored = join(folder, 'agent.json');
  await Bun.write(stored, JSON.stringify({ ...key, handle: 'cleo-7' }));
  await expectSuccess(hub(['register', 'cleo-7', '--key', stored], { HUB_URL }));
  expect((await hub(['login', 'cleo-7', '--key', stored], { HUB_URL })).exitCode).toBe(0);
  const missing = join(folder, 'missing.pem');
  const refused = hub(['register', 'dora-7', '--key', missing], { HUB_URL });
  await expectRefusal(refused, 1, `${missing} of --key does not exist. \`hub keygen\` creates one.\n`);
  const empty = join(folder, 'empty.json');
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { format: 'pem', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  });
  for (const text of ['{"publicKey": "x"}', 'null', 'x', rsa.privateKey]) {
    await Bun.write(empty, text);
    const { complaints: said } = await hub(['login', 'cleo-7', '--key', empty], { HUB_URL });
    expect(said).toMatch(/empty\.json of --key has no private Ed25519 key, .*keygen` creates one\.\n$/);
  }
});

test('an address whose name does not resolve is not taken for a hub that is not started', async () => {
  const { complaints } = await hub(['whoami'], { HUB_URL: 'https://no-such-hub.invalid', HUB_TOKEN });
  expect(complaints).toMatch(/^Cannot reach a hub at .*: its name does not resolve\. .*DNS/);
  expect(complaints).not.toContain('hub start');
});

test("a refusal is shown in the hub's own words", async () => {
  await expectRefusal(hub(['register', 'x', '--key', keyFile], { HUB_URL }), 1, /^invalid_body: /);
  await expectRefusal(hub(['whoami'], { HUB_URL }), 1, 'HUB_TOKEN');
  const silent = /^Cannot reach a hub at .*: nothing is listening there\. .*hub start.*HUB_URL/;
  await expectRefusal(hub(['whoami'], { HUB_URL: 'http://127.0.0.1:9', HUB_TOKEN }), 1, silent);
});

test('a command on the stores rejects --hub and --token, and does not list them', async () => {
  for (const flag of ['--hub', '--token']) {
    const words = new RegExp(`\`hub agents list\` does not call a hub.*takes no ${flag}`);
    await expectRefusal(hub(['agents', 'list', flag, 'x']), 2, words);
  }
  const { printed: ofOperators } = await hub(['agents', 'list', '--help']);
  const { printed: ofAgents } = await hub(['whoami', '--help']);
  expect([ofOperators.includes('--hub <url>'), ofOperators.includes('--json')]).toEqual([false, true]);
  expect(ofAgents).toContain('--hub <url>');
});

test('what follows `evaluate` is read by that command alone, and its help lists only its own flags', async () => {
  for (const [flag, ...rest] of [['--version', 'x'], ['-V'], ['--token', 'x'], ['--data', 'x'], ['--hub']]) {
    const words = ['evaluate', '--product', 'eval-run', '--cmd', 'x', `${flag}`, ...rest];
    for (const line of [words, ['--json', ...words]])
      await expectRefusal(hub(line, asAda()), 3, new RegExp(`^error:.*${flag}`));
  }
  const { printed } = await hub(['help', 'evaluate']);
  for (const own of ['  --version N', '  --hub URL']) expect(printed).toContain(own);
  for (const other of ['--token', '--data']) expect(printed).not.toContain(other);
  // Here it is not the command, so options may follow.
  const nowhere = hub(['agents', 'show', 'evaluate', '--data', '/nonexistent-hub']);
  await expectRefusal(nowhere, 78, '/nonexistent-hub');
});

test('a reader that stops early, such as `head`, is no fault', async () => {
  const line = `"${process.execPath}" cli/hub.ts --help | head -1`;
  const { printed, complaints } = await runProgram(['sh', '-c', line], { cwd: projectFolder });
  expect([printed, complaints]).toEqual([expect.stringMatching(/^Usage: .*\n$/), '']);
});

test('a wrong command line and a refusal have different exit codes', async () => {
  const said = /^error: [^]*Run `hub --help` for a list of commands/;
  for (const words of ['nothing', 'register', 'tokens grant ada-7 many', 'keygen x --so'])
    expect((await expectRefusal(hub(words.split(' '), asAda()), 2, said)).printed).toBe('');
  const help = await expectSuccess(hub(['--help']));
  expect(help.printed).toContain('Examples:');
});

test('an audit of a running hub detects a changed total', async () => {
  const file = join(running.dataDir, 'hub.sqlite');
  const DATABASE_URL = `sqlite:${file}`;
  using database = new Database(file);
  database.run('PRAGMA busy_timeout = 5000');
  database.run('UPDATE token_accounts SET balance = balance + 1');
  const bent = await hub(['audit', '--json'], { DATABASE_URL });
  expect(bent.exitCode).toBe(1);
  const drifts = bent.json().checks.filter((check) => check.drifts.length > 0);
  expect(drifts.map(({ name }) => name)).toEqual(['token_balances', 'token_lots']);
  database.run('UPDATE token_accounts SET balance = balance - 1');

  await expectRefusal(hub(['audit'], { DATABASE_URL: 'mysql://x' }), 78, 'DATABASE_URL');
});
