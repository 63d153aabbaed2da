/** The SMTP receiver, with a real client. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { listEmails } from '#domain/inbox/list-emails.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { useStarted } from '#test/harness/use-started.ts';
import { type MailReceiverOptions, startMailReceiver } from '#workers/inbound-mail/mail-receiver.ts';

const mailBytesMax = 10 * 1024 * 1024;

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store);
  const start = (changes: Partial<MailReceiverOptions> = {}) =>
    startMailReceiver({ ctx, logger, host: '127.0.0.1', port: 0, connectionsMax: 5, ...changes });
  const receiver = useStarted(start, (each) => each.close());

  function send(mail: SendMailOptions, { port } = receiver) {
    const transporter = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false });
    return transporter.sendMail({ from: 'ada@example.org', to: 'hub@hub.test', ...mail });
  }
  async function newest() {
    const { items } = await listEmails(ctx, { limit: 100, cursor: null, status: null });
    return items;
  }

  test('an email is in the inbox when the client receives 250, once per Message-ID', async () => {
    const mail = {
      messageId: '<smtp@x>',
      subject: 'Größe',
      text: '.A line\n..two\n',
      attachments: [{ filename: 'a.txt', content: 'Hello' }],
    };
    await send(mail);
    await Promise.all([send(mail), send(mail)]);
    expect((await newest()).filter(({ messageId }) => messageId === '<smtp@x>')).toMatchObject([
      {
        sender: 'ada@example.org',
        recipients: 'hub@hub.test',
        subject: 'Größe',
        text: '.A line\n..two',
        attachments: [{ filename: 'a.txt', contentType: 'text/plain', size: 5 }],
        status: 'new',
      },
    ]);
  });

  test('an email without address headers is shown with the SMTP envelope', async () => {
    await send({
      raw: 'Subject: Envelope\r\n\r\nHello',
      envelope: { from: 'bounce@example.org', to: ['a@hub.test', 'b@hub.test'] },
    });
    const email = (await newest()).find(({ subject }) => subject === 'Envelope');
    expect(email).toMatchObject({ sender: 'bounce@example.org', recipients: 'a@hub.test, b@hub.test' });
  });

  test('ten MiB are accepted, and larger mail is refused permanently', async () => {
    const head = 'Subject: Ten MiB\r\n\r\n';
    const lines = (size: number) =>
      `${'x'.repeat(998)}\r\n`.repeat(Math.ceil(size / 1_000)).slice(0, size - 2);
    await send({ raw: `${head}${lines(mailBytesMax - head.length)}\r\n` });
    expect((await newest()).map(({ subject }) => subject)).toContain('Ten MiB');
    const tooLong = `Subject: Too long\r\n\r\n${lines(mailBytesMax)}\r\n`;
    await expect(send({ raw: tooLong })).rejects.toMatchObject({ responseCode: 552 });
    expect((await newest()).map(({ subject }) => subject)).not.toContain('Too long');
  });

  test('at most a hundred recipients of an email are accepted, and what is stored of them is bounded', async () => {
    const to = Array.from({ length: 150 }, (_, i) => `${'r'.repeat(60)}${i}@hub.test`);
    const { accepted, rejected } = await send({
      raw: 'Subject: To many\r\n\r\nHello',
      envelope: { from: 'a@b.org', to },
    });
    expect([accepted.length, rejected.length]).toEqual([100, 50]);
    const email = (await newest()).find(({ subject }) => subject === 'To many');
    expect(email?.recipients).toHaveLength(4_000);
    expect(email?.recipients).toEndWith('…');
  });

  test('a client that never finishes is cut off, even if it keeps sending bytes', async () => {
    const other = await start({ connectionMaxMs: 200 });
    const socket = connect(other.port, '127.0.0.1');
    const trickle = setInterval(() => socket.write('N'), 20);
    // A client that is cut off while it writes may see a reset.
    socket.on('error', () => undefined).resume();
    await new Promise((resolve) => {
      socket.on('close', resolve);
    });
    clearInterval(trickle);
    await other.close();
  });

  test('while the store is unavailable the sender is asked to try again later', async () => {
    const unavailable = { ...ctx, db: { ...store.db, transaction: () => Promise.reject(new Error('away')) } };
    const other = await start({ ctx: unavailable });
    const sending = send({ subject: 'Later', text: 'x' }, other);
    await expect(sending).rejects.toMatchObject({ responseCode: 451 });
    await other.close();
  });

  test('offers neither logins nor encryption', async () => {
    const socket = connect(receiver.port, '127.0.0.1');
    let heard = '';
    const done = new Promise((resolve) => {
      socket.on('close', resolve);
    });
    socket.on('data', (chunk) => {
      const greeted = heard !== '';
      heard += chunk.toString();
      if (!greeted) socket.write('EHLO test\r\n');
      else if (heard.includes('250 ')) socket.write('QUIT\r\n');
    });
    await done;
    expect(heard).toContain(`SIZE ${mailBytesMax}`);
    expect(heard).not.toMatch(/AUTH|STARTTLS/);
  });

  test('a port in use stops the start with one message', async () => {
    await expect(start({ port: receiver.port })).rejects.toThrow('Set SMTP_INBOUND_PORT to a free port.');
  });
});
