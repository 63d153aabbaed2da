/** The metrics of a freeze, of storage and of actors, on a hub with real workers. */
import { expect, test } from 'bun:test';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { useMeteredHub } from '#test/harness/metered-hub.ts';
import { onStore } from '#test/harness/stores.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { testRules } from '#test/harness/rules.ts';
import { codeOf } from '../domain/outcomes.ts';
import { withTransaction } from '#domain/context.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { claimTestEvents, createTestEvent } from '#test/harness/events.ts';
import { standIn } from '#test/harness/use-started.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** 32 kB in UTF-8. */
const longBody = '\u{1f642}'.repeat(8_000);

onStore('sqlite', (store) => {
  const metered = useMeteredHub(store);
  const [hub, api] = [standIn(() => metered.hub), standIn(() => metered.api)];

  test('a frozen hub is reported as such', async () => {
    expect(await api.read('hub_frozen')).toBe(0);
    const first = await freezeHub(hub.ctx, { reason: 'Moving' });
    const again = await freezeHub(hub.ctx, { reason: 'Again' });
    expect([first.changed, again.changed, again.freeze?.reason]).toEqual([true, false, 'Moving']);
    await api.until((value) => value === 1, 'hub_frozen');
    expect((await unfreezeHub(hub.ctx)).freeze).toMatchObject({ reason: 'Moving' });
    expect(await unfreezeHub(hub.ctx)).toEqual({ freeze: null, changed: false });
    await api.until((value) => value === 0, 'hub_frozen');
  });

  test('writes beyond the bound of a day are counted', async () => {
    const before = await api.read('hub_storage_refusals_total', { of: 'agent' });
    const rules = testRules({ storage: { agentMbPerDay: 1, networkMbPerDay: 0 } });
    const agent = await createTestAgent(hub.ctx);
    const ctx = { ...hub.ctx, rules, agent };
    const storeMuch = async () => {
      for (let round = 0; round < 64; round += 1) {
        await startThread(ctx, { title: `Thread ${round}`, body: longBody });
      }
    };
    expect(await codeOf(storeMuch())).toBe('rate_limited');
    expect(await api.read('hub_storage_refusals_total', { of: 'agent' })).toBe(before + 1);
  });

  test('batches, their sizes, full mailboxes and superseded activations are reported', async () => {
    const event = await createTestEvent(hub.ctx, { seatsTotal: 5, tokenPrice: 0 });
    const agents = await Promise.all(Array.from({ length: 4 }, () => createTestAgent(hub.ctx)));
    const reserve = (index: number) =>
      hub.fetch(`/v1/events/${event.id}/reserve`, {
        token: agents[index]!.bearerToken,
        json: { idempotency_key: `seat-${index}` },
      });
    const timed = { method: 'POST', route: '/v1/events/:event_id/reserve' };
    const timesOfReserve = () =>
      Promise.all(
        ['+Inf', '0.025'].map((le) => api.read('hub_http_request_duration_seconds_bucket', { ...timed, le })),
      );
    const before = await timesOfReserve();
    const worker = await metered.startWorker('seats');
    const { metrics } = worker;
    // No mailbox is read until the actor resumes.
    worker.signal('SIGSTOP');
    // A direct wake would not wait in the queue.
    await metered.redis.del(redisNames.wakeListeners());
    const asked = [reserve(0), reserve(1), reserve(2)];
    await api.until((value) => value === 1, 'hub_actor_mailboxes');
    await api.until((value) => value === 3, 'hub_actor_mailbox_depth');
    await api.until((value) => value > 0, 'hub_queue_oldest_waiting_seconds', { queue: 'actor-wakes' });
    worker.signal('SIGCONT');
    await Promise.all(asked);
    // All three were in the mailbox when it was first read.
    await metrics.until((value) => value === 1, 'hub_actor_batches_total', { type: 'seat' });
    expect(await metrics.read('hub_actor_batch_size_sum', { type: 'seat' })).toBe(3);
    expect(await metrics.read('hub_actor_batch_size_bucket', { type: 'seat', le: '2' })).toBe(0);
    expect(await metrics.read('hub_actor_batch_size_bucket', { type: 'seat', le: '4' })).toBe(1);
    await api.until((value) => value === 0, 'hub_actor_mailboxes');
    expect(await metrics.read('hub_actor_epoch_conflicts_total')).toBe(0);
    // The histogram of their route shows that they had to wait.
    const [slow, fast] = await timesOfReserve();
    expect([slow! - before[0]!, fast! - before[1]!]).toEqual([3, 0]);
    await worker.end('SIGTERM');
  });

  test('batches of an activation that a newer one has replaced are counted as conflicts', async () => {
    const { metrics } = await metered.startWorker('seats');
    const event = await createTestEvent(hub.ctx, { seatsTotal: 50, tokenPrice: 0 });
    const agents = await Promise.all(Array.from({ length: 8 }, () => createTestAgent(hub.ctx)));
    const over = new AbortController();
    // Each sends another request as soon as it has a response, so that an activation continues from batch to
    // batch.
    const asking = agents.map(async ({ bearerToken: token }) => {
      while (!over.signal.aborted) {
        await hub.fetch(`/v1/events/${event.id}/reserve`, { token, json: { idempotency_key: 'one' } });
      }
    });
    try {
      await waitUntil(async () => {
        await withTransaction(hub.ctx, (inner) => claimTestEvents(inner, [event.id]));
        return (await metrics.read('hub_actor_epoch_conflicts_total', { type: 'seat' })) > 0;
      });
    } finally {
      over.abort();
      await Promise.all(asking);
    }
  });

  test('a loss of Redis data is counted, with the open jobs published again', async () => {
    const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 1, freeEvalTaken: true });
    const json = { product: 'eval-run', target_url: 'http://127.0.0.1:9/' };
    expect((await hub.fetch('/v1/redemptions', { token, json })).status).toBe(200);
    const { metrics } = await metered.startWorker('sweeper');
    await metrics.until((value) => value === 1, 'hub_redis_replacements_total');
    const known = await metrics.read('hub_jobs_announced_again_total', { reason: 'new_redis' });
    await metered.redis.flushall();
    await metrics.until((value) => value === 2, 'hub_redis_replacements_total');
    const again = await metrics.read('hub_jobs_announced_again_total', { reason: 'new_redis' });
    expect(again).toBe(known + 1);
  });
});
