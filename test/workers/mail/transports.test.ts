/** The two transports: SMTP with verified certificates and protected passwords, and readable files. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { MailRow } from '#domain/mail/claim-mail.ts';
import { testMailAddresses } from '#test/harness/mail-pool.ts';
import { startTestSmtpServer } from '#test/harness/smtp.ts';
import { makeTestAuthority } from '#test/harness/certificates.ts';
import { createFileTransport } from '#workers/mail/file-transport.ts';
import { mailAddressesOf } from '#workers/mail/mail-addresses.ts';
import { createSmtpTransport } from '#workers/mail/smtp-transport.ts';

const authority = makeTestAuthority();
const scratch = await mkdtemp(join(tmpdir(), 'hub-mail-'));
afterAll(() => rm(scratch, { recursive: true }));

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
const never = new AbortController().signal;
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
  const deliver = (host: string, query = '') =>
    createSmtpTransport(`smtp://ada:secret@${host}:${server.port}${query}`, testMailAddresses).deliver(
      mail,
      never,
    );
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
  const answer = await createFileTransport(join(file, 'mail'), testMailAddresses, async () => mail).deliver(
    mail,
    never,
  );
  expect(answer).toMatchObject({ kind: 'refused', permanent: false });
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
