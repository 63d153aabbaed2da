import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { TransactionCtx } from '../../context.ts';
import { runTopic } from '../../runs/run-limits.ts';
import { settleRun } from '../../runs/settle-run.ts';
import { requireSuite } from '../suite-of-run.ts';
import { completedOutcome } from '../completed-outcome.ts';
import { listStoredCases } from './pull-run.ts';

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
  const { runItems, runs } = ctx.db.tables;
  const now = ctx.clock.now();
  if (finished.length > 0) {
    await ctx.db.query.insert(runItems).values(
      finished.map((result, place) => ({
        runId: job.id,
        itemIndex: result.index,
        position: job.progressDone + place + 1,
        result,
        share: result.score,
        finishedAt: now,
      })),
    );
    await ctx.db.query
      .update(runs)
      .set({ progressDone: job.progressDone + finished.length })
      .where(eq(runs.id, job.id));
    ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(job.id)));
  }
  if (job.progressDone + finished.length < job.progressTotal) return false;
  const results = await listStoredCases(ctx, job.id);
  const outcome = completedOutcome({ job, pack: requireSuite(ctx, job).pack, finishedAt: now }, results);
  return settleRun(ctx, { runId: job.id, attempt: job.attempt, outcome, jobId: null });
}
