/**
 * Text from strangers and agents is sent as the text of one email to one address. Nothing on the wire can be
 * read as the end of the mail, a header or a command, however the next server treats line endings.
 */
import { afterAll, expect, test, beforeAll, beforeEach } from 'bun:test';
import { useTestHub } from '#test/harness/hub.ts';
import PostalMime from 'postal-mime';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestEvent, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { type MailPool, startMailPool } from '#test/harness/mail-pool.ts';
import { startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import { createTcpGate, type TcpGate } from '#test/harness/tcp-gate.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const settings = { trustedProxies: ['127.0.0.0/8'] };

const hub = useTestHub({ settings, rules: { mailsHosts: true } });
let seats: TestSeats;
let smtp: TestSmtpServer;
/** Records what is sent to the server, one character per byte, because the server only shows the parsed result. */
let wire: TcpGate;
let sent = '';
let mailPool: MailPool;
let networks = 0;

beforeAll(async () => {
  seats = await startTestSeats(hub.ctx, hub.redisUrl);
  smtp = await startTestSmtpServer();
  wire = await createTcpGate({ hostname: '127.0.0.1', port: smtp.port }, (chunk) => {
    sent += chunk.toString('latin1');
  });
  mailPool = startMailPool([hub], { smtpUrl: `smtp://127.0.0.1:${wire.port}` });
});

afterAll(async () => {
  await mailPool.stop();
  wire.shut();
  await smtp.close();
  await seats.stop();
});

beforeEach(() => {
  sent = '';
});

const data = '\r\nDATA\r\n';

const commands =
  'MAIL FROM:<eve@example.org>\nRCPT TO:<victim@example.org>\nDATA\nSubject: smuggled\n\nHello';

const ends = [
  '\n.\n',
  '\n\n.\n\n',
  '\n..\n',
  '\n.\t\n',
  '\n. \n',
  '.\n',
  '\u2028.\u2028',
  '=0D=0A.=0D=0A',
  '=\n.=\n',
];

const texts = [
  ...ends.map((end) => `Hello${end}${commands}${end}QUIT\n`),
  ...ends.map((end) => `${end}x`),
  'x'.repeat(1_999),
  `${'\n.'.repeat(900)}x`,
  `x${' '.repeat(70)}\n.\n${' '.repeat(80)}\n.`,
  'From eve\nFrom: eve@example.org\nBcc: victim@example.org\n\nx',
  'Content-Type: text/html\n\n<b>x</b>\n--\n--=_x--\n.',
  'é\u{1f600}\n.\né',
];

function say(changes: object) {
  networks += 1;
  return hub.fetch('/v1/contact', {
    json: { contact: 'grace@example.org', message: 'Hello', ...changes },
    headers: { 'x-forwarded-for': `198.51.100.${networks}` },
  });
}

/** Checks that the bytes sent are one email from the hub to the team. */
function expectOneMail(): void {
  // A server that accepts a bare CR or LF as a line ending would see other lines than we mean.
  expect(sent).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  expect(sent).not.toMatch(/[^\t\r\n\x20-\x7e]/);
  const start = sent.indexOf(data);
  const [head, rest] = [sent.slice(0, start), sent.slice(start + data.length)];
  const words = head.split('\r\n').filter((line) => /^(MAIL|RCPT|data|RSET|VRFY|BDAT)/i.test(line));
  expect(words).toEqual([
    expect.stringMatching(/^MAIL FROM:<hub@hub\.test>/),
    expect.stringMatching(/^RCPT TO:<team@hub\.test>$/),
  ]);
  const lines = rest.split('\r\n');
  const end = lines.indexOf('.');
  // The client sends QUIT at some later time.
  expect(lines.slice(end).filter((line) => line !== '' && line !== 'QUIT')).toEqual(['.']);
  for (const line of lines.slice(0, end)) expect(line).not.toMatch(/^\.(?!\.)/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(998);
}

test('a message that contains the end of an email, commands or headers arrives whole, as one email to one address', async () => {
  for (const [index, message] of texts.entries()) {
    sent = '';
    const answer = await say({ message, name: 'Eve <eve@example.org>, =?utf-8?q?=0d=0aBcc:victim?=' });
    expect([message, answer.status]).toEqual([message, 200]);
    expectOneMail();
    expect(smtp.taken).toHaveLength(index + 1);
    const { to, raw } = smtp.taken[index]!;
    const parsed = await PostalMime.parse(raw);
    expect(to).toEqual(['team@hub.test']);
    expect(parsed.text?.startsWith(message.replace(/\n+$/, ''))).toBe(true);
    expect([parsed.html, parsed.attachments, parsed.cc, parsed.bcc]).toEqual([
      undefined,
      [],
      undefined,
      undefined,
    ]);
  }
});

test('no message, name or address contains a carriage return', async () => {
  const arrived = smtp.arrived();
  for (const line of ['\r', '\r\n', '\r.\r', '\r\n.\r\n', '\n.\r\n', '\r\n.\n', '\v', '\f', '\u0085', '\0']) {
    for (const field of ['message', 'name', 'contact']) {
      const text = field === 'contact' ? `a@example.org${line}Bcc: b@example.org` : `a${line}b`;
      const { status, body } = await say({ [field]: text });
      expect([field, line, status, body.error]).toEqual([field, line, 400, 'invalid_body']);
    }
  }
  expect(smtp.arrived()).toBe(arrived);
});

test('the title of an event and the handles in a subject are plain text in the mail to its host', async () => {
  const host = await createTestAgent(hub.ctx, { handle: 'host' });
  const agent = await createTestAgent(hub.ctx, { handle: 'bcc-victim', tokens: 10 });
  const title = 'Hi\u2028.\u2028=?utf-8?q?=0d=0aBcc:victim@example.org?= <x@example.org>, \u202ex';
  const event = await createTestEvent(hub.ctx, {
    kind: 'office_hours',
    title,
    seatsTotal: 1,
    hostAgentId: host.id,
    hostHandle: host.handle,
  });
  const before = smtp.taken.length;
  const reserve = () =>
    hub.fetch(`/v1/events/${event.id}/reserve`, {
      token: agent.bearerToken,
      json: { idempotency_key: '\u2028Bcc: victim@example.org' },
    });
  // On a busy machine the seats worker may not reply at once.
  await waitUntil(async () => (await reserve()).status === 200);
  await waitUntil(() => Promise.resolve(smtp.taken.length > before));
  expectOneMail();
  const parsed = await PostalMime.parse(smtp.taken[before]!.raw);
  expect(parsed.subject).toBe('Office hours of host booked by bcc-victim');
  expect(parsed.text).toContain(`Event: ${title}\n`);
  expect(parsed.headers.map(({ key }) => key)).not.toContain('bcc');
});
