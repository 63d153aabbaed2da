/**
 * Webhooks of the payment provider, signed by the reference library of Standard Webhooks.
 */
import { expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

const secret = `whsec_${Buffer.from('a shared key of 24 bytes').toString('base64')}`;
const path = '/api/webhook/payments';
const dayMs = 24 * 60 * 60 * 1_000;

onStore('sqlite', (store) => {
  let deliveries = 0;
  const hub = useTestHub({ store, settings: { paymentsWebhookSecret: secret } });

  interface Delivery {
    readonly id?: string;
    readonly atMs?: number;
    readonly signedWith?: string;
    readonly body?: string;
    readonly headers?: Record<string, string>;
    readonly at?: TestHub;
  }
  function nextId(): string {
    deliveries += 1;
    return `msg_${deliveries}`;
  }
  async function deliver(delivery: Delivery = {}): Promise<TestResponse> {
    const { id = nextId(), atMs = hub.clock.now().getTime(), at = hub } = delivery;
    const { body = '{"type":"order.paid","data":{"amount":5}}', signedWith = secret } = delivery;
    return at.fetch(path, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(atMs / 1_000)),
        'webhook-signature': new Webhook(signedWith).sign(id, new Date(atMs), body),
        ...delivery.headers,
      },
    });
  }
  function expectReceived({ status, body }: TestResponse): void {
    expect([status, body]).toEqual([200, { received: true }]);
  }

  test('a delivery signed by the reference library grants nothing, however often it arrives', async () => {
    const id = nextId();
    for (let times = 0; times < 3; times += 1) expectReceived(await deliver({ id }));
    const { tokenEntries, supporters } = store.db.tables;
    expect(await store.db.query.select().from(tokenEntries)).toEqual([]);
    expect(await store.db.query.select().from(supporters)).toEqual([]);
  });

  test('every kind and every field is acknowledged', async () => {
    const bodies = [
      '{"type":"customer.state_changed","data":{}}',
      '{"type":"something.new","extra":[1,{"a":null}]}',
      '{}',
      '{"type":5}',
      `{"type":"${'x'.repeat(101)}"}`,
      ' {"type" : "order.paid"}\n',
    ];
    for (const body of bodies) expectReceived(await deliver({ body }));
  });

  test('a body that is not a JSON object is 400 even if it is signed, before the signature is checked', async () => {
    for (const body of ['', '[]', '"text"', 'null', '{', '{"a":1,"a":2}', '{"a":"\\u0000"}']) {
      for (const headers of [{}, { 'webhook-signature': 'v1,wrong' }]) {
        expectError(await deliver({ body, headers }), 400, 'invalid_body');
      }
    }
    const longest = JSON.stringify({ a: 'x'.repeat(64 * 1_024 - 8) });
    expect(longest).toHaveLength(64 * 1_024);
    expectReceived(await deliver({ body: longest }));
    expectError(await deliver({ body: `${longest} ` }), 413, 'body_too_large');
    expectError(await deliver({ headers: { 'content-type': 'text/plain' } }), 415, 'unsupported_media_type');
  });

  test('a timestamp may be five minutes off in either direction; one second more is 403', async () => {
    const now = Math.floor(hub.clock.now().getTime() / 1_000) * 1_000;
    for (const offset of [-300, 0, 300]) expectReceived(await deliver({ atMs: now + offset * 1_000 }));
    for (const offset of [-301, 301, -dayMs]) {
      expectError(await deliver({ atMs: now + offset * 1_000 }), 403, 'invalid_signature');
    }
  });

  test('an id with a dot is rejected, because it could reach into the timestamp', async () => {
    const atMs = hub.clock.now().getTime();
    expectError(await deliver({ id: 'msg_1.2', atMs }), 403, 'invalid_signature');
    expectReceived(await deliver({ id: `~!${'x'.repeat(254)}`, atMs }));
  });

  test('without a secret every delivery is 503', async () => {
    const closed = await startTestHub({ store });
    expectError(await deliver({ at: closed }), 503, 'webhook_not_configured');
    expectError(await deliver({ at: closed, body: 'not json' }), 503, 'webhook_not_configured');
    expectError(await closed.fetch(path, { method: 'POST' }), 503, 'webhook_not_configured');
    await closed.close();
  });
});
