/**
 * Senders are killed and Redis is emptied during deliveries: every delivery arrives under one id and is
 * recorded as delivered once.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import { onStore } from '#test/harness/stores.ts';
import { deliveriesOf, register, tell } from '#test/harness/webhooks.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const recoveryMaxMs = 40_000;
const answerPauseMs = 30;

onStore('postgres', (store) => {
  let transport: Transport;
  let redis: Redis;
  let ctx: Ctx;
  const workers = new Set<WorkerProcess>();
  const receivers = new Set<Receiver>();

  beforeAll(async () => {
    transport = await startTransport();
    ({ redis } = transport);
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    await startWorker('sweeper');
    await Promise.all([startWorker('webhooks'), startWorker('webhooks')]);
  });
  afterAll(async () => {
    await Promise.all([...workers].map((worker) => worker.end('SIGKILL')));
    await Promise.all([...receivers].map((receiver) => receiver.stop()));
    await transport.stop();
  });

  async function startWorker(...pools: Parameters<typeof startWorkerProcess>[0]): Promise<WorkerProcess> {
    const worker = await startWorkerProcess(pools, { database: store.setting, redisUrl: transport.redisUrl });
    workers.add(worker);
    return worker;
  }

  function receiver(answer: Receiver['answer']): Receiver {
    const made = startReceiver();
    made.answer = answer;
    receivers.add(made);
    return made;
  }

  /** Creates an agent that has `times` events to receive. */
  async function tellAt({ url }: Receiver, times: number) {
    const agent = await createTestAgent(ctx);
    const { webhook } = await register(ctx, agent, url);
    const eventIds = await tell(ctx, agent, times);
    return { webhookId: webhook.id, eventIds };
  }

  const soon = (what: string, holds: () => Promise<boolean> | boolean): Promise<void> =>
    waitUntil(holds, recoveryMaxMs, what);

  async function expectAllDelivered(
    { webhookId, eventIds }: { webhookId: string; eventIds: readonly string[] },
    { received }: Receiver,
  ): Promise<void> {
    await soon('everything is delivered', async () =>
      (await deliveriesOf(ctx, webhookId)).every(({ status }) => status === 'delivered'),
    );
    const deliveries = await deliveriesOf(ctx, webhookId);
    expect(deliveries).toHaveLength(eventIds.length);
    const arrived = new Map(received.map(({ id, data }) => [id, data['event_id']]));
    expect(new Map(deliveries.map(({ id, data }) => [id, data['event_id']]))).toEqual(arrived);
    const ids = new Set(deliveries.map(({ id }) => id));
    await soon('every job row is closed', async () =>
      (await ctx.db.query.select().from(ctx.db.tables.jobs))
        .filter(({ payload }) => ids.has((payload as { deliveryId: string }).deliveryId))
        .every((row) => row.closedAt !== null),
    );
  }

  const slowly = async (): Promise<Response> => {
    await Bun.sleep(answerPauseMs);
    return new Response();
  };

  test('a sender is killed and Redis is emptied: everything arrives, also what waits for its next attempt', async () => {
    const slow = receiver(slowly);
    const refused = new Set<string>();
    const hesitant = receiver(({ id }) => {
      if (refused.has(id)) return new Response();
      refused.add(id);
      return new Response(null, { status: 503 });
    });
    // One address gets at most ten calls a second.
    const told = await tellAt(slow, 25);
    const toldLater = await tellAt(hesitant, 5);
    await soon('some have arrived, and all others were refused', async () => {
      const attempts = (await deliveriesOf(ctx, toldLater.webhookId)).map((one) => one.attempts);
      return slow.received.length > 8 && attempts.every((made) => made >= 1);
    });
    const killed = [...workers][1]!;
    await killed.end('SIGKILL');
    workers.delete(killed);
    await redis.flushall();
    await startWorker('webhooks');
    await Promise.all([expectAllDelivered(told, slow), expectAllDelivered(toldLater, hesitant)]);
    expect((await deliveriesOf(ctx, toldLater.webhookId)).every(({ attempts }) => attempts >= 2)).toBe(true);
  });
});
