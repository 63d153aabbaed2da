/** The inbox over HTTP, on both stores: its key, signed deliveries, lists and statuses. */
import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const key = 'inbox-key-of-the-tests';
const secret = `whsec_${Buffer.from('a shared key of 24 bytes').toString('base64')}`;
const settings = { inboxKey: key, inboundMailSecret: secret };
const mailBytesMax = 10 * 1024 * 1024;

forEachStore((store) => {
  let deliveries = 0;
  const hub = useTestHub({ store, settings });

  function handIn(
    raw: string | Buffer,
    { at = hub, headers = {} }: { at?: TestHub; headers?: Record<string, string> } = {},
  ): Promise<TestResponse> {
    const id = `msg_${(deliveries += 1)}`;
    const now = hub.clock.now();
    return at.fetch('/api/inbound/mail', {
      method: 'POST',
      body: typeof raw === 'string' ? raw : new Uint8Array(raw),
      headers: {
        'content-type': 'message/rfc822',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, now, raw),
        ...headers,
      },
    });
  }
  function mailWith(head: string, text = 'Hello'): string {
    return `From: Ada <ada@example.org>\r\nTo: hub@hub.test\r\n${head}\r\n\r\n${text}\r\n`;
  }
  const read = (path = '/v1/inbox') => hub.fetch(path, { token: key });
  function expectReceived({ status, body }: TestResponse): void {
    expect([status, body]).toEqual([200, { received: true }]);
  }

  test('a delivered mail is in the inbox with every field', async () => {
    const head = [
      'Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=',
      'Message-ID: <whole@example.org>',
      'Content-Type: multipart/mixed; boundary=b',
    ].join('\r\n');
    const text = [
      '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n<b>Größe</b> \u{1f600}',
      '--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=',
      '--b--',
    ].join('\r\n');
    expectReceived(await handIn(mailWith(head, text)));
    const at = hub.clock.now().toISOString();
    const { status, body, headers } = await read();
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      emails: [
        {
          id: expect.any(String),
          message_id: '<whole@example.org>',
          from: 'Ada <ada@example.org>',
          to: 'hub@hub.test',
          subject: 'Größe',
          text: '<b>Größe</b> \u{1f600}',
          attachments: [{ filename: 'a.pdf', content_type: 'application/pdf', size: 5 }],
          status: 'new',
          received_at: at,
          updated_at: at,
        },
      ],
      next_cursor: null,
    });
  });

  test('accepts ten MiB, but not one byte more and no empty body', async () => {
    const head = mailWith('Subject: Ten MiB\r\nMessage-ID: <10@x>', '');
    const longest = head + 'x'.repeat(mailBytesMax - head.length);
    // The reference library is slow at ten MiB, so one signature serves for both.
    const now = hub.clock.now();
    const headers = {
      'webhook-id': 'msg_long',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_long', now, longest),
    };
    const send = (body: string) => hub.fetch('/api/inbound/mail', { method: 'POST', body, headers });
    expectError(await send(`${longest}x`), 413, 'body_too_large');
    expectReceived(await send(longest));
    expect((await read('/v1/inbox?limit=1')).body.emails).toMatchObject([{ subject: 'Ten MiB' }]);
    expectError(await handIn(''), 400, 'invalid_body');
  });

  test('an encoded email is 415', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expectError(await handIn(mailWith('Subject: Zip'), { headers }), 415, 'unsupported_media_type');
  });

  test('four long emails are received at a time, and a few wait; short ones come always', async () => {
    const places = 4 + 16;
    const open = Array.from({ length: places + 1 }, () => connect({ host: '127.0.0.1', port: hub.port }));
    const head = `POST /api/inbound/mail HTTP/1.1\r\nHost: hub\r\nContent-Length: ${mailBytesMax}\r\n\r\n`;
    let refused = '';
    for (const socket of open) {
      socket.on('error', () => undefined).on('data', (data) => (refused = data.toString()));
      socket.write(`${head}only the beginning`);
    }
    await waitUntil(() => refused.startsWith('HTTP/1.1 429'));
    const long = mailWith('Subject: Long', 'x'.repeat(70_000));
    const rejected = await handIn(long);
    expectError(rejected, 429, 'rate_limited');
    expect(rejected.headers.get('retry-after')).toBe('2');
    expectReceived(await handIn(mailWith('Subject: Short')));
    for (const socket of open) socket.destroy();
    await waitUntil(async () => (await handIn(long)).status === 200);
  });

  test('the signature covers the raw bytes, whatever their encoding and Content-Type', async () => {
    const raw = Buffer.from(
      mailWith('Subject: Latin\r\nContent-Type: text/plain; charset=iso-8859-1', 'Größe'),
      'latin1',
    );
    const id = 'msg_latin';
    const timestamp = String(Math.floor(hub.clock.now().getTime() / 1_000));
    const hmac = new Bun.CryptoHasher('sha256', Buffer.from('a shared key of 24 bytes'));
    const signature = `v1,${hmac.update(`${id}.${timestamp}.`).update(raw).digest('base64')}`;
    const headers = {
      'content-type': 'text/plain',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    expectReceived(await hub.fetch('/api/inbound/mail', { method: 'POST', body: raw, headers }));
    expect((await read('/v1/inbox?limit=1')).body.emails[0].text).toBe('Größe');
  });

  test('a status is set, and an unknown email is refused', async () => {
    expectReceived(await handIn(mailWith('Subject: Status')));
    const { id } = (await read('/v1/inbox?limit=1')).body.emails[0];
    const set = (of: string, json: object) =>
      hub.fetch(`/v1/inbox/${of}`, { method: 'PATCH', token: key, json });
    const { status, body } = await set(id, { status: 'archived' });
    expect([status, body.email]).toMatchObject([200, { id, status: 'archived' }]);
    expectError(await set(Bun.randomUUIDv7(), { status: 'new' }), 404, 'email_not_found');
  });

  describe('the inbox key', () => {
    test('a wrong key and a missing key get the same 401', async () => {
      const patch = { method: 'PATCH', json: { status: 'new' } };
      for (const token of [undefined, `${key}x`]) {
        const list = await hub.fetch('/v1/inbox', { token });
        expect(list.headers.get('www-authenticate')).toStartWith('Bearer');
        const set = await hub.fetch(`/v1/inbox/${Bun.randomUUIDv7()}`, { ...patch, token });
        for (const { status, body } of [list, set])
          expect([status, body.error, body.message]).toEqual([401, 'invalid_inbox_key', 'Invalid inbox key']);
      }
    });

    test('without INBOX_KEY or the secret every request is 503', async () => {
      await using closed = await startTestHub({ store });
      const patch = { method: 'PATCH', json: {}, token: key };
      for (const [path, request] of [
        ['/v1/inbox', { token: key }],
        ['/v1/inbox?limit=0', {}],
        ['/v1/inbox/1', patch],
      ] as const)
        expectError(await closed.fetch(path, request), 503, 'inbox_not_configured');
      expectError(await handIn('x', { at: closed }), 503, 'webhook_not_configured');
    });
  });
});
