import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { TransactionCtx } from '../../context.ts';
import { runTopic } from '../../runs/run-limits.ts';
import { settleRun } from '../../runs/settle-run.ts';
import { storeItems } from '../../runs/store-items.ts';
import { requireSuite } from '../suite-of-run.ts';
import { completedOutcome } from '../completed-outcome.ts';
import { listCases } from '../show-eval-job.ts';

/**
 * Stores finished cases of a run that the caller has locked, and ends the run with its last case.
 *
 * @returns whether the run has ended
 */
export async function storePulledCases(
  ctx: TransactionCtx,
  job: RunRow,
  finished: readonly StoredCase[],
): Promise<boolean> {
  if (finished.length > 0) {
    await storeItems(ctx, job, finished);
    ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(job.id)));
  }
  if (job.progressDone + finished.length < job.progressTotal) return false;
  const results = await listCases(ctx, { runId: job.id });
  const outcome = completedOutcome(
    { job, pack: requireSuite(ctx, job).pack, finishedAt: ctx.clock.now() },
    results,
  );
  return settleRun(ctx, { runId: job.id, attempt: job.attempt, outcome, jobId: null });
}
