/** Accounts, lots and entries of an open ledger, held in memory until it is saved. */
import type { GrantSource, LedgerEntryKind, LotShare } from '#db/schema/token-tables.ts';

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
export type FreeRunField = 'freeEvalRedemptionId' | 'freeAgentRunRedemptionId';

export interface LedgerAccount {
  readonly agentId: string;
  balance: number;
  lastSequence: number;
  freeEvalRedemptionId: string | null;
  freeAgentRunRedemptionId: string | null;
  /** All lots with tokens left, and those that a refund may return tokens to. */
  readonly lots: Map<string, LedgerLot>;
}
