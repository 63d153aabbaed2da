/** Checks the seats of an idle store against the tokens paid for them. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';

/**
 * No event is oversold, no agent holds two seats or was charged twice, and every balance equals the sum of
 * its entries.
 */
export async function expectSeatAccountsRight(db: Database): Promise<void> {
  const { events, seats, tokenAccounts, tokenEntries, tokenLots } = db.tables;
  const allSeats = await db.query.select().from(seats);
  for (const event of await db.query.select().from(events)) {
    const live = allSeats.filter((seat) => seat.eventId === event.id && seat.status === 'reserved');
    expect([event.id, event.seatsTaken]).toEqual([event.id, live.length]);
    expect(live.length).toBeLessThanOrEqual(event.seatsTotal);
    expect(new Set(live.map((seat) => seat.agentId)).size).toBe(live.length);
  }

  const entries = await db.query.select().from(tokenEntries);
  const moves = Map.groupBy(entries, (entry) => entry.reference ?? '');
  for (const seat of allSeats) {
    const own = (moves.get(seat.id) ?? []).map(({ kind, amount, agentId }) => [kind, amount, agentId]);
    const expected = [
      ...(seat.pricePaid > 0 ? [['spend', -seat.pricePaid, seat.agentId]] : []),
      ...(seat.refunded > 0 ? [['refund', seat.refunded, seat.agentId]] : []),
    ];
    expect(own.map(String).toSorted()).toEqual(expected.map(String).toSorted());
  }
  const seatIds = new Set(allSeats.map((seat) => seat.id));
  for (const entry of entries) {
    if (entry.reason === 'Event seat') expect(seatIds.has(entry.reference ?? '')).toBe(true);
  }

  const entriesOf = Map.groupBy(entries, (entry) => entry.agentId);
  const lotsOf = Map.groupBy(await db.query.select().from(tokenLots), (lot) => lot.agentId);
  for (const account of await db.query.select().from(tokenAccounts)) {
    const own = (entriesOf.get(account.agentId) ?? []).toSorted((a, b) => a.sequence - b.sequence);
    let balance = 0;
    for (const [index, entry] of own.entries()) {
      balance += entry.amount;
      expect([entry.sequence, entry.balanceAfter]).toEqual([index + 1, balance]);
    }
    const inLots = (lotsOf.get(account.agentId) ?? []).reduce((sum, lot) => sum + lot.remaining, 0);
    expect([account.balance, account.lastSequence, inLots]).toEqual([balance, own.length, balance]);
  }
}
