/** Deliveries of the mail pool, on both stores: retries, pauses, dead workers, and concurrent attempts. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openDatabase } from '#db/open-database.ts';
import { type Ctx } from '#domain/context.ts';
import { claimMail, settleMail, type MailRow } from '#domain/mail/claim-mail.ts';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { announcedOldAfterMs, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { keepEndedMailsMs, mailPolicies, pauseAfterTryMs, tryMarginMs } from '#domain/mail/mail-limits.ts';
import { pruneMails } from '#domain/mail/end-mail.ts';
import { type SendMailInput } from '#domain/mail/send-mail.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { sendTestMail, testMailAddresses } from '#test/harness/mail-pool.ts';
import { pauseAfter } from '#test/harness/pause-after.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { smtpError, startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliverMail } from '#workers/mail/deliver-mail.ts';
import { createSmtpTransport } from '#workers/mail/smtp-transport.ts';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { makeTestAuthority } from '#test/harness/certificates.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { createFileTransport } from '#workers/mail/file-transport.ts';
import { mailAddressesOf } from '#workers/mail/mail-addresses.ts';

const never = new AbortController().signal;
const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  let smtp: TestSmtpServer;
  let ctx: TestCtx;
  beforeEach(async () => {
    smtp = await startTestSmtpServer();
    ctx = createTestCtx(store.db);
  });
  afterEach(() => smtp.close());

  async function promise(input: Partial<SendMailInput> = {}) {
    const mailId = await sendTestMail(ctx, input);
    return { mailId, jobId: ctx.published.at(-1)!.id };
  }
  /** Returns the time until the next attempt; null when the mail has ended. */
  function deliver(job: { mailId: string; jobId: string }, at: Ctx = ctx): Promise<number | null> {
    const transport = createSmtpTransport(smtp.url, testMailAddresses);
    return pauseAfter(deliverMail({ ctx: at, logger, transport, ending: never }, job));
  }
  async function read({ mailId, jobId }: { mailId: string; jobId: string }) {
    const { closedAt } = await rowOf(store, 'jobs', { id: jobId });
    return { ...(await rowOf(store, 'mails', { id: mailId })), jobIsOpen: closedAt === null };
  }

  test('a notice goes to its address, and its job is closed in the same commit', async () => {
    const job = await promise();
    expect(await deliver(job)).toBeNull();
    expect(smtp.taken).toMatchObject([{ from: 'hub@hub.test', to: ['host@example.org'] }]);
    expect(smtp.taken[0]!.raw).toContain('\r\nTo: Host <host@example.org>\r\n');
    expect(await read(job)).toMatchObject({ status: 'sent', attempt: 1, failure: null, jobIsOpen: false });
    expect(await deliver(job)).toBeNull();
    expect(smtp.taken).toHaveLength(1);
  });

  test('a temporary refusal is retried after growing pauses, under the same Message-ID', async () => {
    const job = await promise();
    smtp.onMessage = () => Promise.reject(smtpError(451, 'Greylisted'));
    expect(await deliver(job)).toBe(pauseAfterTryMs(1));
    const waiting = { status: 'waiting', failure: expect.stringContaining('Greylisted') };
    expect(await read(job)).toMatchObject(waiting);
    ctx.clock.advance(pauseAfterTryMs(1) - 1);
    expect(await deliver(job)).toBe(1);
    expect(smtp.arrived()).toBe(1);
    ctx.clock.advance(1);
    expect(await deliver(job)).toBe(pauseAfterTryMs(2));
    smtp.onMessage = () => undefined;
    ctx.clock.advance(pauseAfterTryMs(2));
    expect(await deliver(job)).toBeNull();
    expect(smtp.taken[0]!.raw).toContain(`Message-ID: <${job.mailId}@hub.test>`);
    expect(await read(job)).toMatchObject({ status: 'sent', attempt: 3, failure: null });
  });

  test('an email waits for no worker until its next attempt is due, even if its workers die', async () => {
    const [refused, killed] = [await promise(), await promise()];
    smtp.onMessage = () => Promise.reject(smtpError(451, 'Greylisted'));
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await deliver(refused);
      expect((await claimMail(ctx, killed)).state).toBe('claimed');
      const pauseMs = Math.max(pauseAfterTryMs(attempt), mailPolicies.notice.tryTimeoutMs + tryMarginMs);
      expect(await deliver(killed)).toBe(pauseMs);
      const announcedBefore = new Date(
        ctx.clock.now().getTime() + pauseAfterTryMs(attempt) - announcedOldAfterMs,
      );
      expect(await reannounceOpenJobs(ctx, { announcedBefore, limit: 10 })).toBe(0);
      ctx.clock.advance(pauseAfterTryMs(attempt) - 1);
      expect(await readQueueBacklog(ctx, 'mail', null)).toEqual({ open: 2, oldestWaitingMs: 0 });
      ctx.clock.advance(pauseMs - pauseAfterTryMs(attempt) + 1);
    }
    expect(smtp.arrived()).toBe(6);
  });

  test('a notice is given up when its next attempt would come after more than three days', async () => {
    const job = await promise();
    const startedAt = ctx.clock.now().getTime();
    smtp.onRecipient = () => Promise.reject(smtpError(450));
    for (let delayMs = await deliver(job); delayMs !== null; delayMs = await deliver(job)) {
      ctx.clock.advance(delayMs);
    }
    const { attempt, status, jobIsOpen } = await read(job);
    expect([status, jobIsOpen]).toEqual(['failed', false]);
    const tookMs = ctx.clock.now().getTime() - startedAt;
    expect(tookMs).toBeLessThan(3 * dayMs);
    expect(tookMs + pauseAfterTryMs(attempt)).toBeGreaterThanOrEqual(3 * dayMs);
  });

  test('a permanent refusal ends the mail at once', async () => {
    const job = await promise();
    smtp.onRecipient = () => Promise.reject(smtpError(550, 'No such user'));
    expect(await deliver(job)).toBeNull();
    const failure = expect.stringContaining('No such user');
    expect(await read(job)).toMatchObject({ status: 'failed', attempt: 1, jobIsOpen: false, failure });
  });

  test('a notice of a dead worker is sent by another after the lease expires, a contact message never', async () => {
    const [notice, contact] = [await promise(), await promise({ kind: 'contact', to: null })];
    for (const job of [notice, contact]) expect((await claimMail(ctx, job)).state).toBe('claimed');
    expect(await deliver(notice)).toBe(mailPolicies.notice.tryTimeoutMs + tryMarginMs);
    expect(await deliver(contact)).toBe(pauseAfterTryMs(1));
    ctx.clock.advance(mailPolicies.notice.tryTimeoutMs + tryMarginMs);
    expect([await deliver(notice), await deliver(contact)]).toEqual([null, null]);
    expect(smtp.taken.map(({ to }) => to)).toEqual([['host@example.org']]);
    expect([(await read(notice)).status, (await read(contact)).status]).toEqual(['sent', 'failed']);
  });

  test('a worker that wakes up after it was replaced changes nothing', async () => {
    const job = await promise();
    const first = await claimMail(ctx, job);
    ctx.clock.advance(mailPolicies.notice.tryTimeoutMs + tryMarginMs);
    const second = await claimMail(ctx, job);
    if (first.state !== 'claimed' || second.state !== 'claimed') throw new Error('Both claim.');
    const refused = { kind: 'refused', permanent: true, said: 'No' } as const;
    const late = await settleMail(ctx, { mail: first.mail, jobId: job.jobId, answer: refused });
    expect(late).toEqual({ state: 'too late' });
    const settled = await settleMail(ctx, { mail: second.mail, jobId: job.jobId, answer: { kind: 'taken' } });
    expect(settled).toEqual({ state: 'sent' });
    expect(await read(job)).toMatchObject({ status: 'sent', attempt: 2, jobIsOpen: false });
  });

  test('when two processes claim an email at once, only one sends it', async () => {
    const db = await openDatabase(store.setting);
    const other = { ...ctx, db };
    for (let round = 0; round < 5; round += 1) {
      const job = await promise();
      await Promise.all([deliver(job), deliver(job, other), deliver(job), deliver(job, other)]);
      expect(smtp.arrived()).toBe(round + 1);
    }
    await db.close();
  });

  test('an expired email is not attempted, and ended emails are deleted after a day', async () => {
    const job = await promise({ kind: 'contact', to: null });
    ctx.clock.advance(mailPolicies.contact.giveUpAfterMs);
    expect(await deliver(job)).toBeNull();
    expect([smtp.arrived(), (await read(job)).status]).toEqual([0, 'failed']);
    const under = await promise();
    ctx.clock.advance(keepEndedMailsMs + 1);
    await pruneMails(ctx);
    const left = (await rowsOf(store, 'mails')).map(({ id }) => id);
    expect([left.includes(job.mailId), left.includes(under.mailId)]).toEqual([false, true]);
  });

  test('several addresses or several lines are refused before they are stored', async () => {
    const faults: Partial<SendMailInput>[] = [
      { to: 'a@example.org, b@example.org' },
      { to: 'a@example.org\r\nBcc: b@example.org' },
      { to: 'Host' },
      { replyTo: 'Ada <ada@example.org>' },
      { subject: 'One\r\nBcc: b@example.org' },
      { subject: 'One\u2028Two' },
      { subject: 'x'.repeat(201) },
      { text: 'x'.repeat(20_001) },
    ];
    for (const fault of faults) await expect(promise(fault)).rejects.toThrow(/./);
    expect(ctx.published).toEqual([]);
    await promise({ subject: 'x'.repeat(200), text: 'x'.repeat(20_000) });
  });
});

