/**
 * Both endpoints that take Standard Webhooks, payments and inbound mail: the scheme's own example, and what a
 * stranger without the secret could do with observed deliveries.
 */
import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { verifyWebhook } from '#runtime/inbound-http/standard-webhooks.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { useTestHub, startTestHub } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { readStore } from '#test/harness/read-store.ts';
import { Webhook } from 'standardwebhooks';
import { expectError } from '#test/harness/expect-error.ts';
import { rowsOf } from '#test/harness/rows.ts';

/** The example of the scheme's reference libraries. */
const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('the example of the scheme verifies, and only with the secret decoded as specified', () => {
  const verify = (changes: Partial<typeof example>) => {
    const { secret, id, timestamp, body, signature } = { ...example, ...changes };
    const headers = new Headers({
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    });
    return verifyWebhook(secret, { headers, body: Buffer.from(body) }, new Date(1_614_265_330_000)).ok;
  };
  expect(verify({})).toBe(true);
  const signedWith = (key: string | Uint8Array) =>
    `v1,${createHmac('sha256', key).update(`${example.id}.${example.timestamp}.${example.body}`).digest('base64')}`;
  expect(signedWith(Buffer.from(example.secret.slice(6), 'base64'))).toBe(example.signature);
  // The secret as text with and without its prefix, wholly base64-decoded, and empty.
  const others = [example.secret, example.secret.slice(6), Buffer.from(example.secret, 'base64'), ''];
  for (const key of others) expect(verify({ signature: signedWith(key) })).toBe(false);
  const { id, body } = example;
  for (const changed of [
    { id: `${id}x` },
    { timestamp: '1614265331' },
    { body: `${body} ` },
    { signature: 'v1,' },
  ])
    expect(verify(changed)).toBe(false);
});

interface Door {
  readonly path: string;
  readonly type: string;
  readonly secret: string;
  readonly body: string;
}

const doors: readonly Door[] = [
  {
    path: '/api/webhook/payments',
    type: 'application/json',
    secret: everythingConfigured.paymentsWebhookSecret,
    body: '{"type":"order.paid"}',
  },
  {
    path: '/api/inbound/mail',
    type: 'message/rfc822',
    secret: everythingConfigured.inboundMailSecret,
    body: 'Subject: A mail\r\n\r\nHello',
  },
];

let ids = 0;
const nextId = () => `msg_${(ids += 1)}`;
const hub = useTestHub({ settings: everythingConfigured });
const seconds = (offset = 0) => String(Math.floor(hub.clock.now().getTime() / 1_000) + offset);

function headersOf(
  { secret, body, type }: Door,
  timestamp = seconds(),
  id = nextId(),
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': type,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

async function deliver(door: Door, headers: Record<string, string>, body = door.body): Promise<string> {
  const response = await hub.fetch(door.path, { method: 'POST', body, headers });
  return response.status === 200 ? '200' : `${response.status} ${response.body?.error}`;
}

test.each(doors)(
  '$path accepts nothing that was signed for another time, id, body or endpoint',
  async (door) => {
    const before = await readStore(hub.db);
    const right = headersOf(door);
    const other = headersOf(doors.find((one) => one !== door)!);
    const signature = right['webhook-signature']!;
    const attempts: readonly Record<string, string>[] = [
      headersOf(door, seconds(-301)),
      headersOf(door, seconds(301)),
      headersOf(door, '0'),
      headersOf(door, '-1'),
      headersOf(door, '99999999999'),
      headersOf(door, `${seconds()}000`),
      headersOf(door, new Date().toISOString()),
      { ...right, 'webhook-id': `${right['webhook-id']}.${seconds()}`, 'webhook-timestamp': '' },
      ...[seconds(1), `${seconds()}.0`, `0${seconds()}`, `+${seconds()}`, `${seconds()}abc`].map(
        (timestamp) => ({ ...right, 'webhook-timestamp': timestamp }),
      ),
      ...['msg_other', 'msg right', `m${'x'.repeat(256)}`].map((id) => ({ ...right, 'webhook-id': id })),
      ...[
        other['webhook-signature']!,
        signature.replace('v1,', 'v1a,'),
        signature.replace('v1,', 'v2,'),
        signature.replace(',', '='),
        signature.slice('v1,'.length),
        `${signature}=`,
        signature.replace(/.=$/, signature.endsWith('A=') ? 'E=' : 'A='),
        signature.toLowerCase(),
        `${signature.slice(0, -2)}=`,
        `${signature},${signature}`,
        `${'v1,x '.repeat(10)}${signature}`,
        'x'.repeat(8_000),
      ].map((changed) => ({ ...right, 'webhook-signature': changed })),
    ];
    for (const [index, headers] of attempts.entries())
      expect([index, await deliver(door, headers)]).toEqual([index, '403 invalid_signature']);
    expect(await deliver(door, right, `${door.body} `)).toBe('403 invalid_signature');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _left, ...rest } = right;
      expect([name, await deliver(door, rest)]).toEqual([name, '403 invalid_signature']);
    }
    expect(await readStore(hub.db)).toEqual(before);
  },
);

