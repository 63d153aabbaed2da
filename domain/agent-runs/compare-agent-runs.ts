import { and, desc, eq, inArray } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import {
  agentRuns as product,
  type ComparedSide,
  type Pair,
  requireComparable,
} from '../comparisons/comparable-runs.ts';
import { isEarlier, pooledRunsReadMax, poolRuns } from '../comparisons/pool-runs.ts';
import type { AgentCtx } from '../context.ts';
import type { RunComparison } from '#evals/suite/compare-runs.ts';
import { compareTasks } from '#evals/office/compare-tasks.ts';

export interface CompareAgentRunsInput {
  readonly runId: string;
  readonly otherRunId: string;
  /** Whether to add earlier runs: those before the older run to its side, those since then to the newer side. */
  readonly pool?: boolean;
}

type Side = ComparedSide<RunRow>;

export interface AgentRunComparison extends RunComparison {
  readonly before: Side;
  readonly after: Side;
}

/**
 * Compares two completed agent runs of the agent, `runId` (before) with `otherRunId` (after), in whichever order
 * they ran.
 *
 * @throws DomainError agent_run_not_found, agent_run_not_completed, product_mismatch, suite_version_mismatch
 */
export async function compareAgentRuns(
  ctx: AgentCtx,
  { runId, otherRunId, pool = false }: CompareAgentRunsInput,
): Promise<AgentRunComparison> {
  const pair = await findPair(ctx, [runId, otherRunId]);
  const [pooledBefore, pooledAfter] = pool
    ? await poolRuns(pair, (run, since) => readEarlier(ctx, run, since))
    : [[], []];
  const before = { run: pair[0], pooled: pooledBefore };
  const after = { run: pair[1], pooled: pooledAfter };
  return { before, after, ...compareTasks(verdictsOf(before), verdictsOf(after)) };
}

function verdictsOf({ run, pooled }: Side) {
  return [run, ...pooled].flatMap(({ verdicts }) => verdicts ?? []);
}

async function findPair({ db, agent }: AgentCtx, ids: Pair<string>): Promise<Pair<RunRow>> {
  const { runs } = db.tables;
  const own = await db.query
    .select()
    .from(runs)
    .where(and(inArray(runs.id, [...ids]), eq(runs.agentId, agent.id)));
  return requireComparable(product, ids, own);
}

async function readEarlier({ db }: AgentCtx, run: RunRow, since: RunRow | null): Promise<RunRow[]> {
  const { runs } = db.tables;
  return db.query
    .select()
    .from(runs)
    .where(isEarlier(runs, run, since))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(pooledRunsReadMax);
}
