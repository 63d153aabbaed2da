/** What a reservation meets when nobody runs the actors, and what it meets afterwards. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

/** The deadline of a command is 5 seconds; beyond that it is the machine that takes its time. */
const answeredWithinMs = 20_000;

forEachStore((store) => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub({ store, checkResponses: true });
  });
  afterAll(() => hub.close());

  test('without a worker reserve answers 503 in time; the same key gets one seat once a worker is back', async () => {
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
      // A machine that is busy elsewhere may let the deadline pass once more; the key stays the same.
      if (first.status === 503) first = await reserve();
      return first.status !== 503;
    });
    const second = await reserve();
    await worker.end('SIGTERM');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.seat.id).toBe(first.body.seat.id);
    expect(second.body.balance).toBe(3);
    await expectSeatAccountsRight(hub.db);
  }, 90_000);
});
