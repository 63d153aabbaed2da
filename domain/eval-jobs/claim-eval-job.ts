/** Takes an eval job up, for the first time or after a runner that is gone. */
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { StoredCase } from '#db/schema/eval-tables.ts';
import { type Ctx, withTransaction } from '../context.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { evalLeaseMs } from './eval-job.ts';

/** Clocks of several machines may differ a little. */
const honestLeaseMaxMs = 10 * evalLeaseMs;

export type EvalClaim =
  /** Ours until another claim raises `job.attempt`; `cases` are those that landed before. */
  | { readonly state: 'claimed'; readonly job: EvalJobRow; readonly cases: readonly StoredCase[] }
  /** Another runner is at it and alive. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** Nothing to do: it has ended, or was never there. */
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
            // Nobody is given a lease as long as this: the clock of who took it was ahead.
            gt(evalJobs.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
          ),
        ),
      )
      .returning();
    if (job === undefined) return whyNotClaimed(inner, input.evalJobId);
    if (job.attempt === 1) return { state: 'claimed', job, cases: [] };
    const landed = await inner.db.query
      .select({ result: evalCases.result })
      .from(evalCases)
      .where(eq(evalCases.jobId, job.id))
      .orderBy(asc(evalCases.caseIndex));
    return { state: 'claimed', job, cases: landed.map((row) => row.result) };
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
