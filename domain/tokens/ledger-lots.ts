/** The lots of an account: their amounts, and the order in which they are spent. */
import { createId } from '#runtime/create-id.ts';
import { invariant } from '../errors.ts';
import type { LedgerAccount, LedgerLot, LotTerms } from './ledger-rows.ts';

/** Asserts that the lots add up to the balance, when an account is opened and before it is saved. */
export function assertLotsMakeBalance(account: LedgerAccount): void {
  let sum = 0;
  for (const lot of account.lots.values()) sum += lot.remaining;
  invariant(
    sum === account.balance,
    `The lots of agent ${account.agentId} hold ${sum}, its balance is ${account.balance}.`,
  );
}

export function isTokenAmount(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0;
}

/** Lots with tokens left, earliest expiry first. */
export function inSpendingOrder(lots: Iterable<LedgerLot>): LedgerLot[] {
  return [...lots]
    .filter((lot) => lot.remaining > 0)
    .toSorted((a, b) => (expiryOf(a) === expiryOf(b) ? (a.id < b.id ? -1 : 1) : expiryOf(a) - expiryOf(b)));
}

function expiryOf(lot: LedgerLot): number {
  return lot.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

interface NewLot extends LotTerms {
  readonly amount: number;
  readonly now: Date;
}

export function addLot(account: LedgerAccount, { amount, expiresAt, hadGrace, now }: NewLot): LedgerLot {
  invariant(isTokenAmount(amount), 'A lot holds a positive whole number of tokens.');
  const { agentId } = account;
  const lot = { id: createId(now), agentId, amount, remaining: amount, expiresAt, hadGrace, createdAt: now };
  account.lots.set(lot.id, lot);
  return lot;
}

export function changeLot(lot: LedgerLot, change: number): void {
  lot.remaining += change;
  invariant(
    lot.remaining >= 0 && lot.remaining <= lot.amount,
    `Lot ${lot.id} has between 0 and its amount left.`,
  );
}
