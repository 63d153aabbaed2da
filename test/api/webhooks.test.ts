/** Outbound webhooks over HTTP: who may create them, and what responses show and hide. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { listDeliveries } from '#domain/webhooks/list-deliveries.ts';
import { listWebhooks } from '#domain/webhooks/list-webhooks.ts';
import { webhooksPerAgentMax } from '#domain/webhooks/webhook-limits.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveryJobOf, deliveriesOf, tell } from '#test/harness/webhooks.ts';
import { findDelivery } from '#domain/webhooks/find-delivery.ts';
import { recordAttempt } from '#domain/webhooks/record-attempt.ts';

const kinds = [
  'eval_job.completed',
  'eval_job.failed',
  'work_order.transitioned',
  'thread.reply',
  'seat.cancelled',
  'waitlist.open',
  'verification.decided',
];

forEachStore((store) => {
  let hub: TestHub;
  beforeAll(async () => {
    const rules = { targetAddresses: createAddressPolicy([]) };
    hub = await startTestHub({ store, rules });
  });
  afterAll(() => hub.close());

  function create(agent: TestAgent, json: unknown = {}, key?: string): Promise<TestResponse> {
    return hub.fetch('/v1/webhooks', {
      token: agent.bearerToken,
      json: { url: 'https://agent.example/hook', events: kinds, ...(json as object) },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  }

  function read(agent: TestAgent, path = ''): Promise<TestResponse> {
    return hub.fetch(`/v1/webhooks${path}`, { token: agent.bearerToken });
  }

  function remove(agent: TestAgent, id: string): Promise<TestResponse> {
    return hub.fetch(`/v1/webhooks/${id}`, { token: agent.bearerToken, method: 'DELETE' });
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
        status: 'active',
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
    expect((await read(agent, `/${shown.id}`)).body).toEqual({ webhook: shown });
    const stored = JSON.stringify(await store.db.query.select().from(store.db.tables.webhooks));
    for (const text of [list.text, stored]) expect(text).not.toContain(secret.slice('whsec_'.length));
    expect((await create(agent)).body.webhook.secret).not.toBe(secret);
  });

  test('a retry with an Idempotency-Key creates one webhook and shows no secret again', async () => {
    const agent = await createTestAgent(hub.ctx);
    expect((await create(agent, {}, 'once')).status).toBe(201);
    expectError(await create(agent, {}, 'once'), 409, 'idempotency_key_reused');
    expect((await read(agent)).body.webhooks).toHaveLength(1);
  });

  test('the eleventh webhook of an agent is 409', async () => {
    const agent = await createTestAgent(hub.ctx);
    for (let i = 0; i < webhooksPerAgentMax; i += 1) expect((await create(agent)).status).toBe(201);
    expectError(await create(agent), 409, 'too_many_webhooks');
  });

  test('malformed bodies are rejected', async () => {
    const agent = await createTestAgent(hub.ctx);
    const wrong: unknown[] = [
      { events: [] },
      { events: ['thread.replied'] },
      { events: ['webhook.disabled'] },
      { events: 'thread.reply' },
      { events: [...kinds, 'thread.reply'] },
      { url: 7 },
      { url: null },
      { secret: 'whsec_mine' },
      { id: 'x' },
    ];
    for (const json of wrong) expectError(await create(agent, json), 400, 'invalid_body');
    for (const json of [{ url: 'https://agent.example' }, { events: kinds }]) {
      const response = await hub.fetch('/v1/webhooks', { token: agent.bearerToken, json });
      expectError(response, 400, 'invalid_body');
    }
  });

  test('nobody sees or deletes the webhooks of another agent, and a token is required', async () => {
    const [agent, stranger] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    const { id } = (await create(agent)).body.webhook;
    for (const other of [id, Bun.randomUUIDv7()]) {
      expectError(await read(stranger, `/${other}`), 404, 'webhook_not_found');
      expectError(await read(stranger, `/${other}/deliveries`), 404, 'webhook_not_found');
      expectError(await remove(stranger, other), 404, 'webhook_not_found');
    }
    expect((await read(stranger)).body.webhooks).toEqual([]);
    for (const path of ['', `/${id}`, `/${id}/deliveries`]) {
      expectError(await hub.fetch(`/v1/webhooks${path}`), 401, 'missing_token');
    }
    expectError(await hub.fetch('/v1/webhooks', { json: {} }), 401, 'missing_token');
    expectError(await hub.fetch(`/v1/webhooks/${id}`, { method: 'DELETE' }), 401, 'missing_token');
    expectError(await read(agent, '/nonsense'), 400, 'invalid_parameter');
    expect((await read(agent, `/${id}`)).status).toBe(200);
  });

  test('the delivery log pages through the deliveries, newest first, with their outcome', async () => {
    const agent = await createTestAgent(hub.ctx);
    const { id } = (await create(agent)).body.webhook;
    await tell(hub.ctx, agent, 5);
    const promised = await deliveriesOf(hub.ctx, id);
    const found = (await findDelivery(store.db, promised[0]!.id))!;
    const { id: jobId } = await deliveryJobOf(hub.ctx, promised[0]!.id);
    const failed = { kind: 'failed', error: 'bad_status', responseStatus: 500 } as const;
    const again = await recordAttempt(hub.ctx, { found, outcome: failed, jobId });
    const seen: { id: string }[] = [];
    for (let path: string | null = `/v1/webhooks/${id}/deliveries?limit=2`; path !== null;) {
      const { body, headers }: TestResponse = await hub.fetch(path, { token: agent.bearerToken });
      seen.push(...body.deliveries);
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen.map((delivery) => delivery.id)).toEqual(promised.map((delivery) => delivery.id).toReversed());
    expect(seen.at(-1)).toEqual({
      id: promised[0]!.id,
      kind: 'waitlist.open',
      status: 'pending',
      attempts: 1,
      response_status: 500,
      error: 'bad_status',
      created_at: hub.clock.now().toISOString(),
      last_attempt_at: hub.clock.now().toISOString(),
      next_attempt_at: again!.toISOString(),
      finished_at: null,
    } as { id: string });
    const acting = actingAs(hub.ctx, agent);
    for (const work of [
      () => listWebhooks(acting, { limit: 100, cursor: null }),
      () => listDeliveries(acting, { webhookId: id, limit: 100, cursor: null }),
    ]) {
      const plans = await plansOf(store, work);
      expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
    }
  });
});
