/** Locks and loads the accounts of some agents for one transaction. */
import { and, asc, eq, inArray, or } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { selectStatement } from '#db/select-statement.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import type { LedgerAccount, LedgerEntry } from './ledger-rows.ts';
import { Ledger } from './ledger.ts';

export interface OpenLedgerInput {
  readonly agentIds: readonly string[];
  /** Spends that may be refunded. Their lots are loaded too. */
  readonly spends?: readonly LedgerEntry[];
}

type LotRow = Tables['tokenLots']['$inferSelect'];

/**
 * Sends the query for the lots right behind the locks to save a round trip, and never ahead of them: it must
 * see what the previous holder of the lock changed. If it ever did not, the lots would not add up to the
 * balance.
 */
export async function openLedger(ctx: TransactionCtx, input: OpenLedgerInput): Promise<Ledger> {
  const [locked, lots] = await together(
    lockAccounts(ctx.db, input.agentIds),
    findLots(ctx, input.agentIds, input.spends ?? []),
  );
  const accounts = new Map<string, LedgerAccount>(
    locked.map((account) => [account.agentId, { ...account, lots: new Map() }]),
  );
  for (const lot of lots) accounts.get(lot.agentId)?.lots.set(lot.id, lot);
  return new Ledger(ctx.clock.now(), accounts);
}

/** Locks in id order, so that transactions on the same agents wait for each other instead of deadlocking. */
const lockAccounts = selectStatement('tokenAccounts', (db, list) => {
  const { tokenAccounts } = db.tables;
  return lockRows(
    db,
    db.query
      .select()
      .from(tokenAccounts)
      .where(inList(db, tokenAccounts.agentId, list))
      .orderBy(asc(tokenAccounts.agentId)),
  );
});

const findLiveLots = selectStatement('tokenLots', (db, list) => {
  const { tokenLots } = db.tables;
  const isLive = and(inList(db, tokenLots.agentId, list), hasTokensLeft(tokenLots));
  return db.query.select().from(tokenLots).where(isLive);
});

function findLots(
  { db }: TransactionCtx,
  agentIds: readonly string[],
  spends: readonly LedgerEntry[],
): PromiseLike<LotRow[]> {
  const refundedLots = spends.flatMap((spend) => spend.lots.map((share) => share.lotId));
  if (refundedLots.length === 0) return findLiveLots(db, agentIds);
  const { tokenLots } = db.tables;
  const isLive = and(inList(db, tokenLots.agentId, agentIds), hasTokensLeft(tokenLots));
  return db.query
    .select()
    .from(tokenLots)
    .where(or(isLive, inArray(tokenLots.id, refundedLots)));
}

/** Loads the spends with these references for a refund. */
export async function findSpends(ctx: TransactionCtx, references: readonly string[]): Promise<LedgerEntry[]> {
  const { tokenEntries } = ctx.db.tables;
  return ctx.db.query
    .select()
    .from(tokenEntries)
    .where(and(inArray(tokenEntries.reference, [...references]), eq(tokenEntries.kind, 'spend')));
}
