/** Ends all open runs of an agent that is suspended or closes its account, and refunds them. */
import { and, asc, eq } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import type { RunFailureCode } from '#db/schema/run-tables.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { isRefundedWithGrace } from '../redemptions/refund-grace.ts';
import { findSpends, openLedger, saveLedger } from '../tokens/ledger-store.ts';
import { evalJobTopic } from './eval-job.ts';
import { countEndedRun } from './settle-eval-job.ts';

const messages = {
  agent_suspended: 'The agent was suspended. The run was refunded.',
  account_closed: 'The account was closed. The run was refunded.',
} as const satisfies Partial<Record<RunFailureCode, string>>;

/**
 * A runner that is working on one of them loses its claim. The next runner that takes the job closes its row in `jobs`.
 * @returns the notices of the runs, which the caller sends last
 */
export async function endOpenRuns(
  ctx: TransactionCtx,
  agentId: string,
  code: keyof typeof messages,
): Promise<readonly Notice[]> {
  const { runs } = ctx.db.tables;
  // All locks on runs come before those on the account, as when a runner settles one.
  const open = await lockRows(
    ctx.db,
    ctx.db.query
      .select()
      .from(runs)
      .where(and(eq(runs.agentId, agentId), eq(runs.product, 'eval-run'), isOpenRun(runs)))
      .orderBy(asc(runs.id)),
  );
  if (open.length === 0) return [];
  const ids = open.map(({ id }) => id);
  const failure = { failureCode: code, failureMessage: messages[code], finishedAt: ctx.clock.now() };
  await ctx.db.query
    .update(runs)
    .set({ status: 'failed', chargeState: 'refunded', leaseUntil: null, targetHeaders: null, ...failure })
    .where(inList(ctx.db, runs.id, ids));
  const paid = open.filter(({ chargeFree }) => !chargeFree).map(({ redemptionId }) => redemptionId);
  const spends = paid.length === 0 ? [] : await findSpends(ctx, paid);
  invariant(spends.length === paid.length, 'Every run that is not free was paid for.');
  const ledger = await openLedger(ctx, { agentIds: [agentId], spends });
  const hasGrace = isRefundedWithGrace(code);
  for (const spend of spends) ledger.refund({ spend, reason: 'Eval run ended', hasGrace });
  for (const { chargeFree, redemptionId } of open) {
    if (chargeFree) ledger.returnFreeRun('freeEvalRedemptionId', agentId, redemptionId);
  }
  await saveLedger(ctx, ledger);
  ctx.db.afterCommit(() => {
    for (const id of ids) {
      countEndedRun({ kind: 'failed', code });
      ctx.publisher.signal(evalJobTopic(id));
    }
  });
  return open.map(({ id, redemptionId }) => ({
    agentId,
    kind: 'eval_job.failed',
    data: { eval_job_id: id, redemption_id: redemptionId, status: 'failed', failure_code: code },
  }));
}
