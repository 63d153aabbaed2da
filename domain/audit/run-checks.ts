/** Checks of runs: their charges, states and counts. */
import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type AuditCheck, type Drift, inLedger } from './find-drift.ts';

export const runChecks: readonly AuditCheck[] = [
  inLedger('run_charges', 'A paid run is charged exactly once, at its price.', 'spend', ({ runs }) => ({
    id: runs.redemptionId,
    kept: runs.chargeTokens,
  })),
  inLedger(
    'run_refunds',
    'A failed run is refunded unless it is charged, and no other run is.',
    'refund',
    ({ runs }) => ({
      id: runs.redemptionId,
      kept: sql`case when ${runs.status} = 'failed' then ${runs.chargeTokens} else 0 end`,
    }),
  ),
  {
    name: 'run_states',
    promise:
      'A charge is held while its run is open, consumed when it completes, and refunded when it fails.',
    find: (db, limit) => findWrongStates(db, db.tables.runs, limit),
  },
];

async function findWrongStates(db: Database, runs: Tables['runs'], limit: number): Promise<Drift[]> {
  const due = sql<string>`case ${runs.status} when 'completed' then 'consumed' when 'failed' then 'refunded' else 'held' end`;
  return db.query
    .select({ subject: runs.id, kept: runs.chargeState, found: due })
    .from(runs)
    .where(sql`${runs.chargeState} <> ${due}`)
    .limit(limit);
}
