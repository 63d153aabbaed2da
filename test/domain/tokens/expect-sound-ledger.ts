/** Invariants of any agent's stored ledger. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { rowOf, rowsOf, type Row } from '#test/harness/rows.ts';

type Entry = Row<'tokenEntries'>;
type Lot = Row<'tokenLots'>;

export interface ReadLedger {
  readonly account: Row<'tokenAccounts'>;
  readonly lots: readonly Lot[];
  /** Oldest first. */
  readonly entries: readonly Entry[];
}

/** Reads an agent's ledger and checks that it adds up. */
export async function expectSoundLedger(db: Database, agentId: string): Promise<ReadLedger> {
  const account = await rowOf({ db }, 'tokenAccounts', { agentId });
  const lots = await rowsOf({ db }, 'tokenLots', { agentId });
  const unordered = await rowsOf({ db }, 'tokenEntries', { agentId });
  const entries = unordered.toSorted((a, b) => a.sequence - b.sequence);

  expect(entries.map((entry) => entry.sequence)).toEqual(entries.map((_, position) => position + 1));
  let balance = 0;
  for (const entry of entries) {
    balance += entry.amount;
    expect(entry.balanceAfter).toBe(balance);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(sumOf(entry.lots.map((share) => share.amount))).toBe(Math.abs(entry.amount));
    expect(Math.sign(entry.amount)).toBe(isIncome(entry) ? 1 : -1);
  }
  expect(account).toMatchObject({ balance, lastSequence: entries.length });
  expect(sumOf(lots.map((lot) => lot.remaining))).toBe(balance);
  expectReferencesOnce(entries);
  expectLotsAddUp(lots, entries);
  return { account, lots, entries };
}

/** A reference has one spend and at most one refund, later and of the same amount. */
function expectReferencesOnce(entries: readonly Entry[]): void {
  const seen = new Map<string, number>();
  for (const { kind, reference, amount } of entries) {
    if (reference === null) continue;
    expect(seen.has(`${kind} ${reference}`)).toBe(false);
    seen.set(`${kind} ${reference}`, amount);
    if (kind === 'refund') expect(seen.get(`spend ${reference}`)).toBe(-amount);
  }
}

/** A lot holds what went in minus what was taken, and an expiry empties only its own lot. */
function expectLotsAddUp(lots: readonly Lot[], entries: readonly Entry[]): void {
  const amounts = new Map(lots.map((lot) => [lot.id, lot.amount]));
  const held = new Map(lots.map((lot) => [lot.id, 0]));
  for (const entry of entries) {
    for (const { lotId, amount } of entry.lots) {
      const now = held.get(lotId)! + (isIncome(entry) ? amount : -amount);
      if (now < 0 || now > amounts.get(lotId)!)
        throw new Error(`Lot ${lotId} held ${now} of ${amounts.get(lotId)}.`);
      held.set(lotId, now);
    }
    if (entry.kind !== 'expiry') continue;
    expect(entry.lots.map((share) => share.lotId)).toEqual([entry.reference!]);
    expect(held.get(entry.reference!)).toBe(0);
  }
  expect(lots.map((lot) => held.get(lot.id))).toEqual(lots.map((lot) => lot.remaining));
}

function isIncome({ kind }: Entry): boolean {
  return kind === 'grant' || kind === 'refund';
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
