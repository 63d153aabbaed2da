/**
 * The token ledger as a unit of work. `open-ledger.ts` locks and loads the accounts, the methods below change
 * them in memory, and `save-ledger.ts` writes them back in a fixed number of statements. All token rules live
 * here.
 */
import type { GrantSource, LotShare } from '#db/schema/token-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { DomainError, invariant } from '../errors.ts';
import { addLot, assertLotsMakeBalance, changeLot, inSpendingOrder, isTokenAmount } from './ledger-lots.ts';
import type { FreeRunField, LedgerAccount, LedgerEntry, LedgerLot } from './ledger-rows.ts';

/**
 * Tokens refunded to a lot that has expired, or expires within this time, stay valid for this long after the
 * refund.
 */
export const refundGraceMs = 7 * 24 * 60 * 60 * 1_000;

interface Move {
  readonly agentId: string;
  readonly reason: string;
}

interface Grant extends Move {
  readonly amount: number;
  readonly reference: string | null;
  readonly expiresAt: Date | null;
  /** Omitted by maintainers. */
  readonly source?: GrantSource;
}

export class Ledger {
  readonly now: Date;
  readonly accounts: ReadonlyMap<string, LedgerAccount>;
  readonly newEntries: LedgerEntry[] = [];
  readonly changedLots = new Set<LedgerLot>();
  readonly changedAccounts = new Set<LedgerAccount>();

  /**
   * @param accounts by agent id; expired lots are settled first, so that every move sees the true balance
   */
  constructor(now: Date, accounts: ReadonlyMap<string, LedgerAccount>) {
    this.now = now;
    this.accounts = accounts;
    for (const account of accounts.values()) {
      assertLotsMakeBalance(account);
      this.#settleExpiries(account);
    }
  }

  account(agentId: string): LedgerAccount {
    const account = this.accounts.get(agentId);
    invariant(account !== undefined, `The token account of agent ${agentId} is open.`);
    return account;
  }

  /** Adds a lot. With `expiresAt` null, the tokens never expire. */
  grant(move: Grant): LedgerEntry {
    const account = this.account(move.agentId);
    const lot = this.#addLot(account, move.amount, move.expiresAt);
    return this.#append(account, { ...move, kind: 'grant', lots: [{ lotId: lot.id, amount: move.amount }] });
  }

  /**
   * Takes `amount` from the lots that expire first.
   * @throws DomainError insufficient_tokens; nothing has changed
   */
  spend(move: Move & { amount: number; reference: string }): LedgerEntry {
    invariant(isTokenAmount(move.amount), 'A spend takes a positive whole number of tokens.');
    const account = this.account(move.agentId);
    if (account.balance < move.amount) throw insufficientTokens(move.amount, account.balance);
    const lots: LotShare[] = [];
    let left = move.amount;
    for (const lot of inSpendingOrder(account.lots.values())) {
      if (left === 0) break;
      const amount = Math.min(left, lot.remaining);
      this.#changeLot(lot, -amount);
      lots.push({ lotId: lot.id, amount });
      left -= amount;
    }
    invariant(left === 0, 'The lots of an account add up to its balance.');
    return this.#append(account, { ...move, amount: -move.amount, kind: 'spend', expiresAt: null, lots });
  }

  /**
   * Returns a spend to the lots it came from. The caller ensures with a compare-and-swap in the same
   * transaction that this happens once; the unique index on reference and kind is the last line of defence.
   */
  refund(move: { spend: LedgerEntry; reason: string }): LedgerEntry {
    const { spend } = move;
    invariant(
      spend.kind === 'spend' && spend.reference !== null,
      'Only a spend with a reference can be refunded.',
    );
    const account = this.account(spend.agentId);
    const lots: LotShare[] = [];
    let late = 0;
    for (const share of spend.lots) {
      const lot = account.lots.get(share.lotId);
      invariant(lot !== undefined, `Lot ${share.lotId} was opened with the spend to refund.`);
      if (lot.expiresAt !== null && lot.expiresAt.getTime() <= this.now.getTime() + refundGraceMs) {
        late += share.amount;
        continue;
      }
      this.#changeLot(lot, share.amount);
      lots.push(share);
    }
    const lateExpiry = late > 0 ? new Date(this.now.getTime() + refundGraceMs) : null;
    if (late > 0) lots.push({ lotId: this.#addLot(account, late, lateExpiry).id, amount: late });
    return this.#append(account, {
      kind: 'refund',
      amount: -spend.amount,
      reason: move.reason,
      reference: spend.reference,
      expiresAt: lateExpiry,
      lots,
    });
  }

