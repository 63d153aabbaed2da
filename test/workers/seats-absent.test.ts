/** Reserving a seat without a running worker, and after one has started. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { onStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

/** A command times out after 5 seconds; the rest is for a slow machine. */
const answeredWithinMs = 20_000;

onStore('sqlite', (store) => {
  const hub = useTestHub({ store, checkResponses: true });

  test('without a worker a reservation returns 503 in time, and the same key gets one seat once a worker runs', async () => {
    const event = await createTestEvent(hub.ctx);
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const reserve = (): Promise<TestResponse> =>
      hub.fetch(`/v1/events/${event.id}/reserve`, {
        token: agent.bearerToken,
        json: { idempotency_key: 'k' },
      });
    const startedAt = performance.now();
    const refused = await Promise.all([reserve(), reserve()]);
    expect(performance.now() - startedAt).toBeLessThan(answeredWithinMs);
    for (const answer of refused) {
      expect([answer.status, answer.body.error]).toEqual([503, 'queue_unavailable']);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(answer.body.hint).toContain('same idempotency key');
    }
    const worker = await startWorkerProcess(['seats'], {
      database: store.setting,
      redisUrl: hub.redisUrl,
    });
    let first = await reserve();
    await waitUntil(async () => {
      // A slow machine may time out once more; the key stays the same.
      if (first.status === 503) first = await reserve();
      return first.status !== 503;
    });
    const second = await reserve();
    await worker.end('SIGTERM');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.seat.id).toBe(first.body.seat.id);
    expect(second.body.balance).toBe(3);
    await expectSeatAccountsRight(hub.db);
  });
});
