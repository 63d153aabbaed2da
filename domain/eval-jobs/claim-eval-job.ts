/** Claims an eval job for a runner: the first time, or after the previous runner has died. */
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { plusLethalReply } from './reply-in-hand.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { evalLeaseMs, honestLeaseMaxMs } from './eval-job.ts';

export type EvalClaim =
  /** Held until another claim raises `job.attempt`. `cases` were recorded by earlier attempts. */
  | { readonly state: 'claimed'; readonly job: RunRow; readonly cases: readonly StoredCase[] }
  /** Another runner holds the claim. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** The job has ended or does not exist. */
  | { readonly state: 'ended' };

export async function claimEvalJob(ctx: Ctx, input: { runId: string }): Promise<EvalClaim> {
  return withTransaction(ctx, async (inner) => {
    const { runs, runItems } = inner.db.tables;
    const now = inner.clock.now();
    const [job] = await inner.db.query
      .update(runs)
      .set({
        status: 'running',
        attempt: sql`${runs.attempt} + 1`,
        lethalReplies: plusLethalReply(runs),
        replyAttempt: null,
        startedAt: sql`coalesce(${runs.startedAt}, ${sql.param(now, runs.startedAt)})`,
        leaseUntil: new Date(now.getTime() + evalLeaseMs),
      })
      .where(
        and(
          eq(runs.id, input.runId),
          inArray(runs.status, ['queued', 'running']),
          or(
            isNull(runs.leaseUntil),
            lte(runs.leaseUntil, now),
            gt(runs.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
          ),
        ),
      )
      .returning();
    if (job === undefined) return whyNotClaimed(inner, input.runId);
    if (job.attempt === 1) return { state: 'claimed', job, cases: [] };
    const recorded = await inner.db.query
      .select({ result: runItems.result })
      .from(runItems)
      .where(eq(runItems.runId, job.id))
      .orderBy(asc(runItems.itemIndex));
    return { state: 'claimed', job, cases: recorded.map((row) => row.result) };
  });
}

async function whyNotClaimed(ctx: Ctx, runId: string): Promise<EvalClaim> {
  const { runs } = ctx.db.tables;
  const [job] = await ctx.db.query
    .select({ status: runs.status, leaseUntil: runs.leaseUntil })
    .from(runs)
    .where(eq(runs.id, runId));
  if (job === undefined || job.leaseUntil === null) return { state: 'ended' };
  switch (job.status) {
    case 'queued':
    case 'running':
      return { state: 'busy', leaseUntil: job.leaseUntil };
    case 'completed':
    case 'failed':
      return { state: 'ended' };
  }
}
