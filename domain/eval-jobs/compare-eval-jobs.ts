import { and, eq, inArray } from 'drizzle-orm';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { compareRuns, type RunComparison } from '../eval-suite/compare-runs.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';

export interface CompareEvalJobsInput {
  readonly evalJobId: string;
  readonly otherEvalJobId: string;
}

export interface EvalJobComparison extends RunComparison {
  readonly before: EvalJobRow;
  readonly after: EvalJobRow;
}

/**
 * Compares two completed runs of the agent, `evalJobId` (before) with `otherEvalJobId` (after), in whichever
 * order they ran.
 *
 * @throws DomainError eval_job_not_found, eval_job_not_completed, suite_version_mismatch
 */
export async function compareEvalJobs(
  ctx: AgentCtx,
  { evalJobId, otherEvalJobId }: CompareEvalJobsInput,
): Promise<EvalJobComparison> {
  const { evalCases, evalJobs } = ctx.db.tables;
  const ids = [evalJobId, otherEvalJobId];
  const jobs = await ctx.db.query
    .select()
    .from(evalJobs)
    .where(and(inArray(evalJobs.id, ids), eq(evalJobs.agentId, ctx.agent.id)));
  const before = completed(jobs, evalJobId);
  const after = completed(jobs, otherEvalJobId);
  if (before.suiteName !== after.suiteName || before.suiteVersion !== after.suiteVersion) {
    throw new DomainError(
      'suite_version_mismatch',
      `Run ${before.id} used ${nameSuite(before)}, run ${after.id} used ${nameSuite(after)}. Only runs of the same version can be compared.`,
      { hint: 'GET /v1/eval-jobs shows the `suite` of each run.' },
    );
  }
  const cases = await ctx.db.query
    .select({ jobId: evalCases.jobId, result: evalCases.result })
    .from(evalCases)
    .where(inArray(evalCases.jobId, ids));
  const resultsOf = (id: string) => cases.filter(({ jobId }) => jobId === id).map(({ result }) => result);
  return { before, after, ...compareRuns(resultsOf(evalJobId), resultsOf(otherEvalJobId)) };
}

function completed(jobs: readonly EvalJobRow[], id: string): EvalJobRow {
  const job = jobs.find((candidate) => candidate.id === id);
  if (job === undefined) {
    throw new DomainError('eval_job_not_found', `You have no eval job with the id ${id}.`, {
      hint: 'GET /v1/eval-jobs lists your eval jobs.',
    });
  }
  if (job.status !== 'completed') {
    throw new DomainError(
      'eval_job_not_completed',
      `Run ${id} is ${job.status}. Only completed runs can be compared.`,
      { hint: 'GET /v1/eval-jobs shows the `status` of each run.' },
    );
  }
  return job;
}

function nameSuite({ suiteName, suiteVersion }: EvalJobRow): string {
  return `${suiteName} version ${suiteVersion}`;
}
