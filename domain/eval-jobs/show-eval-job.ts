/** Eval jobs as their owner sees them. For everybody else they do not exist. */
import { eq } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { findOwnRun } from '../runs/find-run.ts';
import { listItems } from '../runs/store-items.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { evalRunScorecard, type ShownCase } from '#evals/suite/scorecard/model.ts';
import { isScoreJson, type ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { describeCases } from './describe-cases.ts';

const product = 'eval-run';

export interface EvalJobKey {
  readonly runId: string;
}

/** @throws DomainError eval_job_not_found */
export function findOwnEvalJob(ctx: AgentCtx, { runId }: EvalJobKey): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product });
}

export interface ShowEvalJobInput extends EvalJobKey {
  /** Which parts to read; all of them by default. */
  readonly include?: { readonly scorecard: boolean; readonly cases: boolean };
}

const allParts = { scorecard: true, cases: true };

export interface EvalScorecard {
  readonly scoreJson: ScoreJson & Record<string, unknown>;
  readonly model: ScorecardModel;
}

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
  if (stored === undefined || !isScoreJson(stored.scoreJson)) return null;
  return { scoreJson: stored.scoreJson, model: evalRunScorecard(stored.scoreJson, cases) };
}

/** The stored cases of an eval run, in the order of their index. */
export async function listCases(ctx: Ctx, { runId }: EvalJobKey): Promise<StoredCase[]> {
  // The plan of an eval run stores these.
  return (await listItems(ctx, runId)) as StoredCase[];
}
