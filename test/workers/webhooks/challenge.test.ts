/** A webhook is active only after its receiver has echoed a challenge. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { createWebhook, verifyWebhook } from '#domain/webhooks/create-webhook.ts';
import { showWebhook } from '#domain/webhooks/show-webhook.ts';
import { pendingPerWebhookMax } from '#domain/webhooks/webhook-limits.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { changeRows } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { activate, deliveriesOf, tell, tryDelivery, useTestSender } from '#test/harness/webhooks.ts';

const hourMs = 60 * 60 * 1_000;

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  const sender = useTestSender(ctx);
  let agent: TestAgent;
  let receiver: Receiver;
  beforeEach(async () => {
    agent = await createTestAgent(ctx);
    receiver = startReceiver();
  });
  afterEach(() => receiver.stop());

  const create = () =>
    createWebhook(actingAs(ctx, agent), {
      url: receiver.url,
      events: ['waitlist.open'],
      secretKey: testSecretKey,
    });
  const stateOf = async (webhookId: string) => (await showWebhook(actingAs(ctx, agent), { webhookId })).state;

  /** @returns the pause before the next attempt; null when the delivery has ended */
  async function tryNewest(webhookId: string): Promise<number | null> {
    const delivery = (await deliveriesOf(ctx, webhookId)).at(-1)!;
    return tryDelivery(sender, delivery.id);
  }

  test.each([
    ['as JSON', (challenge: string) => Response.json({ challenge })],
    ['as text', (challenge: string) => new Response(` ${challenge}\n`)],
    ['as JSON with white space', (challenge: string) => new Response(`\n{ "challenge" : "${challenge}" }\n`)],
  ])('a signed challenge that is echoed %s makes the webhook active', async (_, echo) => {
    receiver.echo = ({ data }) => echo(String(data['challenge']));
    const { webhook, secret } = await create();
    expect(await stateOf(webhook.id)).toBe('pending');
    await tell(ctx, agent);
    expect(await tryNewest(webhook.id)).toBeNull();
    const [challenge] = receiver.challenges;
    expect(new Webhook(secret).verify(challenge!.text, { ...challenge!.headers })).toMatchObject({
      type: 'webhook.challenge',
      data: { challenge: expect.stringMatching(/^[\w-]{32}$/) },
    });
    expect(await stateOf(webhook.id)).toBe('active');
    // Earlier events are not sent later.
    expect(await deliveriesOf(ctx, webhook.id)).toHaveLength(1);
    await tell(ctx, agent);
    expect(await tryNewest(webhook.id)).toBeNull();
    expect(receiver.received).toHaveLength(1);
  });

  const json = (value: unknown) => Response.json(value);
  const notEchoes: readonly (readonly [string, Receiver['echo']])[] = [
    ['the request itself', ({ text }) => new Response(text)],
    ['the request in a page', ({ text }) => new Response(`<pre>${text}</pre>`)],
    ['the request in JSON', ({ text, data }) => json({ body: text, json: { data }, ...data })],
    ['the challenge among other fields', ({ data }) => json({ ...data, ok: true })],
    ['the challenge in a list', ({ data }) => json([data])],
    ['the challenge in a sentence', ({ data }) => new Response(`ok ${String(data['challenge'])}`)],
    ['the challenge as a JSON string', ({ data }) => json(data['challenge'])],
  ];
  test.each(notEchoes)('a receiver that returns %s has not agreed', async (_, echo) => {
    receiver.echo = echo;
    const { webhook } = await create();
    expect(await tryNewest(webhook.id)).toBeGreaterThan(0);
    expect(receiver.challenges).toHaveLength(1);
    expect(await stateOf(webhook.id)).toBe('pending');
  });

  test('the challenge is retried for an hour, and verify sends it again', async () => {
    receiver.echo = () => new Response('ok');
    const { webhook } = await create();
    const pauses: number[] = [];
    for (let pause = await tryNewest(webhook.id); pause !== null; pause = await tryNewest(webhook.id)) {
      pauses.push(pause);
      ctx.clock.advance(pause);
      expect(await stateOf(webhook.id)).toBe('pending');
    }
    expect(pauses.map((pause) => pause <= 5_000 * 4 ** pauses.indexOf(pause))).not.toContain(false);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBe(hourMs);
    expect(await stateOf(webhook.id)).toBe('failed');
    await tell(ctx, agent);
    expect(receiver.received).toEqual([]);

    const acting = actingAs(ctx, agent);
    expect(await verifyWebhook(acting, { webhookId: webhook.id })).toMatchObject({ isCalled: true });
    expect(await stateOf(webhook.id)).toBe('pending');
    // Calling verify again replaces the challenge.
    await verifyWebhook(acting, { webhookId: webhook.id });
    receiver.echo = ({ data }) => Response.json(data);
    expect(await tryNewest(webhook.id)).toBeNull();
    expect(await stateOf(webhook.id)).toBe('active');
    expect(await verifyWebhook(acting, { webhookId: webhook.id })).toMatchObject({ isCalled: false });
  });

  test('a challenge that is due while its agent is suspended fails, and is not pending for ever', async () => {
    const { webhook } = await create();
    await changeRows(ctx, 'agents', { id: agent.id }, { suspendedAt: ctx.clock.now() });
    expect(await tryNewest(webhook.id)).toBeNull();
    expect([receiver.challenges.length, await stateOf(webhook.id)]).toEqual([0, 'failed']);
  });

  test('a disabled webhook with all the deliveries that may wait gets the challenge', async () => {
    const { webhook } = await create();
    await activate(ctx, webhook.id);
    await tell(ctx, agent, pendingPerWebhookMax);
    await changeRows(ctx, 'webhooks', {}, { disabledAt: ctx.clock.now(), disabledReason: 'failing' });
    ctx.clock.advance(1);
    await verifyWebhook(actingAs(ctx, agent), { webhookId: webhook.id });
    expect(await tryNewest(webhook.id)).toBeNull();
    expect(await stateOf(webhook.id)).toBe('active');
  });
});
