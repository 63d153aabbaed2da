/** Checks of runs: their charges, states and counts. */
import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { asText, type AuditCheck, type Drift, totals } from './find-drift.ts';

export const runChecks: readonly AuditCheck[] = [
  totals(
    'run_charges',
    'A paid run is charged exactly once, at its price.',
    ({ redemptions, tokenEntries }) => ({
      table: redemptions,
      id: asText(redemptions.id),
      kept: redemptions.cost,
      rows: tokenEntries,
      rowId: tokenEntries.reference,
      counted: sql`-sum(${tokenEntries.amount})`,
      where: eq(tokenEntries.kind, 'spend'),
    }),
  ),
  totals(
    'run_refunds',
    'A failed run is refunded unless it is charged, and no other run is.',
    ({ runs, tokenEntries }) => ({
      table: runs,
      id: asText(runs.redemptionId),
      kept: sql`case when ${runs.status} = 'failed' and ${runs.chargeState} <> 'consumed' then ${runs.chargeTokens} else 0 end`,
      rows: tokenEntries,
      rowId: tokenEntries.reference,
      counted: sql`sum(${tokenEntries.amount})`,
      where: eq(tokenEntries.kind, 'refund'),
    }),
  ),
  {
    name: 'run_states',
    promise:
      'A charge is held while its run is open, then consumed or refunded when it ends. Of failed runs, only those that could not be graded may be charged.',
    find: (db, limit) => findWrongStates(db, db.tables.runs, limit),
  },
];

async function findWrongStates(db: Database, runs: Tables['runs'], limit: number): Promise<Drift[]> {
  const due = sql<string>`case ${runs.status} when 'completed' then 'consumed' when 'failed' then case when ${runs.failureCode} = 'ungraded' and ${runs.chargeState} = 'consumed' then 'consumed' else 'refunded' end else 'held' end`;
  return db.query
    .select({ subject: runs.id, kept: runs.chargeState, found: due })
    .from(runs)
    .where(sql`${runs.chargeState} <> ${due}`)
    .limit(limit);
}
