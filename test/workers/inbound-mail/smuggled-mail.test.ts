/**
 * SMTP smuggling: byte sequences that another server may have passed on as the text of one email are not read
 * as two emails here, and invalid commands are rejected.
 */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { listEmails } from '#domain/inbox/list-emails.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { useStarted } from '#test/harness/use-started.ts';
import { startMailReceiver } from '#workers/inbound-mail/mail-receiver.ts';

const store = useScratchStore('sqlite');
const ctx = useTestCtx(store);
const receiver = useStarted(
  () => startMailReceiver({ ctx, logger, host: '127.0.0.1', port: 0, connectionsMax: 50 }),
  (each) => each.close(),
);

/**
 * Sends one item after each reply, a list piece by piece, and returns everything received until the server
 * hangs up.
 */
function talk(lines: readonly (string | readonly string[])[]): Promise<string> {
  const socket = connect({ port: receiver.port, host: '127.0.0.1', noDelay: true });
  let heard = '';
  let said = 0;
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
    // The last line of a reply has a space after its code.
    if (!/^\d{3} [^\n]*\n$/m.test(heard.slice(heard.lastIndexOf('\n', heard.length - 2) + 1))) return;
    const line = lines[said];
    said += 1;
    if (line === undefined) socket.end();
    else void say([line].flat());
  });
  const say = async (pieces: readonly string[]): Promise<void> => {
    for (const piece of pieces) {
      socket.write(Buffer.from(piece, 'latin1'));
      await Bun.sleep(pieces.length > 1 ? 20 : 0);
    }
  };
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('close', () => resolve(heard));
  });
}

async function subjects(): Promise<string[]> {
  const { items } = await listEmails(ctx, { limit: 100, cursor: null, status: null });
  return items.map(({ subject }) => subject ?? '');
}

const hello = ['EHLO test\r\n', 'MAIL FROM:<a@example.org>\r\n', 'RCPT TO:<hub@hub.test>\r\n', 'DATA\r\n'];
const second =
  'MAIL FROM:<ceo@hub.test>\r\nRCPT TO:<hub@hub.test>\r\nDATA\r\nFrom: ceo@hub.test\r\nSubject: smuggled\r\n\r\nPay';
const falseEnds = [
  '\n.\n',
  '\r.\r',
  '\n.\r\n',
  '\r\n.\n',
  '\r\n.\r',
  '\r.\r\n',
  '\n.\r',
  '\r\n\x00.\r\n',
  '\r\n.\x00\r\n',
  '\r\n. \r\n',
  '\r\n..\r\n',
  '\r\r\n.\r\r\n',
  '\r\n.\r\r\n',
];

test.each(falseEnds)('%j does not end an email', async (end) => {
  const subject = `False end ${falseEnds.indexOf(end)}`;
  await talk([...hello, `Subject: ${subject}\r\n\r\nHello${end}${second}\r\n.\r\n`, 'QUIT\r\n']);
  const all = await subjects();
  expect([all.includes(subject), all.includes('smuggled')]).toEqual([true, false]);
});

test('CRLF . CRLF ends an email wherever the network splits it, and dots at the start of lines are kept', async () => {
  const mail = 'Subject: Cut\r\n\r\n..one\r\n...two\r\nthree.\r\n.\r\n';
  for (let cut = mail.length - 6; cut < mail.length; cut += 1) {
    const pieces = [mail.slice(0, cut).replace('Cut', `Cut ${cut}`), mail.slice(cut)];
    expect(await talk([...hello, pieces, 'QUIT\r\n'])).toContain('\r\n221 ');
    const { items } = await listEmails(ctx, { limit: 1, cursor: null, status: null });
    expect([items[0]?.subject, items[0]?.text]).toEqual([`Cut ${cut}`, '.one\n..two\nthree.']);
    ctx.clock.advance(1);
  }
});

test('an invalid address starts no mail, and no address can inject a header', async () => {
  const before = (await subjects()).length;
  for (const command of [
    'MAIL FROM:<a@example.org>\rRCPT TO:<b@hub.test>\r\n',
    'MAIL FROM:<a@example.org\x00>\r\n',
    'MAIL FROM: a@example.org b@example.org\r\n',
    'MAIL FROM:<a@example.org\r\n',
    'MAIL a@example.org\r\n',
    `MAIL FROM:<${'a'.repeat(5_000)}@example.org>\r\n`,
    'GET / HTTP/1.1\r\n',
    '\x16\x03\x01\x02\x00\x01\r\n',
  ]) {
    const heard = await talk(['EHLO test\r\n', command, 'DATA\r\n', 'QUIT\r\n']);
    expect([command.slice(0, 60), /\r\n(354|250 2\.0)/.test(heard)]).toEqual([command.slice(0, 60), false]);
  }
  expect(await subjects()).toHaveLength(before);
});
