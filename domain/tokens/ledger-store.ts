import { and, asc, eq, inArray, or } from 'drizzle-orm';
import { inList, selectStatement } from '#db/conditions.ts';
import { insertStatement } from '#db/prepared.ts';
import { lockRows, pipelined } from '#db/transaction.ts';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { ledgerEntryKinds } from '#db/schema/token-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import type { TransactionCtx } from '../context.ts';
import { assertLotsMakeBalance, Ledger, type LedgerAccount, type LedgerEntry } from './ledger.ts';

interface OpenLedgerInput {
  readonly agentIds: readonly string[];
  /** Spends that may be refunded. Their lots are loaded too. */
  readonly spends?: readonly LedgerEntry[];
}

type LotRow = Tables['tokenLots']['$inferSelect'];

/**
 * Locks and loads the accounts of some agents for one transaction.
 * Sends the query for the lots right behind the locks to save a round trip, and never ahead of them: it must
 * see what the previous holder of the lock changed. If it ever did not, the lots would not add up to the
 * balance.
 */
export async function openLedger(ctx: TransactionCtx, input: OpenLedgerInput): Promise<Ledger> {
  const [locked, lots] = await pipelined(
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
const lockAccounts = selectStatement((db, list) => {
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

const findLiveLots = selectStatement((db, list) => {
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

const entriesTotal = counter('hub_ledger_entries_total', 'Entries committed to the ledger.', ['kind']);
const tokensTotal = counter('hub_ledger_tokens_total', 'Tokens that those entries moved.', ['kind']);

/** Report every kind from the first scrape, so that the first refund shows up as an increase. */
for (const kind of ledgerEntryKinds) {
  entriesTotal.inc({ kind }, 0);
  tokensTotal.inc({ kind }, 0);
}

const saveAccounts = insertStatement('tokenAccounts', {
  target: 'agentId',
  update: [
    'balance',
    'lastSequence',
    'freeEvalRedemptionId',
    'freeAgentRunRedemptionId',
    'freeSuiteRunRedemptionId',
  ],
});
const saveLots = insertStatement('tokenLots', { target: 'id', update: ['remaining'] });
const addEntries = insertStatement('tokenEntries');

/** Writes an open ledger back: one statement each for accounts, lots and entries, pipelined. */
export async function saveLedger({ db }: TransactionCtx, ledger: Ledger): Promise<void> {
  assertBalances(ledger);
  const { newEntries } = ledger;
  await pipelined(
    saveAccounts(db, [...ledger.changedAccounts]),
    saveLots(db, [...ledger.changedLots]),
    addEntries(db, newEntries),
  );
  finishSaving(db, newEntries);
}

/** Like `saveLedger`, but the statements are sent with the commit. */
export function saveLedgerAtCommit({ db }: TransactionCtx, ledger: Ledger): void {
  assertBalances(ledger);
  const { newEntries } = ledger;
  saveAccounts.atCommit(db, [...ledger.changedAccounts]);
  saveLots.atCommit(db, [...ledger.changedLots]);
  addEntries.atCommit(db, newEntries);
  finishSaving(db, newEntries);
}

function finishSaving(db: TransactionCtx['db'], entries: readonly LedgerEntry[]): void {
  crashPoint('ledger.written');
  db.afterCommit(() => countNewEntries(entries));
}

function assertBalances({ changedAccounts }: Ledger): void {
  for (const account of changedAccounts) assertLotsMakeBalance(account);
}

/** Called after the commit. */
function countNewEntries(added: readonly LedgerEntry[]): void {
  for (const { kind, amount } of added) {
    entriesTotal.inc({ kind });
    tokensTotal.inc({ kind }, Math.abs(amount));
  }
}