  /** Takes all remaining tokens, whether they expire or not. Each lot expires at most once. */
  expireAll(agentId: string, reason: string): void {
    const account = this.account(agentId);
    for (const lot of inSpendingOrder(account.lots.values())) {
      const amount = lot.remaining;
      this.#changeLot(lot, -amount);
      const lots = [{ lotId: lot.id, amount }];
      const entry = {
        kind: 'expiry',
        amount: -amount,
        reason,
        reference: null,
        expiresAt: null,
        lots,
      } as const;
      this.#append(account, { ...entry, lots });
    }
  }

  /** Uses a product's free first run for a redemption. Returns false if it is already used. */
  takeFreeRun(field: FreeRunField, agentId: string, redemptionId: string): boolean {
    const account = this.account(agentId);
    if (account[field] !== null) return false;
    account[field] = redemptionId;
    this.changedAccounts.add(account);
    return true;
  }

  /** Makes the free first run available again after the run that used it failed. */
  returnFreeRun(field: FreeRunField, agentId: string, redemptionId: string): void {
    const account = this.account(agentId);
    invariant(account[field] === redemptionId, `Redemption ${redemptionId} holds the free run.`);
    account[field] = null;
    this.changedAccounts.add(account);
  }

  /**
   * An expiry takes only what is left of its own lot. Entries are written in the order in which the lots
   * expired.
   */
  #settleExpiries(account: LedgerAccount): void {
    for (const lot of inSpendingOrder(account.lots.values())) {
      if (lot.expiresAt === null || lot.expiresAt > this.now) break;
      const amount = lot.remaining;
      this.#changeLot(lot, -amount);
      this.#append(account, {
        kind: 'expiry',
        amount: -amount,
        reason: 'Tokens expired',
        reference: lot.id,
        expiresAt: lot.expiresAt,
        lots: [{ lotId: lot.id, amount }],
      });
    }
  }

  #addLot(account: LedgerAccount, amount: number, expiresAt: Date | null): LedgerLot {
    const lot = addLot(account, { amount, expiresAt, now: this.now });
    this.changedLots.add(lot);
    return lot;
  }

  #changeLot(lot: LedgerLot, change: number): void {
    changeLot(lot, change);
    this.changedLots.add(lot);
  }

  #append(
    account: LedgerAccount,
    entry: Pick<LedgerEntry, 'kind' | 'amount' | 'reason' | 'reference' | 'expiresAt' | 'lots'> & {
      readonly source?: GrantSource;
    },
  ): LedgerEntry {
    account.balance += entry.amount;
    account.lastSequence += 1;
    invariant(account.balance >= 0 && Number.isSafeInteger(account.balance), 'A balance is never negative.');
    this.changedAccounts.add(account);
    const appended: LedgerEntry = {
      id: createId(this.now),
      agentId: account.agentId,
      sequence: account.lastSequence,
      kind: entry.kind,
      amount: entry.amount,
      balanceAfter: account.balance,
      reason: entry.reason,
      reference: entry.reference,
      source: entry.source ?? '',
      expiresAt: entry.expiresAt,
      lots: entry.lots,
      createdAt: this.now,
    };
    this.newEntries.push(appended);
    return appended;
  }
}

export function insufficientTokens(needed: number, balance: number): DomainError {
  return new DomainError(
    'insufficient_tokens',
    `This costs ${needed} token(s), but your balance is ${balance}.`,
    {
      hint: 'Ask the maintainers for tokens with POST /v1/tokens/requests, or earn the `bounty` of a work order. GET /v1/tokens/balance shows your balance.',
    },
  );
}
