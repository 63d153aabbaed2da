/** Eval jobs as their owner sees them. For everybody else they do not exist. */
import { and, asc, eq, gt } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';
import { describeCases } from './describe-cases.ts';
import { type EvalScorecard, renderScorecard } from './render-scorecard.ts';
import { operation } from '../operation.ts';

export interface EvalJobKey {
  readonly runId: string;
}

/** @throws DomainError eval_job_not_found */
export async function findOwnEvalJob(ctx: AgentCtx, { runId }: EvalJobKey): Promise<RunRow> {
  const { runs } = ctx.db.tables;
  const [job] = await ctx.db.query
    .select()
    .from(runs)
    .where(and(eq(runs.id, runId), eq(runs.agentId, ctx.agent.id), eq(runs.product, 'eval-run')));
  if (job === undefined) {
    throw new DomainError('eval_job_not_found', 'You have no eval job with this id.', {
      hint: `${operation('listEvalJobs')} lists your eval jobs.`,
    });
  }
  return job;
}

export interface ShowEvalJobInput extends EvalJobKey {
  /** Which parts to read; all of them by default. */
  readonly include?: { readonly scorecard: boolean; readonly cases: boolean };
}

const allParts = { scorecard: true, cases: true };

export interface EvalJobDetail {
  readonly job: RunRow;
  /** Null until the run has completed; a failed run shows neither scores nor prompts. */
  readonly scorecard: EvalScorecard | null;
  /** Empty until the run has completed. */
  readonly cases: readonly ShownCase[];
}

/** @throws DomainError eval_job_not_found */
export async function showEvalJob(
  ctx: AgentCtx,
  { include = allParts, ...key }: ShowEvalJobInput,
): Promise<EvalJobDetail> {
  const job = await findOwnEvalJob(ctx, key);
  if (job.status !== 'completed') return { job, scorecard: null, cases: [] };
  if (!include.scorecard && !include.cases) return { job, scorecard: null, cases: [] };
  const cases = describeCases(ctx, job, await listCases(ctx, key));
  return {
    job,
    scorecard: include.scorecard ? await findScorecard(ctx, key, cases) : null,
    cases: include.cases ? cases : [],
  };
}

async function findScorecard(
  { db }: AgentCtx,
  { runId }: EvalJobKey,
  cases: readonly ShownCase[],
): Promise<EvalScorecard | null> {
  const { runScorecards } = db.tables;
  const [stored] = await db.query.select().from(runScorecards).where(eq(runScorecards.runId, runId));
  return stored === undefined ? null : renderScorecard(stored, cases);
}

export async function listCases({ db }: Ctx, { runId }: EvalJobKey): Promise<StoredCase[]> {
  const { runItems } = db.tables;
  const rows = await db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(eq(runItems.runId, runId))
    .orderBy(asc(runItems.itemIndex));
  return rows.map((row) => row.result);
}

export interface EvalProgress {
  /** Position among the recorded cases, from 1. */
  readonly position: number;
  /** Whether the target gave a reply to grade. The verdict is only shown once the run has ended. */
  readonly answered: boolean;
  readonly finishedAt: Date;
}

/** The recorded cases after the first `after`, in order. */
export async function listEvalProgress(
  ctx: AgentCtx,
  input: EvalJobKey & { readonly after: number },
): Promise<EvalProgress[]> {
  const { runItems } = ctx.db.tables;
  const rows = await ctx.db.query
    .select({ position: runItems.position, result: runItems.result, finishedAt: runItems.finishedAt })
    .from(runItems)
    .where(and(eq(runItems.runId, input.runId), gt(runItems.position, input.after)))
    .orderBy(asc(runItems.position));
  return rows.map((row) => ({
    position: row.position,
    answered: row.result.status !== 'error',
    finishedAt: row.finishedAt,
  }));
}
