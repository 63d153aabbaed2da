/**
 * The token ledger as a unit of work. `ledger-store.ts` locks and loads the accounts, the methods below change
 * them in memory, and the store writes them back in a fixed number of statements. All token rules live here.
 */
import type { Tables } from '#db/schema/make-schema.ts';
import type { GrantSource, LotShare } from '#db/schema/token-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import type { FreeRuns } from './read-balances.ts';

/**
 * Tokens of a lot that has expired, or expires within this time, stay valid for this long after a refund with grace.
 */
const refundGraceMs = 7 * 24 * 60 * 60 * 1_000;

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

/** A share of a spend that goes to another agent. */
interface Payment extends Move {
  readonly amount: number;
  readonly source: GrantSource;
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
    const lot = this.#addLot(account, move.amount, { expiresAt: move.expiresAt, hadGrace: false });
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
   * Returns a spend to the lots it came from. Tokens of a lot that has ended expire immediately, unless the refund has
   * grace and they have had none before. The caller ensures with a compare-and-swap in the same transaction that this
   * happens once; the unique index on reference and kind is the last line of defence.
   */
  refund(move: { spend: LedgerEntry; reason: string; hasGrace: boolean }): LedgerEntry {
    const { spend } = move;
    const account = this.account(spend.agentId);
    const lots: LotShare[] = [];
    const graceUntil = new Date(this.now.getTime() + refundGraceMs);
    let late = 0;
    for (const { lot, amount } of this.#sharesOf(spend)) {
      if (move.hasGrace && !lot.hadGrace && lot.expiresAt !== null && lot.expiresAt <= graceUntil) {
        late += amount;
      } else if (lot.expiresAt !== null && lot.expiresAt <= this.now) {
        // Not the old lot, because each lot expires only once.
        lots.push({ lotId: this.#addLot(account, amount, lot).id, amount });
      } else {
        this.#changeLot(lot, amount);
        lots.push({ lotId: lot.id, amount });
      }
    }
    if (late > 0) {
      const lot = this.#addLot(account, late, { expiresAt: graceUntil, hadGrace: true });
      lots.push({ lotId: lot.id, amount: late });
    }
    const entry = this.#append(account, {
      kind: 'refund',
      amount: -spend.amount,
      reason: move.reason,
      reference: spend.reference,
      expiresAt: late > 0 ? graceUntil : null,
      lots,
    });
    this.#settleExpiries(account);
    return entry;
  }

  /**
   * Pays a spend out to other agents, in the order in which it took tokens from its lots. The tokens keep their expiry;
   * those that have expired since are granted and expire immediately. The account of the spend must be open too.
   */
  pay(move: { spend: LedgerEntry; payments: readonly Payment[] }): LedgerEntry[] {
    const shares = this.#sharesOf(move.spend).map((share) => ({ ...share }));
    const entries = move.payments.map((payment) => {
      const account = this.account(payment.agentId);
      const paid: LedgerLot[] = [];
      let left = payment.amount;
      for (const share of shares) {
        const amount = Math.min(left, share.amount);
        if (amount === 0) continue;
        paid.push(this.#addLot(account, amount, share.lot));
        share.amount -= amount;
        left -= amount;
      }
      invariant(left === 0, 'The payments of a spend do not exceed it.');
      const lots = paid.map(({ id, amount }) => ({ lotId: id, amount }));
      const expiresAt = inSpendingOrder(paid)[0]?.expiresAt ?? null;
      const { reference } = move.spend;
      return this.#append(account, { ...payment, kind: 'grant', reference, expiresAt, lots });
    });
    for (const { agentId } of move.payments) this.#settleExpiries(this.account(agentId));
    return entries;
  }

  /** The lots that a spend took tokens from, in order. */
  #sharesOf({ agentId, kind, reference, lots }: LedgerEntry): { lot: LedgerLot; amount: number }[] {
    invariant(kind === 'spend' && reference !== null, 'Only a spend with a reference can be refunded.');
    const account = this.account(agentId);
    return lots.map(({ lotId, amount }) => {
      const lot = account.lots.get(lotId);
      invariant(lot !== undefined, `Lot ${lotId} was opened with the spend to refund.`);
      return { lot, amount };
    });
  }

  /** Takes all remaining tokens, whether they expire or not. Each lot expires at most once. */
  expireAll(agentId: string, reason: string): void {
    const account = this.account(agentId);
    for (const lot of inSpendingOrder(account.lots.values())) {
      this.#expire(account, lot, { reason, reference: null, expiresAt: null });
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
      const { id: reference, expiresAt } = lot;
      this.#expire(account, lot, { reason: 'Tokens expired', reference, expiresAt });
    }
  }

  #expire(
    account: LedgerAccount,
    lot: LedgerLot,
    fields: Pick<LedgerEntry, 'reason' | 'reference' | 'expiresAt'>,
  ): void {
    const amount = lot.remaining;
    this.#changeLot(lot, -amount);
    this.#append(account, { kind: 'expiry', amount: -amount, ...fields, lots: [{ lotId: lot.id, amount }] });
  }

  #addLot(account: LedgerAccount, amount: number, { expiresAt, hadGrace }: LotTerms): LedgerLot {
    invariant(isTokenAmount(amount), 'A lot holds a positive whole number of tokens.');
    const terms = { agentId: account.agentId, amount, expiresAt, hadGrace, createdAt: this.now };
    const lot = { id: createId(this.now), remaining: amount, ...terms };
    account.lots.set(lot.id, lot);
    this.changedLots.add(lot);
    return lot;
  }

  #changeLot(lot: LedgerLot, change: number): void {
    lot.remaining += change;
    invariant(
      lot.remaining >= 0 && lot.remaining <= lot.amount,
      `Lot ${lot.id} has between 0 and its amount left.`,
    );
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

function insufficientTokens(needed: number, balance: number): DomainError {
  return new DomainError(
    'insufficient_tokens',
    `This costs ${needed} token(s), but your balance is ${balance}.`,
    {
      hint: `Ask the maintainers for tokens with ${operation('requestTokens')}, or earn the \`bounty\` of a work order. ${operation('getBalance')} shows your balance.`,
    },
  );
}

export type LedgerLot = Tables['tokenLots']['$inferSelect'];
/** Until when the tokens of a lot are valid. They keep it when they move. */
type LotTerms = Pick<LedgerLot, 'expiresAt' | 'hadGrace'>;

export type LedgerEntry = Readonly<Tables['tokenEntries']['$inferSelect']>;

/** The fields of an account with the redemption that used the free run of a product. */
export type FreeRunField = keyof FreeRuns;

type AccountRow = Tables['tokenAccounts']['$inferSelect'];

export interface LedgerAccount extends AccountRow {
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

function isTokenAmount(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0;
}

/** Lots with tokens left, earliest expiry first. */
function inSpendingOrder(lots: Iterable<LedgerLot>): LedgerLot[] {
  return [...lots]
    .filter((lot) => lot.remaining > 0)
    .toSorted((a, b) => (expiryOf(a) === expiryOf(b) ? (a.id < b.id ? -1 : 1) : expiryOf(a) - expiryOf(b)));
}

function expiryOf(lot: LedgerLot): number {
  return lot.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
