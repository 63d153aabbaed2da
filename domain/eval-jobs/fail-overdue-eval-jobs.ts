/** The sweeper's part of the deadline: ends runs whose runner is gone. */
import { and, asc, eq, lt, or } from 'drizzle-orm';
import { isRunningRun } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import { deadlineMessage, delayedMsMax, evalOverdueGraceMs, evalRunDeadlineMs } from './eval-job.ts';
import { settleEvalJob } from './settle-eval-job.ts';

const settledAtOnceMax = 100;
/** The deadline of a run depends on these. */
const kindsOfRun = [
  { chargeFree: true, runSize: 40 },
  { chargeFree: false, runSize: 40 },
  { chargeFree: false, runSize: 120 },
] as const;

/**
 * A live runner knows how long its run was delayed and ends it itself, so its run is left alone for the longest delay.
 * @returns how many were ended, at most 100 per call
 */
export async function failOverdueEvalJobs(ctx: Ctx): Promise<number> {
  const { runs } = ctx.db.tables;
  const now = ctx.clock.now().getTime();
  const isAbandoned = lt(runs.leaseUntil, new Date(now - evalOverdueGraceMs));
  const overdueOf = (kind: (typeof kindsOfRun)[number]) => {
    const latestStart = now - evalRunDeadlineMs(ctx.rules, kind) - evalOverdueGraceMs;
    return and(
      eq(runs.chargeFree, kind.chargeFree),
      eq(runs.runSize, kind.runSize),
      lt(runs.startedAt, new Date(latestStart)),
      or(isAbandoned, lt(runs.startedAt, new Date(latestStart - delayedMsMax))),
    );
  };
  const overdue = await ctx.db.query
    .select({
      runId: runs.id,
      attempt: runs.attempt,
      chargeFree: runs.chargeFree,
      runSize: runs.runSize,
      startedAt: runs.startedAt,
      delayedMs: runs.delayedMs,
    })
    .from(runs)
    .where(
      and(
        isRunningRun(runs),
        eq(runs.product, 'eval-run'),
        eq(runs.mode, 'push'),
        or(...kindsOfRun.map(overdueOf)),
      ),
    )
    .orderBy(asc(runs.startedAt))
    .limit(settledAtOnceMax);
  let ended = 0;
  for (const { runId, attempt, startedAt, delayedMs, ...kind } of overdue) {
    const latestMs = evalRunDeadlineMs(ctx.rules, kind) + delayedMs + evalOverdueGraceMs;
    if (now - (startedAt?.getTime() ?? 0) <= latestMs) continue;
    const outcome = {
      kind: 'failed',
      code: 'deadline_exceeded',
      message: deadlineMessage(ctx.rules, kind),
    } as const;
    // The next runner that claims the job sees that the run has ended, and closes the job's row.
    if (await settleEvalJob(ctx, { runId, attempt, outcome, jobId: null })) ended += 1;
  }
  return ended;
}
