/**
 * A delivery from enqueueing to its end: signed, retried for three days, and never sent to a forbidden
 * address.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { deleteWebhook } from '#domain/webhooks/create-webhook.ts';
import { findDelivery } from '#domain/webhooks/enqueue-deliveries.ts';
import { recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import {
  createTestSender,
  deliveriesOf,
  deliveryJobOf,
  register,
  tell,
  type TestSender,
  tryDelivery,
  useTestSender,
} from '#test/harness/webhooks.ts';
import { webhookHttpLimits } from '#workers/webhooks/deliver-webhook.ts';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

forEachStore((store) => {
  let agent: TestAgent;
  let receiver: Receiver;
  const ctx = useTestCtx(store);
  const sender = useTestSender(ctx);
  beforeEach(async () => {
    agent = await createTestAgent(ctx);
    receiver = startReceiver();
  });
  afterEach(() => receiver.stop());

  const webhookRow = (id: string) => rowOf(ctx, 'webhooks', { id });

  async function onlyDelivery(webhookId: string) {
    const [delivery, ...others] = await deliveriesOf(ctx, webhookId);
    expect(others).toEqual([]);
    return delivery!;
  }

  /** A webhook with one delivery that is due. */
  async function tellOnce(owner = agent, url = receiver.url) {
    const { webhook, secret } = await register(ctx, owner, url);
    const [eventId] = await tell(ctx, owner);
    const delivery = await onlyDelivery(webhook.id);
    return { webhook, secret, eventId, delivery, id: delivery.id };
  }

  const tryOnce = (deliveryId: string, by: TestSender = sender) => tryDelivery(by, deliveryId);

  test('a delivery is small JSON whose signature the reference library accepts, and a 2xx ends it', async () => {
    const { webhook, secret, eventId, delivery } = await tellOnce();
    expect(await tryOnce(delivery.id)).toBeNull();
    const [sent, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(new Webhook(secret).verify(sent!.text, { ...sent!.headers })).toEqual({
      type: 'waitlist.open',
      timestamp: delivery.createdAt.toISOString(),
      data: { event_id: eventId },
    });
    expect(() => new Webhook(secret).verify(`${sent!.text} `, { ...sent!.headers })).toThrow();
    expect([sent!.id, sent!.headers['content-type']]).toEqual([delivery.id, 'application/json']);
    expect(sent!.text.length).toBeLessThan(1_000);
    expect(await onlyDelivery(webhook.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      responseStatus: 204,
      error: null,
      nextAttemptAt: null,
    });
    expect((await deliveryJobOf(ctx, delivery.id)).closedAt).toEqual(ctx.clock.now());
    expect((await webhookRow(webhook.id)).lastDeliveredAt).toEqual(ctx.clock.now());
    // A repeated job sends nothing again.
    expect(await tryOnce(delivery.id)).toBeNull();
    expect(receiver.received).toHaveLength(1);
  });

  test('a receiver that was down for two days gets the delivery, under the same id and with a new signature', async () => {
    const { webhook, secret, id, delivery } = await tellOnce();
    const { createdAt } = delivery;
    receiver.answer = () => new Response('not now', { status: 500 });
    const pauses: number[] = [];
    while (ctx.clock.now().getTime() - createdAt.getTime() < 2 * dayMs) {
      const pause = await tryOnce(id);
      expect(pause).toBeGreaterThan(0);
      pauses.push(pause!);
      // An attempt that is too early, as after Redis has lost the delay, sends nothing.
      ctx.clock.advance(pause! - 1);
      expect(await tryOnce(id)).toBe(1);
      ctx.clock.advance(1);
      expect(pauses.length).toBeLessThan(30);
    }
    expect(pauses[0]).toBeLessThanOrEqual(5 * secondMs);
    for (const [index, pause] of pauses.entries()) {
      // Jitter shortens each pause by at most a fifth, and pauses grow by more than that up to eight hours.
      if (index > 0 && pause < (6 * dayMs) / 24) expect(pause).toBeGreaterThan(pauses[index - 1]!);
      expect(pause).toBeLessThanOrEqual(dayMs / 3);
    }
    expect(await webhookRow(webhook.id)).toMatchObject({ failingSince: createdAt, disabledAt: null });
    receiver.answer = () => new Response('ok');
    expect(await tryOnce(id)).toBeNull();
    expect(receiver.received).toHaveLength(pauses.length + 1);
    expect(new Set(receiver.received.map((sent) => sent.id))).toEqual(new Set([id]));
    expect(new Set(receiver.received.map((sent) => sent.text)).size).toBe(1);
    const last = receiver.received.at(-1)!;
    const now = Math.floor(ctx.clock.now().getTime() / secondMs);
    expect(Number(last.headers['webhook-timestamp'])).toBe(now);
    const signature = new Webhook(secret).sign(id, ctx.clock.now(), last.text);
    expect(last.headers['webhook-signature']).toBe(signature);
    const delivered = { status: 'delivered', attempts: pauses.length + 1 };
    expect(await onlyDelivery(webhook.id)).toMatchObject(delivered);
    expect((await webhookRow(webhook.id)).failingSince).toBeNull();
  });

  test('three days without a success end the delivery, disable the webhook and notify its owner', async () => {
    const { webhook } = await register(ctx, agent, receiver.url);
    const other = startReceiver();
    const { webhook: otherWebhook } = await register(ctx, agent, other.url, ['thread.reply']);
    await tell(ctx, agent);
    const first = await onlyDelivery(webhook.id);
    receiver.answer = () => new Response(null, { status: 503 });
    for (let pause = await tryOnce(first.id); pause !== null; pause = await tryOnce(first.id)) {
      ctx.clock.advance(pause);
      expect(receiver.received.length).toBeLessThan(40);
    }
    expect(ctx.clock.now().getTime() - first.createdAt.getTime()).toBe(3 * dayMs);
    const failed = { status: 'failed', error: 'bad_status', responseStatus: 503 };
    expect(await onlyDelivery(webhook.id)).toMatchObject(failed);
    expect((await deliveryJobOf(ctx, first.id)).closedAt).not.toBeNull();
    const disabled = { disabledReason: 'failing', disabledAt: ctx.clock.now() };
    expect(await webhookRow(webhook.id)).toMatchObject(disabled);
    const notice = await onlyDelivery(otherWebhook.id);
    expect(await tryOnce(notice.id)).toBeNull();
    expect(other.received.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'webhook.disabled', data: { webhook_id: webhook.id, reason: 'failing' } },
    ]);
    const feed = await rowsOf(ctx, 'notifications', { agentId: agent.id, kind: 'webhook.disabled' });
    expect(feed.map(({ data }) => data)).toEqual([{ webhook_id: webhook.id, reason: 'failing' }]);
    await tell(ctx, agent);
    expect(await deliveriesOf(ctx, webhook.id)).toHaveLength(1);
    await other.stop();
  });

  test('another successful delivery keeps a webhook enabled even if one delivery is given up', async () => {
    const { webhook, delivery: bad } = await tellOnce();
    receiver.answer = ({ id }) => new Response(null, { status: id === bad.id ? 500 : 200 });
    let round = 0;
    for (let pause = await tryOnce(bad.id); pause !== null; pause = await tryOnce(bad.id)) {
      ctx.clock.advance(pause);
      round += 1;
      if (round % 3 !== 0) continue;
      await tell(ctx, agent);
      expect(await tryOnce((await deliveriesOf(ctx, webhook.id)).at(-1)!.id)).toBeNull();
    }
    const [given] = await deliveriesOf(ctx, webhook.id);
    expect(given).toMatchObject({ id: bad.id, status: 'failed' });
    expect((await webhookRow(webhook.id)).disabledAt).toBeNull();
  });

  test('a failure of long ago does not shorten the retries of another delivery', async () => {
    const { webhook, id } = await tellOnce();
    receiver.answer = () => new Response(null, { status: 500 });
    expect(await tryOnce(id)).toBeGreaterThan(0);
    const suspend = (suspendedAt: Date | null) =>
      changeRows(ctx, 'agents', { id: agent.id }, { suspendedAt });
    // The delivery is dropped.
    await suspend(ctx.clock.now());
    ctx.clock.advance(4 * dayMs);
    expect(await tryOnce(id)).toBeNull();
    await suspend(null);
    await tell(ctx, agent);
    const [, another] = await deliveriesOf(ctx, webhook.id);
    expect(await tryOnce(another!.id)).toBeGreaterThan(0);
    expect((await webhookRow(webhook.id)).disabledAt).toBeNull();
  });

  test('410 disables the webhook at once and drops its pending deliveries', async () => {
    const { webhook } = await register(ctx, agent, receiver.url);
    await tell(ctx, agent, 2);
    const [first, second] = await deliveriesOf(ctx, webhook.id);
    receiver.answer = () => new Response(null, { status: 410 });
    expect(await tryOnce(first!.id)).toBeNull();
    expect(await webhookRow(webhook.id)).toMatchObject({ disabledReason: 'gone' });
    expect(await tryOnce(second!.id)).toBeNull();
    expect(receiver.received).toHaveLength(1);
    expect((await deliveriesOf(ctx, webhook.id)).map(({ status }) => status)).toEqual(['failed', 'dropped']);
    expect((await deliveryJobOf(ctx, second!.id)).closedAt).not.toBeNull();
  });

  test('nothing is sent to a deleted webhook', async () => {
    const { webhook, id } = await tellOnce();
    await deleteWebhook(actingAs(ctx, agent), { webhookId: webhook.id });
    expect(await tryOnce(id)).toBeNull();
    expect(receiver.received).toEqual([]);
  });

  test('two concurrent attempts are recorded once', async () => {
    const { webhook, id } = await tellOnce();
    const { id: jobId } = await deliveryJobOf(ctx, id);
    const found = (await findDelivery(store.db, id))!;
    const failed = { kind: 'failed', error: 'timeout', responseStatus: null } as const;
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => recordAttempt(ctx, { found, outcome: failed, jobId })),
    );
    expect(outcomes.filter((again) => again !== null)).toHaveLength(1);
    expect((await onlyDelivery(webhook.id)).attempts).toBe(1);
    // An attempt that ends after the delivery has ended changes nothing.
    const later = (await findDelivery(store.db, id))!;
    await recordAttempt(ctx, { found: later, outcome: { kind: 'delivered', responseStatus: 200 }, jobId });
    expect(await recordAttempt(ctx, { found: later, outcome: failed, jobId })).toBeNull();
    expect(await onlyDelivery(webhook.id)).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('a process with another SECRET_KEY sends nothing rather than an invalid signature', async () => {
    const { webhook, id } = await tellOnce();
    const stranger = { ...sender, secretKey: 'another-key-than-that' };
    expect(await tryOnce(id, stranger)).toBeGreaterThan(0);
    expect(receiver.received).toEqual([]);
    const failed = { status: 'pending', attempts: 1, error: 'not_signed', responseStatus: null };
    expect(await onlyDelivery(webhook.id)).toMatchObject(failed);
    expect((await webhookRow(webhook.id)).failingSince).not.toBeNull();
    ctx.clock.advance(10_000);
    expect(await tryOnce(id)).toBeNull();
  });

  test.each([
    ['that redirects is not followed', () => Response.redirect(receiver.url, 307), 'bad_status', 307],
    ['of 404 is tried again like any other', () => new Response(null, { status: 404 }), 'bad_status', 404],
    ['that does not arrive is tried again', () => new Promise<never>(() => undefined), 'timeout', null],
  ] as const)('an answer %s', async (_, answer, error, responseStatus) => {
    const { webhook, id } = await tellOnce();
    receiver.answer = answer;
    const hasty = createTestSender(ctx, { limits: { answerTimeoutMs: 1_000 } });
    expect(await tryOnce(id, hasty)).toBeGreaterThan(0);
    const tried = { status: 'pending', attempts: 1, error, responseStatus };
    expect(await onlyDelivery(webhook.id)).toMatchObject(tried);
    expect(receiver.received).toHaveLength(1);
    hasty.close();
  });

  test('any 2xx is a delivery, whatever becomes of its body', async () => {
    const hasty = createTestSender(ctx, { limits: { ...webhookHttpLimits, answerTimeoutMs: 300 } });
    for (const [body, headers] of [
      ['x'.repeat(17 * 1024), {}],
      [Bun.gzipSync('ok'), { 'content-encoding': 'gzip' }],
      [new ReadableStream({ start: (stream) => stream.enqueue('begun') }), {}],
    ] as const) {
      const { webhook, id } = await tellOnce(await createTestAgent(ctx));
      receiver.answer = () => new Response(body, { status: 202, headers });
      expect(await tryOnce(id, hasty)).toBeNull();
      expect(await onlyDelivery(webhook.id)).toMatchObject({ status: 'delivered', responseStatus: 202 });
    }
    hasty.close();
  });

  test('four deliveries to one host are in progress at once, whatever its ports', async () => {
    const other = startReceiver();
    const over = Promise.withResolvers<void>();
    for (const one of [receiver, other]) one.answer = () => over.promise.then(() => new Response());
    const webhooks = [await register(ctx, agent, receiver.url), await register(ctx, agent, other.url)];
    await tell(ctx, agent, 3);
    const deliveries = await Promise.all(webhooks.map(({ webhook }) => deliveriesOf(ctx, webhook.id)));
    let refused = 0;
    const tried = deliveries.flat().map(async ({ id }) => {
      if ((await tryOnce(id)) !== null) refused += 1;
    });
    const received = () => receiver.received.length + other.received.length;
    await waitUntil(async () => received() + refused === 6);
    over.resolve();
    await Promise.all(tried);
    await other.stop();
    expect(received()).toBe(4);
  });

  test('a host name that now resolves to an internal address is not called, and neither is the address', async () => {
    const { port } = new URL(receiver.url);
    const resolve = async () => ['127.0.0.1'];
    const guarded = createTestSender(ctx, { policy: createAddressPolicy([]), resolve });
    for (const host of ['rebound.example', '127.0.0.1']) {
      const url = `http://${host}:${port}/told`;
      const { webhook, id } = await tellOnce(await createTestAgent(ctx), url);
      expect(await tryOnce(id, guarded)).toBeGreaterThan(0);
      expect([host, (await onlyDelivery(webhook.id)).error]).toEqual([host, 'blocked']);
    }
    expect(receiver.received).toEqual([]);
    guarded.close();
  });
});
