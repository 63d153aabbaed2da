import { and, desc, eq, inArray } from 'drizzle-orm';
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import { together } from '#db/together.ts';
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
  readonly agentRunId: string;
  readonly otherAgentRunId: string;
  /** Whether to add earlier runs: those before the older run to its side, those since then to the newer side. */
  readonly pool?: boolean;
}

type Side = ComparedSide<AgentRunRow>;

export interface AgentRunComparison extends RunComparison {
  readonly before: Side;
  readonly after: Side;
}

/**
 * Compares two completed agent runs of the agent, `agentRunId` (before) with `otherAgentRunId` (after), in whichever order
 * they ran.
 *
 * @throws DomainError agent_run_not_found, agent_run_not_completed, product_mismatch, suite_version_mismatch
 */
export async function compareAgentRuns(
  ctx: AgentCtx,
  { agentRunId, otherAgentRunId, pool = false }: CompareAgentRunsInput,
): Promise<AgentRunComparison> {
  const pair = await findPair(ctx, [agentRunId, otherAgentRunId]);
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

async function findPair({ db, agent }: AgentCtx, ids: Pair<string>): Promise<Pair<AgentRunRow>> {
  const { agentRuns, evalJobs } = db.tables;
  const [runs, others] = await together(
    db.query
      .select()
      .from(agentRuns)
      .where(and(inArray(agentRuns.id, [...ids]), eq(agentRuns.agentId, agent.id))),
    db.query
      .select({ id: evalJobs.id })
      .from(evalJobs)
      .where(and(inArray(evalJobs.id, [...ids]), eq(evalJobs.agentId, agent.id))),
  );
  return requireComparable(product, ids, runs, others);
}

async function readEarlier(
  { db }: AgentCtx,
  run: AgentRunRow,
  since: AgentRunRow | null,
): Promise<AgentRunRow[]> {
  const { agentRuns } = db.tables;
  return db.query
    .select()
    .from(agentRuns)
    .where(isEarlier(agentRuns, run, since))
    .orderBy(desc(agentRuns.finishedAt), desc(agentRuns.id))
    .limit(pooledRunsReadMax);
}
