/** Ends runs whose agents have abandoned them, and refunds those that were never fetched. The sweeper calls this. */
import { and, asc, eq, lte } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { endOverdueRun, isOverdue } from './end-task.ts';

const endedAtOnceMax = 20;

/** @returns the number of runs that were ended, at most 20 per call */
export async function endOverdueAgentRuns(ctx: Ctx): Promise<number> {
  const { runs } = ctx.db.tables;
  const overdue = await ctx.db.query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isOpenRun(runs), eq(runs.product, 'agent-run'), lte(runs.dueAt, ctx.clock.now())))
    .orderBy(asc(runs.dueAt))
    .limit(endedAtOnceMax);
  let ended = 0;
  for (const { id } of overdue) if (await endIfOverdue(ctx, id)) ended += 1;
  return ended;
}

/** One transaction per run, because grading up to 24 tasks takes some time. */
function endIfOverdue(ctx: Ctx, id: string): Promise<boolean> {
  return withTransaction(ctx, async (inner) => {
    const { runs } = inner.db.tables;
    const [run] = await lockRows(
      inner.db,
      inner.db.query
        .select()
        .from(runs)
        .where(and(eq(runs.id, id), isOpenRun(runs))),
    );
    // Another sweeper or the agent was faster.
    if (run === undefined || !isOverdue(inner, run)) return false;
    await endOverdueRun(inner, run);
    return true;
  });
}
