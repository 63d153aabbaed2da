/** Ends pull runs that their agents have abandoned. The sweeper calls this. */
import { and, asc, eq, lt, or } from 'drizzle-orm';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../../context.ts';
import { endPullRun } from './end-pull-run.ts';
import { pullRunMs, unfetchedMs } from './pull-run.ts';

const endedAtOnceMax = 20;

/** @returns the number of runs that were ended, at most 20 per call */
export async function endOverduePullRuns(ctx: Ctx): Promise<number> {
  const { runs } = ctx.db.tables;
  const now = ctx.clock.now().getTime();
  const overdue = await ctx.db.query
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        isOpenRun(runs),
        eq(runs.product, 'eval-run'),
        eq(runs.mode, 'pull'),
        or(
          lt(runs.startedAt, new Date(now - pullRunMs)),
          and(eq(runs.status, 'queued'), lt(runs.createdAt, new Date(now - unfetchedMs))),
        ),
      ),
    )
    .orderBy(asc(runs.id))
    .limit(endedAtOnceMax);
  for (const { id } of overdue) await endPullRun(ctx, id);
  return overdue.length;
}
