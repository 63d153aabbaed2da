/** What was entered in the ledger by this process; refunds are the entries of kind `refund`. */
import { counter } from '#runtime/tracing/metrics.ts';
import type { LedgerEntry } from './ledger-rows.ts';

const entries = counter('hub_ledger_entries_total', 'Entries committed to the ledger.', ['kind']);
const tokens = counter('hub_ledger_tokens_total', 'Tokens that those entries moved.', ['kind']);

/** Every kind is told from the first scrape on, so that a first refund is an increase. */
for (const kind of ['grant', 'spend', 'refund', 'expiry'] as const) {
  entries.inc({ kind }, 0);
  tokens.inc({ kind }, 0);
}

/** To be called after the commit. */
export function countEntries(added: readonly LedgerEntry[]): void {
  for (const { kind, amount } of added) {
    entries.inc({ kind });
    tokens.inc({ kind }, Math.abs(amount));
  }
}
