/** Writes what was done to an open ledger: one statement for the accounts, one for the lots, one for the entries, sent together. */
import { insertStatement } from '#db/insert-statement.ts';
import { together } from '#db/together.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { countEntries } from './ledger-metrics.ts';
import { assertLotsMakeBalance, type Ledger } from './ledger.ts';

const saveAccounts = insertStatement('tokenAccounts', {
  target: 'agentId',
  update: ['balance', 'lastSequence', 'freeEvalRedemptionId'],
});
const saveLots = insertStatement('tokenLots', { target: 'id', update: ['remaining'] });
const addEntries = insertStatement('tokenEntries');

export async function saveLedger({ db }: TransactionCtx, ledger: Ledger): Promise<void> {
  for (const account of ledger.changedAccounts) assertLotsMakeBalance(account);
  const entries = ledger.newEntries.map((entry) => ({ ...entry, lots: [...entry.lots] }));
  await together(
    saveAccounts(db, [...ledger.changedAccounts]),
    saveLots(db, [...ledger.changedLots]),
    addEntries(db, entries),
  );
  crashPoint('ledger.written');
  db.afterCommit(() => countEntries(entries));
}
