/** The sweeper's part of the deadline: ends runs whose runner is gone. */
import { and, asc, lt } from 'drizzle-orm';
import { isRunningEvalJob } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import { evalOverdueGraceMs, evalRunDeadlineMs } from './eval-job.ts';
import { settleEvalJob } from './settle-eval-job.ts';

const settledAtOnceMax = 100;

/** @returns how many were ended, at most 100 per call */
export async function failOverdueEvalJobs(ctx: Ctx): Promise<number> {
  const { evalJobs } = ctx.db.tables;
  const startedBefore = new Date(ctx.clock.now().getTime() - evalRunDeadlineMs - evalOverdueGraceMs);
  const overdue = await ctx.db.query
    .select({ evalJobId: evalJobs.id, attempt: evalJobs.attempt })
    .from(evalJobs)
    .where(and(isRunningEvalJob(evalJobs), lt(evalJobs.startedAt, startedBefore)))
    .orderBy(asc(evalJobs.startedAt))
    .limit(settledAtOnceMax);
  let ended = 0;
  for (const claim of overdue) {
    const outcome = {
      kind: 'failed',
      code: 'deadline_exceeded',
      message: 'The run did not end within 10 minutes.',
    } as const;
    // The next runner that claims the job sees that the run has ended, and closes the job's row.
    if (await settleEvalJob(ctx, { ...claim, outcome, jobId: null })) ended += 1;
  }
  return ended;
}
