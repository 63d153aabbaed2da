/** 2,400 requests race for 100 seats over HTTP, with two worker processes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { onStore } from '#test/harness/stores.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const requests = 2_400;
const agentCount = 600;
const seatsTotal = 100;
const inFlight = 250;
/** Retries after a 503, which a slow machine may cause. */
const triesMax = 20;

onStore('postgres', (store) => {
  const hub = useTestHub({ store, checkResponses: false });
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    const stores = { database: store.setting, redisUrl: hub.redisUrl };
    workers.push(
      ...(await Promise.all([startWorkerProcess(['seats'], stores), startWorkerProcess(['seats'], stores)])),
    );
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
  });

  test('2,400 concurrent requests for 100 seats make exactly 100 reservations and 100 charges', async () => {
    const event = await createTestEvent(hub.ctx, { seatsTotal, tokenPrice: 3 });
    const crowd = await createCrowd(hub.ctx, agentCount, 10);
    const seats = new Map<string, string>();
    const statuses = new Set<number>();
    let next = 0;

    async function reserve(token: string, key: string): Promise<TestResponse> {
      for (let tries = 1; ; tries += 1) {
        const response = await hub.fetch(`/v1/events/${event.id}/reserve`, {
          token,
          json: { idempotency_key: key },
        });
        if (response.status !== 503 || tries === triesMax) return response;
      }
    }

    /** Every agent sends four requests: two with one key, and one with each of two others. */
    async function race(): Promise<void> {
      while (next < requests) {
        const agent = crowd[next % agentCount]!;
        const key = `key-${Math.max(1, Math.floor(next / agentCount))}`;
        next += 1;
        const { status, body } = await reserve(agent.bearerToken, key);
        statuses.add(status);
        if (status === 200) seats.set(body.seat.id, agent.handle);
      }
    }
    await Promise.all(Array.from({ length: inFlight }, race));

    expect(statuses).toEqual(new Set([200, 409]));
    expect(seats.size).toBe(seatsTotal);
    expect(new Set(seats.values()).size).toBe(seatsTotal);
    const { tokenEntries } = hub.db.tables;
    const spends = (await hub.db.query.select().from(tokenEntries)).filter((entry) => entry.kind === 'spend');
    expect(spends.map((entry) => entry.amount)).toEqual(Array.from({ length: seatsTotal }, () => -3));
    expect(new Set(spends.map((entry) => entry.reference))).toEqual(new Set(seats.keys()));
    await expectSeatAccountsRight(hub.db);
  });
});