/** The two transports: SMTP with verified certificates and protected passwords, and readable files. */
const authority = makeTestAuthority();

const scratch = useTestFolder();

const createdAt = new Date('2026-03-01T12:00:00.000Z');

const mail: MailRow = {
  id: '0195516c-5c00-7000-8000-000000000001',
  kind: 'notice',
  status: 'sending',
  recipient: 'Größe GmbH <host@example.org>',
  replyTo: null,
  subject: 'Größe \u{1f600}',
  networkHash: null,
  text: 'A line\nGröße\n',
  attempt: 1,
  nextTryAt: createdAt,
  giveUpAt: createdAt,
  failure: null,
  createdAt,
  endedAt: null,
};

const trusting = `?tls.ca=${encodeURIComponent(authority.cert)}`;

test.each([true, false])(
  'a certificate for another name is rejected (TLS from the start: %s)',
  async (secure) => {
    const right = await startTestSmtpServer({ secure, ...authority.issue('DNS:localhost') });
    const wrong = await startTestSmtpServer({ secure, ...authority.issue('DNS:elsewhere.test') });
    const deliver = (url: string) => createSmtpTransport(url, testMailAddresses).deliver(mail, never);
    expect(await deliver(right.url + trusting)).toEqual({ kind: 'taken' });
    expect(await deliver(wrong.url + trusting)).toMatchObject({ kind: 'refused', permanent: false });
    // Nor is an unknown authority accepted.
    expect(await deliver(right.url)).toMatchObject({ kind: 'refused', permanent: false });
    expect([right.taken.length, wrong.arrived()]).toEqual([1, 0]);
    await Promise.all([right.close(), wrong.close()]);
  },
);

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.internal === false && address.family === 'IPv4')?.address;

