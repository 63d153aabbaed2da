/** Checks of eval runs and agent runs: their charges, states and counts. */
import { count, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { productNames, productOf } from '../runs/products.ts';
import { asText, type AuditCheck, type Drift, totals } from './find-drift.ts';

const taskName = ({ runId, n }: Tables['agentRunTasks'] | Tables['agentRunCalls']) =>
  sql`cast(${runId} as text) || '/' || ${n}`;

const productsWithTasks = productNames.filter((product) => productOf({ product }).cases === null);

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
  totals(
    'agent_run_progress',
    'The progress of an agent run is its number of ended tasks.',
    ({ runs, agentRunTasks }) => ({
      table: runs,
      id: runs.id,
      kept: sql`case when ${inArray(runs.product, productsWithTasks)} and ${runs.itemsPrunedAt} is null then ${runs.progressDone} else 0 end`,
      rows: agentRunTasks,
      rowId: agentRunTasks.runId,
      counted: count(agentRunTasks.endedAt),
    }),
  ),
  totals(
    'agent_run_calls',
    'The calls that a task counts are stored without a gap.',
    ({ agentRunTasks, agentRunCalls }) => ({
      table: agentRunTasks,
      id: taskName(agentRunTasks),
      kept: agentRunTasks.calls,
      rows: agentRunCalls,
      rowId: taskName(agentRunCalls),
      counted: sql`case when max(${agentRunCalls.position}) = count(*) then count(*) else -1 end`,
    }),
  ),
];

async function findWrongStates(db: Database, runs: Tables['runs'], limit: number): Promise<Drift[]> {
  const due = sql<string>`case ${runs.status} when 'completed' then 'consumed' when 'failed' then case when ${runs.failureCode} = 'ungraded' and ${runs.chargeState} = 'consumed' then 'consumed' else 'refunded' end else 'held' end`;
  return db.query
    .select({ subject: runs.id, kept: runs.chargeState, found: due })
    .from(runs)
    .where(sql`${runs.chargeState} <> ${due}`)
    .limit(limit);
}
