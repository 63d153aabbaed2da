/** What the processes of a hub, their supervisor and the command line print, with every secret set. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrongToken } from '#test/harness/agents.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { Visitor } from '#test/harness/visitor.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

const folder = useTestFolder();
const keyFile = join(folder, 'agent.pem');

const settings = {
  OPERATOR_KEY: 'the-operators-own-key-1',
  INBOX_KEY: 'the-key-of-the-inbox-22',
  SECRET_KEY: 'the-secret-of-the-hub-3',
  PAYMENTS_WEBHOOK_SECRET: 'whsec_dGhlLXNlY3JldC1vZi1wYXltZW50cw==',
  INBOUND_MAIL_SECRET: 'whsec_dGhlLXNlY3JldC1vZi10aGUtbWFpbA==',
  CHECKOUT_API_URL: 'http://127.0.0.1:9/sessions',
  CHECKOUT_ACCESS_TOKEN: 'the-token-of-checkouts-4',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=the-key-of-collectors-5',
};
const mailPassword = 'the-password-of-mail-6';

const visitor = new Visitor();
const { secrets } = visitor;
const keep = visitor.keep.bind(visitor);
Object.assign(secrets, {
  ...Object.fromEntries(Object.entries(settings).filter(([name]) => /KEY|SECRET|TOKEN/.test(name))),
  'header of the collector': 'the-key-of-collectors-5',
  'password of the mail server': mailPassword,
});

let hub: WholeHub;
let target: TestTarget;
/** The output of each command, and whether the command may show a token. */
const printed: { readonly words: string; readonly text: string }[] = [];

beforeAll(async () => {
  const { did } = JSON.parse(await run(['keygen', keyFile, '--json'])) as { did: string };
  secrets['private key'] = readFileSync(keyFile, 'utf8').split('\n')[1] ?? '';
  target = startTarget(() => keep('reply of a target', 'what-the-target-has-said'));
  hub = startHub({
    ...settings,
    PORT: '0',
    MAINTAINER_DIDS: did,
    TRUSTED_PROXIES: '127.0.0.1/32',
    EVAL_ALLOWED_TARGETS: 'loopback',
    SMTP_URL: `smtp://mail-user:${mailPassword}@127.0.0.1:9`,
    CONTACT_TO: 'team@hub.test',
  });
  await hub.until(/Agent Hub is ready/);
  visitor.url = await hub.address();
});
afterAll(() => target.stop());

/** Runs a command until it exits, whatever its result. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const all = { PATH: process.env['PATH'], HOME: folder, TMPDIR: tmpdir(), ...env };
  const { printed: output, complaints } = await runProgram([hubBinary, ...words], { env: all });
  printed.push({ words: words.join(' '), text: output + complaints });
  return output;
}

/** What an operator runs on the machine of the hub, with the hub's own settings. */
async function lookAsOperator(): Promise<void> {
  const [, socketFolder = ''] = await hub.until(/private Redis in (\S+)/);
  const stores = {
    ...settings,
    DATABASE_URL: `sqlite:${join(hub.dataDir, 'hub.sqlite')}`,
    REDIS_URL: join(socketFolder, 'redis', 'redis.sock'),
  };
  const looks = ['agents list', 'queues status', 'inbox list'];
  await Promise.all([
    ...looks.map(async (look) => expect([look, await run(look.split(' '), stores)]).not.toEqual([look, ''])),
    run(['backup', join(folder, 'copy.db')], stores),
    run(['health'], { ...settings, PORT: new URL(visitor.url).port }),
  ]);
}

