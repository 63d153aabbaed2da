/**
 * Deletes the cases of runs that ended long ago, and the replies in pull mode. Score and scorecard stay. The
 * sweeper calls this.
 */
import { and, asc, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { type RetentionInput, retentionStart } from '../retention.ts';

const runsPrunedAtOnceMax = 100;

/** @returns the number of runs whose cases were deleted, at most 100 per call */
export async function pruneEvalCases(ctx: Ctx, input: RetentionInput): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  if (before === null) return 0;
  return withTransaction(ctx, async ({ db, clock }) => {
    const { runItems, runLeases, runs } = db.tables;
    const old = await db.query
      .select({ id: runs.id })
      .from(runs)
      .where(
        and(
          eq(runs.product, 'eval-run'),
          isNotNull(runs.finishedAt),
          isNull(runs.itemsPrunedAt),
          lt(runs.finishedAt, before),
        ),
      )
      .orderBy(asc(runs.finishedAt))
      .limit(runsPrunedAtOnceMax);
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    await db.query.delete(runItems).where(inList(db, runItems.runId, ids));
    await db.query.delete(runLeases).where(inList(db, runLeases.runId, ids));
    await db.query
      .update(runs)
      .set({ itemsPrunedAt: clock.now() })
      .where(inList(db, runs.id, ids));
    return ids.length;
  });
}
