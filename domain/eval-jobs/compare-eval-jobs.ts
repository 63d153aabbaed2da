import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { type ComparedSide, evalRuns, type Pair, requireComparable } from '../comparisons/comparable-runs.ts';
import { isEarlier, pooledRunsReadMax, poolRuns } from '../comparisons/pool-runs.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { compareRuns, type LadderRun, type RunComparison } from '#evals/suite/compare-runs.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';

export interface CompareEvalJobsInput {
  readonly runId: string;
  readonly otherRunId: string;
  /** Whether to add earlier runs: those before the older run to its side, those since then to the newer side. */
  readonly pool?: boolean;
}

type Side = ComparedSide<RunRow>;

export interface EvalJobComparison extends RunComparison {
  readonly before: Side;
  readonly after: Side;
}

/**
 * Compares two completed runs of the agent, `runId` (before) with `otherRunId` (after), in whichever order they ran.
 *
 * @throws DomainError eval_job_not_found, eval_job_not_completed, product_mismatch, suite_version_mismatch, pack_mismatch
 */
export async function compareEvalJobs(
  ctx: AgentCtx,
  { runId, otherRunId, pool = false }: CompareEvalJobsInput,
): Promise<EvalJobComparison> {
  const pair = await findPair(ctx, [runId, otherRunId]);
  const [pooledBefore, pooledAfter] = pool
    ? await poolRuns(pair, (run, since) => readEarlier(ctx, run, since))
    : [[], []];
  const before = { run: pair[0], pooled: pooledBefore };
  const after = { run: pair[1], pooled: pooledAfter };
  const casesOf = await readCases(ctx, [before, after]);
  const [earlier, later] = [ladderRunOf(before, casesOf(before)), ladderRunOf(after, casesOf(after))];
  return { before, after, ...compareRuns(earlier, later) };
}

async function findPair({ db, agent }: AgentCtx, ids: Pair<string>): Promise<Pair<RunRow>> {
  const { runs } = db.tables;
  const own = await db.query
    .select()
    .from(runs)
    .where(and(inArray(runs.id, [...ids]), eq(runs.agentId, agent.id)));
  return requireComparable(evalRuns, ids, own);
}

/** Runs whose cases are still stored. */
async function readEarlier({ db }: AgentCtx, run: RunRow, since: RunRow | null): Promise<RunRow[]> {
  const { runs } = db.tables;
  if (run.itemsPrunedAt !== null) return [];
  return db.query
    .select()
    .from(runs)
    .where(and(isEarlier(runs, run, since), isNull(runs.itemsPrunedAt)))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(pooledRunsReadMax);
}

async function readCases({ db }: AgentCtx, sides: readonly Side[]) {
  const { runItems } = db.tables;
  const idsOf = ({ run, pooled }: Side) => [run.id, ...pooled.map(({ id }) => id)];
  const rows = await db.query
    .select({ runId: runItems.runId, result: runItems.result })
    .from(runItems)
    .where(inArray(runItems.runId, sides.flatMap(idsOf)));
  return (side: Side): StoredCase[] => {
    const ids = new Set(idsOf(side));
    return rows.filter(({ runId }) => ids.has(runId)).map(({ result }) => result);
  };
}

function ladderRunOf({ run: { estimate, score }, pooled }: Side, cases: readonly StoredCase[]): LadderRun {
  invariant(estimate !== null && score !== null, 'A completed run has an estimate.');
  if (pooled.length > 0) return { estimate: estimateRun(cases), cases };
  const { score_se: scoreSe, ...rest } = estimate;
  return { estimate: { ...rest, score, scoreSe }, cases };
}