test.each(doors)(
  '$path processes a delivery once, however often it is replayed, also with an old signature beside',
  async (door) => {
    const right = headersOf(door);
    const old = `v1,${Buffer.alloc(32).toString('base64')}`;
    const both = { ...right, 'webhook-signature': `${old} ${right['webhook-signature']}` };
    expect(await deliver(door, both)).toBe('200');
    const after = await readStore(hub.db);
    for (let times = 0; times < 3; times += 1) expect(await deliver(door, right)).toBe('200');
    expect(await readStore(hub.db)).toEqual(after);
    hub.clock.advance(5 * 60_000 + 1_000);
    expect(await deliver(door, right)).toBe('403 invalid_signature');
  },
);

test.each(doors)('$path is not deceived by a repeated header', async (door) => {
  for (const name of ['webhook-id', 'webhook-timestamp']) {
    const right = headersOf(door);
    const lines = Object.entries(right).map(([key, value]) => `${key}: ${value}`);
    for (const twice of [`${name}: x`, `${name}: ${right[name]}`]) {
      for (const all of [
        [...lines, twice],
        [twice, ...lines],
      ]) {
        const head = `POST ${door.path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${door.body.length}\r\n`;
        const text = await sendRaw(hub.port, [`${head}${all.join('\r\n')}\r\n\r\n${door.body}`]);
        expect([name, twice, text.slice(0, 12)]).toEqual([name, twice, 'HTTP/1.1 403']);
      }
    }
  }
});

const [payments] = doors as [Door, Door];
/** A delivery of the payment provider, with this body. */
const pay = (body: string, headers: Record<string, string> = {}) =>
  deliver(payments, { ...headersOf({ ...payments, body }), ...headers }, body);

test('a delivery signed by the reference library grants nothing, however often it arrives', async () => {
  const now = hub.clock.now();
  const signature = new Webhook(payments.secret).sign('msg_reference', now, payments.body);
  const signed = { 'webhook-id': 'msg_reference', 'webhook-signature': signature };
  const headers = { ...headersOf(payments), ...signed };
  for (let times = 0; times < 3; times += 1) expect(await deliver(payments, headers)).toBe('200');
  for (const table of ['tokenEntries', 'supporters'] as const) expect(await rowsOf(hub, table)).toEqual([]);
});

test('every kind and every field is acknowledged', async () => {
  for (const body of [
    '{"type":"customer.state_changed","data":{}}',
    '{"type":"something.new","extra":[1,{"a":null}]}',
    '{}',
    '{"type":5}',
    `{"type":"${'x'.repeat(101)}"}`,
    ' {"type" : "order.paid"}\n',
  ])
    expect([body, await pay(body)]).toEqual([body, '200']);
});

test('a body that is not a JSON object is 400 even if it is signed, before the signature is checked', async () => {
  for (const body of ['', '[]', '"text"', 'null', '{', '{"a":1,"a":2}', '{"a":"\\u0000"}']) {
    for (const headers of [{}, { 'webhook-signature': 'v1,wrong' }])
      expect([body, await pay(body, headers)]).toEqual([body, '400 invalid_body']);
  }
  const longest = JSON.stringify({ a: 'x'.repeat(64 * 1_024 - 8) });
  expect(longest).toHaveLength(64 * 1_024);
  expect(await pay(longest)).toBe('200');
  expect(await pay(`${longest} `)).toBe('413 body_too_large');
  expect(await pay('{}', { 'content-type': 'text/plain' })).toBe('415 unsupported_media_type');
});

test.each(doors)(
  '$path accepts a timestamp five minutes off and an id of 256 characters, and refuses an id with a dot',
  async (door) => {
    for (const offset of [-300, 0, 300])
      expect(await deliver(door, headersOf(door, seconds(offset)))).toBe('200');
    expect(await deliver(door, headersOf(door, seconds(), `~!${'x'.repeat(254)}`))).toBe('200');
    // The part after the dot could be read as the timestamp.
    expect(await deliver(door, headersOf(door, seconds(), 'msg_1.2'))).toBe('403 invalid_signature');
  },
);

test('without a secret every delivery of payments is 503', async () => {
  await using closed = await startTestHub({ store: hub });
  for (const body of [payments.body, 'not json', '']) {
    const request = { method: 'POST', headers: headersOf({ ...payments, body }), body };
    expectError(await closed.fetch(payments.path, request), 503, 'webhook_not_configured');
  }
});