test('no secret is printed by the processes of a hub, their supervisor or the command line', async () => {
  const HUB_URL = visitor.url;
  const shown = await run(['register', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  const { token } = JSON.parse(shown) as { token: string };
  keep('token', token);
  const again = await run(['login', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  keep('second token', (JSON.parse(again) as { token: string }).token);
  const wrong = keep('wrong token', wrongToken(token));
  const asAda = { HUB_URL, HUB_TOKEN: token };
  const targetUrl = `${target.url}?${keep('query of a target', 'access=granted-to-the-hub')}`;
  const password = keep('password of a database', 'the-password-of-postgres-7');
  const database = `postgres://hub:${password}@127.0.0.1:9/hub`;
  await Promise.all([
    run(['whoami'], asAda),
    run(['whoami', '--json'], { HUB_URL, HUB_TOKEN: wrong }),
    run(['whoami', '--token', wrong], { HUB_URL }),
    run(['tokens', 'grant', 'ada-7', '3', 'For a test'], { DATA_DIR: hub.dataDir }),
    run(['evaluate', '--product=eval-run', `--target=${targetUrl}`, '--protocol=hub'], asAda),
    run(['audit'], { DATABASE_URL: `sqlite:${join(hub.dataDir, 'hub.sqlite')}` }),
    run(['audit', '--json'], { DATABASE_URL: database }),
  ]);

  const contact = keep('sender', 'sender@private.example');
  const message = keep('message', 'Nobody else is to read this.');
  expect((await visitor.send('/v1/contact', { contact, message })).status).toBe(502);
  await visitor.send(`/checkout?products=one&customerEmail=${contact}`);
  const guess = { authorization: `Bearer ${keep('guessed key', 'a-guess-at-the-operators-key')}` };
  for (const path of ['/metrics', '/v1/inbox']) await visitor.send(path, undefined, guess);
  const operator = { authorization: `Bearer ${settings.OPERATOR_KEY}` };
  for (const path of ['/metrics', '/admin/queues/api/queues'])
    expect((await visitor.send(path, undefined, operator)).status).toBe(200);
  const eventId = await visitor.createEvent({ authorization: `Bearer ${token}` });
  const { requestId } = await visitor.tour(eventId);
  await lookAsOperator();
  const signed = { 'webhook-signature': keep('signature', 'v1,a2lsbGVkLWJ5LWEtd3Jvbmctc2lnbmF0dXJl') };
  await visitor.send('/api/webhook/payments', { type: 'order.paid' }, signed);

  // The supervisor prints what a killed worker leaves behind.
  const [, pid] = await hub.until(/"pid":(\d+)[^\n]*"name":"eval-runner"/);
  process.kill(Number(pid), 'SIGKILL');
  await hub.until(/worker eval-runner ended; starting it again/);
  await hub.until(/"name":"eval-runner"[^\n]*"msg":"working"/, 2);
  const { exitCode, output, complaints } = await hub.stop();
  expect(exitCode).toBe(0);
  expect(printed.length).toBeGreaterThan(14);
  // The log is still useful: requests and runs can be found in it.
  expect(output).toMatch(new RegExp(`\\{.*"request_id":"${requestId}".*"route":"/v1/threads","status":201`));
  expect(output).toMatch(/\{.*"name":"eval-runner".*"runId":"/);
  const texts = [{ words: 'the hub', text: output + complaints }, ...printed];
  for (const { words, text } of texts) {
    const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret));
    // Only the two commands that exist to show a token do so, and only the one that reports replies shows one.
    const own = /^(register|login)/.test(words)
      ? ['token', 'second token']
      : words.startsWith('evaluate')
        ? ['reply of a target']
        : [];
    expect([words, found.map(([name]) => name).filter((name) => !own.includes(name))]).toEqual([words, []]);
  }
});

test('a failed start prints none of the secrets in its settings', async () => {
  const password = 'the-password-of-postgres-7';
  for (const wrong of [
    { ...settings, DATABASE_URL: `postgres://hub:${password}@127.0.0.1:9/hub` },
    { ...settings, DATABASE_URL: `mysql://hub:${password}@127.0.0.1:9/hub`, INBOX_KEY: 'two words of a key' },
    { ...settings, REDIS_URL: `redis://:${password}@127.0.0.1:9` },
    { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: `ftp://hub:${password}@127.0.0.1:9` },
  ]) {
    const { exitCode, output, complaints } = await startHub({ PORT: '0', ...wrong }).ended();
    expect(exitCode).not.toBe(0);
    const text = output + complaints;
    expect(text.length).toBeGreaterThan(20);
    const given = [password, 'two words', ...Object.values(secrets)];
    expect(given.filter((secret) => text.includes(secret))).toEqual([]);
  }
});
