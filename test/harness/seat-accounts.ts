/** Checks the seats of an idle store against the tokens paid for them. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { rowsOf } from './rows.ts';

/**
 * No event is oversold, no agent holds two seats or was charged twice, and every balance equals the sum of
 * its entries.
 */
export async function expectSeatAccountsRight(db: Database): Promise<void> {
  const audit = await auditHub({ db });
  expect(audit.filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  const oversold = (await rowsOf({ db }, 'events')).filter((event) => event.seatsTaken > event.seatsTotal);
  expect(oversold).toEqual([]);
  const seats = await rowsOf({ db }, 'seats');
  const live = seats.filter(({ status }) => status === 'reserved');
  expect(new Set(live.map(({ eventId, agentId }) => `${eventId} ${agentId}`)).size).toBe(live.length);

  const holders = new Map(seats.map(({ id, agentId }) => [id, agentId]));
  const entries = await rowsOf({ db }, 'tokenEntries');
  for (const { reason, reference, agentId } of entries) {
    const holder = holders.get(reference ?? '');
    if (reason === 'Event seat' || holder !== undefined)
      expect([reference, holder]).toEqual([reference, agentId]);
  }
  for (const own of Map.groupBy(entries, (entry) => entry.agentId).values()) {
    let balance = 0;
    for (const { sequence, amount, balanceAfter } of own.toSorted((a, b) => a.sequence - b.sequence)) {
      balance += amount;
      expect([sequence, balanceAfter]).toEqual([sequence, balance]);
    }
  }
}
