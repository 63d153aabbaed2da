/**
 * Deletes the cases of runs that ended long ago, and the replies in pull mode. Score and scorecard stay. The
 * sweeper calls this.
 */
import { and, asc, isNotNull, isNull, lt } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { type RetentionInput, retentionStart } from '../retention.ts';

const runsPrunedAtOnceMax = 100;

/** @returns the number of runs whose cases were deleted, at most 100 per call */
export async function pruneEvalCases(ctx: Ctx, input: RetentionInput): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  if (before === null) return 0;
  return withTransaction(ctx, async ({ db, clock }) => {
    const { evalCases, evalHandOuts, evalJobs } = db.tables;
    const old = await db.query
      .select({ id: evalJobs.id })
      .from(evalJobs)
      .where(
        and(isNotNull(evalJobs.finishedAt), isNull(evalJobs.casesPrunedAt), lt(evalJobs.finishedAt, before)),
      )
      .orderBy(asc(evalJobs.finishedAt))
      .limit(runsPrunedAtOnceMax);
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    await db.query.delete(evalCases).where(inList(db, evalCases.jobId, ids));
    await db.query.delete(evalHandOuts).where(inList(db, evalHandOuts.jobId, ids));
    await db.query
      .update(evalJobs)
      .set({ casesPrunedAt: clock.now() })
      .where(inList(db, evalJobs.id, ids));
    return ids.length;
  });
}
