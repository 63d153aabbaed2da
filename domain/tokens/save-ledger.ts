/** Writes an open ledger back: one statement each for accounts, lots and entries, sent together. */
import type { LedgerEntry } from './ledger-rows.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { together } from '#db/together.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import type { Ledger } from './ledger.ts';
import { assertLotsMakeBalance } from './ledger-lots.ts';

const entriesTotal = counter('hub_ledger_entries_total', 'Entries committed to the ledger.', ['kind']);
const tokensTotal = counter('hub_ledger_tokens_total', 'Tokens that those entries moved.', ['kind']);

/** Report every kind from the first scrape, so that the first refund shows up as an increase. */
for (const kind of ['grant', 'spend', 'refund', 'expiry'] as const) {
  entriesTotal.inc({ kind }, 0);
  tokensTotal.inc({ kind }, 0);
}

const saveAccounts = insertStatement('tokenAccounts', {
  target: 'agentId',
  update: ['balance', 'lastSequence', 'freeEvalRedemptionId', 'freeAgentRunRedemptionId'],
});
const saveLots = insertStatement('tokenLots', { target: 'id', update: ['remaining'] });
const addEntries = insertStatement('tokenEntries');

export async function saveLedger({ db }: TransactionCtx, ledger: Ledger): Promise<void> {
  const entries = checkedEntries(ledger);
  await together(
    saveAccounts(db, [...ledger.changedAccounts]),
    saveLots(db, [...ledger.changedLots]),
    addEntries(db, entries),
  );
  finishSaving(db, entries);
}

/** Like `saveLedger`, but the statements are sent with the commit. */
export function saveLedgerAtCommit({ db }: TransactionCtx, ledger: Ledger): void {
  const entries = checkedEntries(ledger);
  saveAccounts.atCommit(db, [...ledger.changedAccounts]);
  saveLots.atCommit(db, [...ledger.changedLots]);
  addEntries.atCommit(db, entries);
  finishSaving(db, entries);
}

function finishSaving(db: TransactionCtx['db'], entries: readonly LedgerEntry[]): void {
  crashPoint('ledger.written');
  db.afterCommit(() => countNewEntries(entries));
}

function checkedEntries(ledger: Ledger) {
  for (const account of ledger.changedAccounts) assertLotsMakeBalance(account);
  return ledger.newEntries.map((entry) => ({ ...entry, lots: [...entry.lots] }));
}

/** Called after the commit. */
export function countNewEntries(added: readonly LedgerEntry[]): void {
  for (const { kind, amount } of added) {
    entriesTotal.inc({ kind });
    tokensTotal.inc({ kind }, Math.abs(amount));
  }
}
