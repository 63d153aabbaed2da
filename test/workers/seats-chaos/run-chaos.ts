/**
 * Reservations and cancels from many clients while workers are killed, or stopped past their locks and continued, and
 * Redis is emptied. What clients do and what befalls the hub follows from the seed; how it falls together is the
 * machine's doing, so that a seed that once failed is run a few times.
 */
import { expect } from 'bun:test';
import type { Dialect } from '#db/database.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import { type Acknowledged, type ClientAccount, runClient } from './client.ts';
import { createTrouble, type TroubleCounts } from './trouble.ts';

export interface ChaosOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  readonly durationMs: number;
}

export interface ChaosReport extends TroubleCounts {
  readonly requests: number;
  readonly retries: number;
  readonly acknowledged: number;
}

const clientCount = 32;
const agentCount = 40;
const eventCount = 3;
const seatsTotal = 12;
const tokenPrice = 2;
/** Enough that sold-out events are what refuses most, and not so much that nobody ever runs out. */
const tokens = 8;

/** Rejects when anything that was promised does not hold. */
export async function runChaos({ dialect, seed, durationMs }: ChaosOptions): Promise<ChaosReport> {
  const store = await openScratchStore(dialect);
  const hub = await startTestHub({ store, checkResponses: false });
  const giveUpAt = performance.now() + durationMs;
  const isOver = (): boolean => performance.now() > giveUpAt;
  const trouble = await createTrouble({
    random: createRandom(seed, 'trouble'),
    stores: { database: store.setting, redisUrl: hub.redisUrl },
    redis: hub.deps.redis,
    isOver,
  });
  try {
    const agents = await createCrowd(hub.ctx, agentCount, tokens);
    const eventIds: string[] = [];
    for (let made = 0; made < eventCount; made += 1) {
      eventIds.push((await createTestEvent(hub.ctx, { seatsTotal, tokenPrice })).id);
    }
    const clients = Array.from({ length: clientCount }, (_, index) =>
      runClient({
        name: `client-${index}`,
        hub,
        random: createRandom(seed, `client ${index}`),
        agents,
        eventIds,
        isOver,
      }),
    );
    const [counts, ...accounts] = await Promise.all([trouble.run(), ...clients]);
    expect(accounts.flatMap(({ faults }) => faults)).toEqual([]);
    await expectAcknowledgedKept(
      store.db,
      accounts.flatMap(({ acknowledged }) => acknowledged),
    );
    await expectSeatAccountsRight(store.db);
    return reportOf(counts, accounts);
  } finally {
    await trouble.end();
    await hub.close();
    await store.remove();
  }
}

/** Every seat that was acknowledged exists under its key, and every one whose cancel was acknowledged is cancelled. */
async function expectAcknowledgedKept(
  { query, tables }: Awaited<ReturnType<typeof openScratchStore>>['db'],
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const rows = new Map((await query.select().from(tables.seats)).map((seat) => [seat.id, seat]));
  for (const { kind, agentId, key, seatId } of acknowledged) {
    const seat = rows.get(seatId);
    if (kind === 'reserved') {
      expect([seatId, seat?.agentId, seat?.idempotencyKey]).toEqual([seatId, agentId, key]);
    } else {
      expect([seatId, seat?.agentId, seat?.status, seat?.cancelledBy]).toEqual([
        seatId,
        agentId,
        'cancelled',
        key,
      ]);
    }
  }
}

function reportOf(counts: TroubleCounts, accounts: readonly ClientAccount[]): ChaosReport {
  return {
    ...counts,
    requests: accounts.reduce((sum, account) => sum + account.requests, 0),
    retries: accounts.reduce((sum, account) => sum + account.retries, 0),
    acknowledged: accounts.reduce((sum, account) => sum + account.acknowledged.length, 0),
  };
}
