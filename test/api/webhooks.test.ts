/** Outbound webhooks over HTTP: who may create them, and what responses show and hide. */
import { expect, test } from 'bun:test';
import { subscribedKinds } from '#domain/notifications/notification-kinds.ts';
import { deliveryTriedForMs, webhooksPerAgentMax } from '#domain/webhooks/webhook-limits.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { activate, deliveryJobOf, deliveriesOf, tell } from '#test/harness/webhooks.ts';
import { findDelivery } from '#domain/webhooks/enqueue-deliveries.ts';
import { type AttemptOutcome, recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { retryDelivery } from '#domain/webhooks/retry-delivery.ts';

forEachStore((store) => {
  const hub = useTestHub({ store, rules: { targetAddresses: createAddressPolicy([]) } });

  const create = (agent: TestAgent, json: object = {}, headers: Record<string, string> = {}) =>
    hub.fetch('/v1/webhooks', {
      token: agent.bearerToken,
      json: { url: 'https://agent.example/hook', events: [...subscribedKinds], ...json },
      headers,
    });
  const read = (agent: TestAgent) => hub.fetch('/v1/webhooks', { token: agent.bearerToken });

  /** An active webhook of a new agent that has notifications to deliver, and what becomes of the first. */
  async function subscribe(notifications = 1) {
    const agent = await createTestAgent(hub.ctx);
    const { id } = (await create(agent)).body.webhook;
    await activate(hub.ctx, id);
    await tell(hub.ctx, agent, notifications);
    const deliveries = await deliveriesOf(hub.ctx, id);
    const delivery = deliveries[0]!;
    const { id: jobId } = await deliveryJobOf(hub.ctx, delivery.id);
    const record = async (outcome: AttemptOutcome) => {
      const found = (await findDelivery(store.db, delivery.id))!;
      return recordAttempt(hub.ctx, { found, outcome, jobId });
    };
    return { agent, id, deliveries, delivery, record };
  }

  test('a webhook is created with its secret shown once, and shown without it afterwards', async () => {
    const agent = await createTestAgent(hub.ctx);
    const { status, body } = await create(agent, {
      events: ['waitlist.open', 'thread.reply', 'waitlist.open'],
    });
    const { secret, ...shown } = body.webhook;
    expect([status, shown]).toEqual([
      201,
      {
        id: expect.any(String),
        url: 'https://agent.example/hook',
        events: ['thread.reply', 'waitlist.open'],
        status: 'pending',
        disabled_at: null,
        disabled_reason: null,
        failing_since: null,
        last_delivered_at: null,
        created_at: hub.clock.now().toISOString(),
      },
    ]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const list = await read(agent);
    expect(list.body).toEqual({ webhooks: [shown], next_cursor: null });
    const stored = JSON.stringify(await rowsOf(store, 'webhooks'));
    for (const text of [list.text, stored]) expect(text).not.toContain(secret.slice('whsec_'.length));
    const other = await create(agent, { url: 'https://agent.example/other' });
    expect(other.body.webhook.secret).not.toBe(secret);
  });

  test('a retry with an Idempotency-Key creates one webhook and returns the same response with the secret', async () => {
    const agent = await createTestAgent(hub.ctx);
    const key = { 'idempotency-key': 'once' };
    const [first, again] = [await create(agent, {}, key), await create(agent, {}, key)];
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const stored = JSON.stringify(await rowsOf(store, 'idempotencyKeys'));
    expect(stored).not.toContain(first.body.webhook.secret.slice('whsec_'.length));
    expect((await read(agent)).body.webhooks).toHaveLength(1);
  });

  test('the eleventh webhook of an agent is 409', async () => {
    const agent = await createTestAgent(hub.ctx);
    for (let i = 0; i < webhooksPerAgentMax; i += 1)
      await create(agent, { url: `https://agent.example/${i}` });
    expectError(await create(agent), 409, 'limit_reached');
    expectError(await create(agent, { url: 'http://10.0.0.1/' }), 400, 'invalid_target_url');
  });

  test('a second webhook with the same URL is 409, however it is written', async () => {
    const agent = await createTestAgent(hub.ctx);
    const { id } = (await create(agent)).body.webhook;
    for (const url of ['https://AGENT.example:443/a/../hook', 'https://agent.example/hook#part']) {
      const refused = await create(agent, { url });
      expectError(refused, 409, 'webhook_exists');
      expect(refused.body.message).toContain(id);
    }
    expect((await create(agent, { url: 'https://agent.example/hook?' })).status).toBe(201);
    expect((await create(await createTestAgent(hub.ctx))).status).toBe(201);
  });

  test('verify sends another challenge, and none if the webhook is active', async () => {
    const agent = await createTestAgent(hub.ctx);
    const { id } = (await create(agent)).body.webhook;
    const verify = () => hub.fetch(`/v1/webhooks/${id}/verify`, { token: agent.bearerToken, method: 'POST' });
    const again = await verify();
    expect([again.status, again.body.webhook.status]).toEqual([202, 'pending']);
    expect((await deliveriesOf(hub.ctx, id)).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'webhook.challenge dropped',
      'webhook.challenge pending',
    ]);
    await activate(hub.ctx, id);
    const active = await verify();
    expect([active.status, active.body.webhook.status]).toEqual([200, 'active']);
    expect(await deliveriesOf(hub.ctx, id)).toEqual([]);
  });

  test('a finished delivery is sent again with the same id, and one that is pending stays as it is', async () => {
    const { agent, id, delivery, record } = await subscribe();
    const retry = (one = delivery.id) =>
      hub.fetch(`/v1/webhooks/${id}/deliveries/${one}/retry`, { token: agent.bearerToken, method: 'POST' });
    const waiting = await retry();
    expect([waiting.status, waiting.body.delivery.status]).toEqual([200, 'pending']);
    await record({ kind: 'delivered', responseStatus: 204 });
    const before = (await rowsOf(store, 'jobs')).length;
    const again = await retry();
    const pending = { id: delivery.id, status: 'pending', attempts: 1, finished_at: null };
    expect([again.status, again.body.delivery]).toMatchObject([202, pending]);
    expect(await rowsOf(store, 'jobs')).toHaveLength(before + 1);
    expectError(await retry(id), 404, 'not_found');
    await record({ kind: 'failed', error: 'bad_status', responseStatus: 410 });
    // The endpoint is gone: one more attempt of the delivery is scheduled, but nothing is sent to it.
    await record({ kind: 'dropped' });
    expectError(await retry(), 409, 'conflict');
  });

  test('a failed retry of an old delivery does not disable a webhook that had been idle', async () => {
    const { agent, id, delivery, record } = await subscribe();
    await record({ kind: 'delivered', responseStatus: 204 });
    hub.clock.advance(deliveryTriedForMs + 1);
    const acting = actingAs(hub.ctx, agent);
    const retried = await retryDelivery(acting, { webhookId: id, deliveryId: delivery.id });
    expect(retried.isSent).toBe(true);
    expect(await record({ kind: 'failed', error: 'timeout', responseStatus: null })).toBeNull();
    const [webhook] = (await read(agent)).body.webhooks;
    expect([webhook.status, webhook.failing_since]).toEqual(['active', hub.clock.now().toISOString()]);
  });

  test('the delivery log pages through the deliveries, newest first, with their outcome', async () => {
    const { agent, id, deliveries, delivery, record } = await subscribe(5);
    const again = await record({ kind: 'failed', error: 'bad_status', responseStatus: 500 });
    const seen: object[] = [];
    for (let path: string | null = `/v1/webhooks/${id}/deliveries?limit=2`; path !== null;) {
      const { body, headers }: TestResponse = await hub.fetch(path, { token: agent.bearerToken });
      seen.push(...body.deliveries);
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen).toMatchObject(deliveries.map((promised) => ({ id: promised.id })).toReversed());
    expect(seen.at(-1)).toEqual({
      id: delivery.id,
      kind: 'waitlist.open',
      status: 'pending',
      attempts: 1,
      response_status: 500,
      error: 'bad_status',
      created_at: hub.clock.now().toISOString(),
      last_attempt_at: hub.clock.now().toISOString(),
      next_attempt_at: again!.toISOString(),
      finished_at: null,
    });
  });
});
