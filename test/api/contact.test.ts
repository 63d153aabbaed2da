/**
 * Contact messages over HTTP, through a real SMTP server: accepted, rejected, counted and
 * stored.
 */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import PostalMime from 'postal-mime';
import { giveUpMail } from '#domain/mail/end-mail.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, useTestHub } from '#test/harness/hub.ts';
import { type MailPool, type MailPoolOptions, startMailPool } from '#test/harness/mail-pool.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { smtpError, startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const emoji = '\u{1f600}';

let smtp: TestSmtpServer;
let mailPool: MailPool | null = null;
let networks = 0;
const hub = useTestHub({ settings: { trustedProxies: ['127.0.0.0/8'] } });
beforeAll(async () => {
  await createTestAgent(hub.ctx, { handle: 'ada-7' });
});
beforeEach(async () => {
  smtp = await startTestSmtpServer();
  networks += 1;
});
afterEach(async () => {
  await mailPool?.stop();
  mailPool = null;
  await smtp.close();
});

/** Each test writes from its own network unless it says otherwise. */
function ownNetwork(): string {
  return `198.51.100.${networks}`;
}
function employ(options: Partial<MailPoolOptions> = {}, hubs: readonly TestHub[] = [hub]): void {
  mailPool = startMailPool(hubs, { smtpUrl: smtp.url, ...options });
}
const say = (json: object, from = ownNetwork(), at = hub) =>
  at.fetch('/v1/contact', { json, headers: { 'x-forwarded-for': from } });
const sayTimes = (times: number) => Promise.all(Array.from({ length: times }, () => say(plain)));
const plain = { contact: 'grace@example.org', message: 'Hello' };
async function logged(from = ownNetwork()) {
  const hash = createHmac('sha256', testSecretKey).update(from).digest('hex');
  const rows = await rowsOf(hub, 'mails');
  // The hashes of wider networks come first.
  return rows.filter((row) => row.status !== 'failed' && row.networkHash?.split('/').at(-1) === hash);
}

test('returns 200 once the mail server has accepted the message, with the sender in Reply-To only', async () => {
  employ();
  const message = `Größe ${emoji}\n\tSecond line\n.\n..dots`;
  const response = await say({ name: 'Grace “Amazing” H.', contact: 'grace@example.org', message });
  expect([response.status, response.body]).toEqual([200, { ok: true }]);
  expect(smtp.taken).toHaveLength(1);
  const [mail] = smtp.taken;
  expect([mail!.from, mail!.to]).toEqual(['hub@hub.test', ['team@hub.test']]);
  const parsed = await PostalMime.parse(mail!.raw);
  expect(parsed.from).toEqual({ name: 'Agent Hub', address: 'hub@hub.test' });
  expect(parsed.to).toEqual([{ name: '', address: 'team@hub.test' }]);
  expect(parsed.replyTo).toEqual([{ name: '', address: 'grace@example.org' }]);
  expect(parsed.text).toStartWith(`${message}\n`);
  expect(parsed.text).toContain('Name: Grace “Amazing” H.');
  expect(mail!.raw.split('grace@example.org')).toHaveLength(2);
  const [row] = (await rowsOf(hub, 'mails')).slice(-1);
  expect(row).toMatchObject({ status: 'sent', attempt: 1 });
  // The job in Redis names the mail and the request but contains nothing of either.
  const notice = hub.published.find(({ payload }) => 'mailId' in payload && payload.mailId === row!.id);
  const requestId = response.headers.get('x-request-id');
  expect(notice?.payload as unknown).toEqual({ mailId: row!.id, cause: { requestId } });
});

function dropAll(): never {
  smtp.dropAll();
  throw smtpError(421);
}

test.each([
  ['4xx to the recipient', () => (smtp.onRecipient = () => Promise.reject(smtpError(450)))],
  ['5xx to the message', () => (smtp.onMessage = () => Promise.reject(smtpError(554)))],
  ['a dropped connection', () => (smtp.onMessage = dropAll)],
])('%s is 502, is not retried, and does not count', async (_, misbehave) => {
  employ();
  misbehave();
  // More than the limit, so that a message that counted would show.
  for (const response of [...(await sayTimes(5)), await say(plain)])
    expectError(response, 502, 'delivery_failed');
  expect([await logged(), smtp.taken, await rowsOf(hub, 'jobs', { closedAt: null })]).toEqual([[], [], []]);
  smtp.onMessage = () => undefined;
  smtp.onRecipient = () => undefined;
  expect((await sayTimes(5)).map(({ status }) => status)).toEqual(Array<number>(5).fill(200));
  expectError(await say(plain), 429, 'contact_rate_limited');
});

test('a mail server that stalls or is down is 502', async () => {
  employ({ tryTimeoutMs: 300 });
  const stalled = Promise.withResolvers<void>();
  smtp.onMessage = () => stalled.promise;
  expectError(await say(plain), 502, 'delivery_failed');
  stalled.resolve();
  await smtp.close();
  expectError(await say(plain), 502, 'delivery_failed');
  expect(await logged()).toEqual([]);
});

test('an IPv6 client counts by its /64 and is stored only as a keyed hash', async () => {
  employ();
  const prefix = `2001:db8:0:${networks.toString(16)}`;
  for (let i = 1; i <= 5; i += 1) expect((await say(plain, `${prefix}::${i}`)).status).toBe(200);
  expectError(await say(plain, `${prefix}:ffff::6`), 429, 'contact_rate_limited');
  expect((await say(plain, `2001:db8:1:${networks.toString(16)}::1`)).status).toBe(200);
  expect(await logged(`${prefix}::/64`)).toHaveLength(5);
  const everything = JSON.stringify([await rowsOf(hub, 'mails'), await rowsOf(hub, 'jobs')]);
  expect(everything).not.toContain(prefix);
  expect(everything).not.toContain('198.51.100.');
});

test('a message that no worker picks up in time is 502 and is never sent later', async () => {
  await using hasty = await startTestHub({ store: hub, deliveryWaitMs: 200, clock: hub.clock });
  expectError(await say(plain, ownNetwork(), hasty), 502, 'delivery_failed');
  employ({}, [hasty]);
  const open = () => rowsOf(hub, 'jobs', { closedAt: null });
  await waitUntil(async () => (await open()).length === 0);
  expect(smtp.taken).toEqual([]);
  expect(await logged('127.0.0.1')).toEqual([]);
});

test('a message accepted after it was given up stays 502, does not count, and is logged', async () => {
  const { logger, lines } = createRecordingLogger();
  employ({ logger });
  const { promise, resolve } = Promise.withResolvers<void>();
  smtp.onMessage = () => promise;
  const waiting = say(plain);
  await waitUntil(() => smtp.arrived() > 0);
  const { id: mailId } = await rowOf(hub, 'mails', { status: 'sending' });
  expect(await giveUpMail(hub.ctx, { mailId })).toBe('failed');
  expectError(await waiting, 502, 'delivery_failed');
  resolve();
  await mailPool?.stop();
  expect(smtp.taken).toHaveLength(1);
  expect(JSON.stringify(lines)).toContain('an email was accepted after the hub had given it up');
  expect(JSON.stringify(lines)).not.toContain('grace@example.org');
  expect(await logged()).toEqual([]);
  expect(await rowOf(hub, 'mails', { id: mailId })).toMatchObject({ status: 'failed' });
});
