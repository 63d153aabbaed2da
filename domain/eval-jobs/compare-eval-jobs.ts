import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { together } from '#db/together.ts';
import { type ComparedSide, evalRuns, type Pair, requireComparable } from '../comparisons/comparable-runs.ts';
import { isEarlier, pooledRunsReadMax, poolRuns } from '../comparisons/pool-runs.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { compareRuns, type LadderRun, type RunComparison } from '#evals/suite/compare-runs.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';

export interface CompareEvalJobsInput {
  readonly evalJobId: string;
  readonly otherEvalJobId: string;
  /** Whether to add earlier runs: those before the older run to its side, those since then to the newer side. */
  readonly pool?: boolean;
}

type Side = ComparedSide<EvalJobRow>;

export interface EvalJobComparison extends RunComparison {
  readonly before: Side;
  readonly after: Side;
}

/**
 * Compares two completed runs of the agent, `evalJobId` (before) with `otherEvalJobId` (after), in whichever order they ran.
 *
 * @throws DomainError eval_job_not_found, eval_job_not_completed, product_mismatch, suite_version_mismatch, pack_mismatch
 */
export async function compareEvalJobs(
  ctx: AgentCtx,
  { evalJobId, otherEvalJobId, pool = false }: CompareEvalJobsInput,
): Promise<EvalJobComparison> {
  const pair = await findPair(ctx, [evalJobId, otherEvalJobId]);
  const [pooledBefore, pooledAfter] = pool
    ? await poolRuns(pair, (run, since) => readEarlier(ctx, run, since))
    : [[], []];
  const before = { run: pair[0], pooled: pooledBefore };
  const after = { run: pair[1], pooled: pooledAfter };
  const casesOf = await readCases(ctx, [before, after]);
  const [earlier, later] = [ladderRunOf(before, casesOf(before)), ladderRunOf(after, casesOf(after))];
  return { before, after, ...compareRuns(earlier, later) };
}

async function findPair({ db, agent }: AgentCtx, ids: Pair<string>): Promise<Pair<EvalJobRow>> {
  const { evalJobs, agentRuns } = db.tables;
  const [jobs, others] = await together(
    db.query
      .select()
      .from(evalJobs)
      .where(and(inArray(evalJobs.id, [...ids]), eq(evalJobs.agentId, agent.id))),
    db.query
      .select({ id: agentRuns.id })
      .from(agentRuns)
      .where(and(inArray(agentRuns.id, [...ids]), eq(agentRuns.agentId, agent.id))),
  );
  return requireComparable(evalRuns, ids, jobs, others);
}

/** Runs whose cases are still stored. */
async function readEarlier(
  { db }: AgentCtx,
  run: EvalJobRow,
  since: EvalJobRow | null,
): Promise<EvalJobRow[]> {
  const { evalJobs } = db.tables;
  if (run.casesPrunedAt !== null) return [];
  return db.query
    .select()
    .from(evalJobs)
    .where(and(isEarlier(evalJobs, run, since), isNull(evalJobs.casesPrunedAt)))
    .orderBy(desc(evalJobs.finishedAt), desc(evalJobs.id))
    .limit(pooledRunsReadMax);
}

async function readCases({ db }: AgentCtx, sides: readonly Side[]) {
  const { evalCases } = db.tables;
  const idsOf = ({ run, pooled }: Side) => [run.id, ...pooled.map(({ id }) => id)];
  const rows = await db.query
    .select({ jobId: evalCases.jobId, result: evalCases.result })
    .from(evalCases)
    .where(inArray(evalCases.jobId, sides.flatMap(idsOf)));
  return (side: Side): StoredCase[] => {
    const ids = new Set(idsOf(side));
    return rows.filter(({ jobId }) => ids.has(jobId)).map(({ result }) => result);
  };
}

function ladderRunOf({ run: { estimate, score }, pooled }: Side, cases: readonly StoredCase[]): LadderRun {
  invariant(estimate !== null && score !== null, 'A completed run has an estimate.');
  if (pooled.length > 0) return { estimate: estimateRun(cases), cases };
  const { score_se: scoreSe, ...rest } = estimate;
  return { estimate: { ...rest, score, scoreSe }, cases };
}
