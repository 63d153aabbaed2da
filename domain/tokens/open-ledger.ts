/** Opens the accounts of some agents for one transaction, under lock. */
import { and, asc, eq, inArray, or } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/lock-rows.ts';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { TransactionCtx } from '../context.ts';
import { Ledger, type LedgerAccount, type LedgerEntry } from './ledger.ts';

export interface OpenLedgerInput {
  readonly agentIds: readonly string[];
  /** Spends that may be refunded; their lots are opened too. */
  readonly spends?: readonly LedgerEntry[];
}

export type LockedAccount = Tables['tokenAccounts']['$inferSelect'];

export async function openLedger(ctx: TransactionCtx, input: OpenLedgerInput): Promise<Ledger> {
  return openLockedLedger(ctx, await lockAccounts(ctx, input.agentIds), input.spends);
}

/** Locks the accounts in the order of their ids, so that two transactions over the same agents wait and never deadlock. */
export async function lockAccounts(
  { db }: TransactionCtx,
  agentIds: readonly string[],
): Promise<LockedAccount[]> {
  const { tokenAccounts } = db.tables;
  return lockRows(
    db,
    db.query
      .select()
      .from(tokenAccounts)
      .where(inList(db.dialect, tokenAccounts.agentId, agentIds, 'uuid'))
      .orderBy(asc(tokenAccounts.agentId)),
  );
}

/** The second half of `openLedger`, for who has something else to read under the same locks. */
export async function openLockedLedger(
  { db, clock }: TransactionCtx,
  locked: readonly LockedAccount[],
  spends: readonly LedgerEntry[] = [],
): Promise<Ledger> {
  const { tokenLots } = db.tables;
  const accounts = new Map<string, LedgerAccount>(
    locked.map((account) => [account.agentId, { ...account, lots: new Map() }]),
  );
  const refundedLots = spends.flatMap((spend) => spend.lots.map((share) => share.lotId));
  const live = and(
    inList(db.dialect, tokenLots.agentId, [...accounts.keys()], 'uuid'),
    hasTokensLeft(tokenLots),
  );
  const lots = await db.query
    .select()
    .from(tokenLots)
    .where(refundedLots.length === 0 ? live : or(live, inArray(tokenLots.id, refundedLots)));
  for (const lot of lots) accounts.get(lot.agentId)?.lots.set(lot.id, lot);
  return new Ledger(clock.now(), accounts);
}

/** The spends with these references, as a refund needs them. */
export async function findSpends(ctx: TransactionCtx, references: readonly string[]): Promise<LedgerEntry[]> {
  const { tokenEntries } = ctx.db.tables;
  return ctx.db.query
    .select()
    .from(tokenEntries)
    .where(and(inArray(tokenEntries.reference, [...references]), eq(tokenEntries.kind, 'spend')));
}
