/** Claims an eval job for a runner: the first time, or after the previous runner has died. */
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { plusLethalReply } from './reply-in-hand.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { evalLeaseMs, honestLeaseMaxMs } from './eval-job.ts';

export type EvalClaim =
  /** Held until another claim raises `job.attempt`. `cases` were recorded by earlier attempts. */
  | { readonly state: 'claimed'; readonly job: EvalJobRow; readonly cases: readonly StoredCase[] }
  /** Another runner holds the claim. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** The job has ended or does not exist. */
  | { readonly state: 'ended' };

export async function claimEvalJob(ctx: Ctx, input: { evalJobId: string }): Promise<EvalClaim> {
  return withTransaction(ctx, async (inner) => {
    const { evalJobs, evalCases } = inner.db.tables;
    const now = inner.clock.now();
    const [job] = await inner.db.query
      .update(evalJobs)
      .set({
        status: 'running',
        attempt: sql`${evalJobs.attempt} + 1`,
        lethalReplies: plusLethalReply(evalJobs),
        replyAttempt: null,
        startedAt: sql`coalesce(${evalJobs.startedAt}, ${sql.param(now, evalJobs.startedAt)})`,
        leaseUntil: new Date(now.getTime() + evalLeaseMs),
      })
      .where(
        and(
          eq(evalJobs.id, input.evalJobId),
          inArray(evalJobs.status, ['queued', 'running']),
          or(
            isNull(evalJobs.leaseUntil),
            lte(evalJobs.leaseUntil, now),
            gt(evalJobs.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
          ),
        ),
      )
      .returning();
    if (job === undefined) return whyNotClaimed(inner, input.evalJobId);
    if (job.attempt === 1) return { state: 'claimed', job, cases: [] };
    const recorded = await inner.db.query
      .select({ result: evalCases.result })
      .from(evalCases)
      .where(eq(evalCases.jobId, job.id))
      .orderBy(asc(evalCases.caseIndex));
    return { state: 'claimed', job, cases: recorded.map((row) => row.result) };
  });
}

async function whyNotClaimed(ctx: Ctx, evalJobId: string): Promise<EvalClaim> {
  const { evalJobs } = ctx.db.tables;
  const [job] = await ctx.db.query
    .select({ status: evalJobs.status, leaseUntil: evalJobs.leaseUntil })
    .from(evalJobs)
    .where(eq(evalJobs.id, evalJobId));
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
