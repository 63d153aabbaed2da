/** Ends every open run of an agent that is suspended or closes its account, and refunds it. */
import { and, asc, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { endOpenAgentRuns } from '../agent-runs/end-open-agent-runs.ts';
import type { TransactionCtx } from '../context.ts';
import { endOpenRuns } from '../eval-jobs/end-open-runs.ts';
import type { Notice } from '../notifications/notification-kinds.ts';

export type AbsenceCode = 'agent_suspended' | 'account_closed';

/** @returns the notices of the runs, which the caller sends last */
export async function endAllRuns(
  ctx: TransactionCtx,
  agentId: string,
  code: AbsenceCode,
): Promise<readonly Notice[]> {
  await lockOpenRuns(ctx, agentId);
  await endOpenAgentRuns(ctx, agentId, code);
  return endOpenRuns(ctx, agentId, code);
}

/**
 * For a suspension or closure, which then locks the agent: no run or seat is accepted until it has committed. Other verbs
 * lock in the same order.
 */
export async function lockRunsAndAccount(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { tokenAccounts } = ctx.db.tables;
  await lockOpenRuns(ctx, agentId);
  await lockRows(
    ctx.db,
    ctx.db.query
      .select({ agentId: tokenAccounts.agentId })
      .from(tokenAccounts)
      .where(eq(tokenAccounts.agentId, agentId)),
  );
}

/** Runners lock their run before the account, so the runs are locked before the first refund. */
async function lockOpenRuns({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { runs } = db.tables;
  await lockRows(
    db,
    db.query
      .select({ id: runs.id })
      .from(runs)
      .where(and(eq(runs.agentId, agentId), isOpenRun(runs)))
      .orderBy(asc(runs.id)),
  );
}
