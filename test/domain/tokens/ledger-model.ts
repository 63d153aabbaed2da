/**
 * A second, deliberately plain implementation of the token rules, independent of the hub's code. It predicts
 * the ledger after any history.
 */
import type { LedgerEntryKind } from '#db/schema/token-tables.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export interface ModelLot {
  remaining: number;
  /** Null for no expiry. */
  readonly expiresAtMs: number | null;
  readonly hadGrace: boolean;
}

export interface ModelEntry {
  readonly kind: LedgerEntryKind;
  readonly amount: number;
  readonly balanceAfter: number;
  /** Also null for an expiry, whose reference is a lot id unknown to the model. */
  readonly reference: string | null;
}

export interface ModelSpend {
  readonly agent: number;
  readonly amount: number;
  readonly reference: string;
  readonly shares: readonly { readonly lot: ModelLot; readonly amount: number }[];
  refunded: boolean;
  /** Paid out to other agents. */
  paid: boolean;
}

class ModelAccount {
  readonly lots: ModelLot[] = [];
  readonly entries: ModelEntry[] = [];
  freeRunHolder: string | null = null;
}

export class LedgerModel {
  nowMs: number;
  readonly accounts: readonly ModelAccount[];
  readonly spends: ModelSpend[] = [];

  constructor(agents: number, nowMs: number) {
    this.accounts = Array.from({ length: agents }, () => new ModelAccount());
    this.nowMs = nowMs;
  }

  account(agent: number): ModelAccount {
    return this.accounts[agent]!;
  }

  /** What the agent can spend now, whether or not its expiries have been settled. */
  balance(agent: number): number {
    return sum(this.live(agent).map((lot) => lot.remaining));
  }

  nextExpiry(agent: number): { amount: number; atMs: number } | null {
    const instants = this.live(agent).flatMap((lot) => lot.expiresAtMs ?? []);
    if (instants.length === 0) return null;
    const atMs = Math.min(...instants);
    const lots = this.live(agent).filter((lot) => lot.expiresAtMs === atMs);
    return { amount: sum(lots.map((lot) => lot.remaining)), atMs };
  }

  /** Every access to an account settles due expiries in the order in which they fell due. */
  settle(agent: number): void {
    const due = this.account(agent).lots.filter((lot) => lot.remaining > 0 && this.#isExpired(lot));
    for (const lot of due.toSorted((a, b) => a.expiresAtMs! - b.expiresAtMs!)) {
      this.#append(agent, 'expiry', -lot.remaining, null);
      lot.remaining = 0;
    }
  }

  grant(agent: number, amount: number, expiresAtMs: number | null, reference: string | null): void {
    this.account(agent).lots.push({ remaining: amount, expiresAtMs, hadGrace: false });
    this.#append(agent, 'grant', amount, reference);
  }

  /** @returns false without changes if the balance is too low */
  spend(agent: number, amount: number, reference: string): boolean {
    if (this.balance(agent) < amount) return false;
    const shares: { lot: ModelLot; amount: number }[] = [];
    const byExpiry = this.live(agent).toSorted(
      (a, b) => (a.expiresAtMs ?? Infinity) - (b.expiresAtMs ?? Infinity) || 0,
    );
    let left = amount;
    for (const lot of byExpiry) {
      const taken = Math.min(left, lot.remaining);
      if (taken === 0) continue;
      lot.remaining -= taken;
      left -= taken;
      shares.push({ lot, amount: taken });
    }
    this.spends.push({ agent, amount, reference, shares, refunded: false, paid: false });
    this.#append(agent, 'spend', -amount, reference);
    return true;
  }

  /** Tokens have grace once. Without it, those of a lot that has ended expire at once. */
  refund(spend: ModelSpend, hasGrace: boolean): void {
    const { lots } = this.account(spend.agent);
    const graceMs = this.nowMs + 7 * dayMs;
    let late = 0;
    for (const { lot, amount } of spend.shares) {
      const isLate = lot.expiresAtMs !== null && lot.expiresAtMs <= graceMs;
      if (isLate && hasGrace && !lot.hadGrace) late += amount;
      else if (this.#isExpired(lot)) lots.push({ ...lot, remaining: amount });
      else lot.remaining += amount;
    }
    if (late > 0) lots.push({ remaining: late, expiresAtMs: graceMs, hadGrace: true });
    spend.refunded = true;
    this.#append(spend.agent, 'refund', spend.amount, spend.reference);
    this.settle(spend.agent);
  }

  /** The first tokens go to the first agent. They keep their expiry. */
  pay(spend: ModelSpend, payments: readonly { readonly to: number; readonly amount: number }[]): void {
    const tokens = spend.shares.flatMap(({ lot, amount }) => Array.from({ length: amount }, () => lot));
    for (const { to, amount } of payments) {
      const paid = Map.groupBy(tokens.splice(0, amount), (lot) => lot);
      for (const [lot, { length }] of paid) this.account(to).lots.push({ ...lot, remaining: length });
      this.#append(to, 'grant', amount, spend.reference);
    }
    for (const { to } of payments) this.settle(to);
    spend.paid = true;
  }

  /** The next expiry over all accounts. */
  soonestExpiryMs(): number | null {
    const instants = this.accounts.flatMap((_, agent) => this.nextExpiry(agent)?.atMs ?? []);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  #append(agent: number, kind: LedgerEntryKind, amount: number, reference: string | null): void {
    const { entries } = this.account(agent);
    entries.push({ kind, amount, balanceAfter: (entries.at(-1)?.balanceAfter ?? 0) + amount, reference });
  }

  /** The lots that can be spent. */
  live(agent: number): ModelLot[] {
    return this.account(agent).lots.filter((lot) => lot.remaining > 0 && !this.#isExpired(lot));
  }

  #isExpired(lot: ModelLot): boolean {
    return lot.expiresAtMs !== null && lot.expiresAtMs <= this.nowMs;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