test.skipIf(outside === undefined)('a password is not sent to another machine unencrypted', async () => {
  const logins: string[] = [];
  const server = await startTestSmtpServer(
    {
      allowInsecureAuth: true,
      onAuth: ({ username = '' }, _session, callback) => {
        logins.push(username);
        callback(null, { user: username });
      },
    },
    '0.0.0.0',
  );
  const deliver = (host: string, query = '') => {
    const url = `smtp://ada:secret@${host}:${server.port}${query}`;
    return createSmtpTransport(url, testMailAddresses).deliver(mail, never);
  };
  expect(await deliver(outside!)).toMatchObject({ kind: 'refused' });
  expect(logins).toEqual([]);
  expect(await deliver(outside!, '?requireTLS=false')).toEqual({ kind: 'taken' });
  expect(await deliver('127.0.0.1')).toEqual({ kind: 'taken' });
  expect(logins).toEqual(['ada', 'ada']);
  await server.close();
});

test('each email is written once as a complete file that mail programs can read', async () => {
  const folder = join(scratch, 'mail');
  const transport = createFileTransport(folder, testMailAddresses, async () => mail);
  for (let tries = 0; tries < 2; tries += 1) {
    expect(await transport.deliver(mail, never)).toEqual({ kind: 'taken' });
  }
  const files = await readdir(folder);
  expect(files).toEqual([`2026-03-01T12-00-00.000Z_${mail.id}.eml`]);
  const raw = await readFile(join(folder, files[0]!), 'utf8');
  expect(raw).toContain('A line');
  const parsed = await PostalMime.parse(raw);
  expect(parsed).toMatchObject({
    from: { name: 'Agent Hub', address: 'hub@hub.test' },
    to: [{ name: 'Größe GmbH', address: 'host@example.org' }],
    subject: mail.subject,
    messageId: `<${mail.id}@hub.test>`,
    date: '2026-03-01T12:00:00.000Z',
  });
  expect(parsed.text).toBe(mail.text);
});

test('a folder that is not writable is a refusal, not a crash', async () => {
  const file = join(scratch, 'not-a-folder');
  await writeFile(file, '');
  const transport = createFileTransport(join(file, 'mail'), testMailAddresses, async () => mail);
  expect(await transport.deliver(mail, never)).toMatchObject({ kind: 'refused', permanent: false });
});

test('addresses that are not set fall back to each other, then to the host of the hub', () => {
  const of = (mailFrom: string | null, contactTo: string | null, baseUrl = 'https://hub.example.org/a') => {
    const { from, operator } = mailAddressesOf({ mailFrom, contactTo, baseUrl });
    return [from.address, operator.address];
  };
  expect(of('Hub <hub@a.org>', 'team@b.org')).toEqual(['hub@a.org', 'team@b.org']);
  expect(of('hub@a.org', null)).toEqual(['hub@a.org', 'hub@a.org']);
  expect(of(null, 'team@b.org')).toEqual(['team@b.org', 'team@b.org']);
  expect(of(null, null)).toEqual(['agent-hub@hub.example.org', 'agent-hub@hub.example.org']);
  for (const baseUrl of ['http://127.0.0.1:3000', 'http://[::1]:3000']) {
    expect(of(null, null, baseUrl)[0]).toBe('agent-hub@localhost');
  }
});
