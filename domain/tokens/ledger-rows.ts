/** Accounts, lots and entries of an open ledger, held in memory until it is saved. */
import type { GrantSource, LedgerEntryKind, LotShare } from '#db/schema/token-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { invariant } from '../errors.ts';

/** Until when the tokens of a lot are valid. They keep it when they move. */
export interface LotTerms {
  readonly expiresAt: Date | null;
  /** Whether a refund has already extended it. */
  readonly hadGrace: boolean;
}

export interface LedgerLot extends LotTerms {
  readonly id: string;
  readonly agentId: string;
  amount: number;
  remaining: number;
  readonly createdAt: Date;
}

export interface LedgerEntry {
  readonly id: string;
  readonly agentId: string;
  readonly sequence: number;
  readonly kind: LedgerEntryKind;
  /** Positive for grants and refunds, negative for spends and expiries. */
  readonly amount: number;
  readonly balanceAfter: number;
  readonly reason: string;
  readonly reference: string | null;
  readonly source: GrantSource;
  readonly expiresAt: Date | null;
  readonly lots: readonly LotShare[];
  readonly createdAt: Date;
}

/** The fields of an account with the redemption that used the free run of a product. */
export type FreeRunField = 'freeEvalRedemptionId' | 'freeAgentRunRedemptionId' | 'freeSuiteRunRedemptionId';

export interface LedgerAccount {
  readonly agentId: string;
  balance: number;
  lastSequence: number;
  freeEvalRedemptionId: string | null;
  freeAgentRunRedemptionId: string | null;
  freeSuiteRunRedemptionId: string | null;
  /** All lots with tokens left, and those that a refund may return tokens to. */
  readonly lots: Map<string, LedgerLot>;
}

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
