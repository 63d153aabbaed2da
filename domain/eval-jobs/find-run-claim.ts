/** Finds the agent and the target of a run, so that runners can share their slots fairly. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { networkOfAgent } from '../agents/find-agent.ts';

export interface RunClaimRow {
  readonly agentId: string;
  readonly network: string;
  readonly did: string;
  readonly targetUrl: string;
}

/** @returns null when the eval job does not exist, or has lost its target because the account was closed */
export async function findRunClaim(db: Database, evalJobId: string): Promise<RunClaimRow | null> {
  const { agents, evalJobs } = db.tables;
  const [job] = await db.query
    .select({
      agentId: evalJobs.agentId,
      network: agents.network,
      did: agents.did,
      targetUrl: evalJobs.targetUrl,
    })
    .from(evalJobs)
    .innerJoin(agents, eq(agents.id, evalJobs.agentId))
    .where(eq(evalJobs.id, evalJobId));
  return claimRowOf(job);
}

/** The same for an agent run. */
export async function findAgentRunClaim(db: Database, agentRunId: string): Promise<RunClaimRow | null> {
  const { agents, agentRuns } = db.tables;
  const [run] = await db.query
    .select({
      agentId: agentRuns.agentId,
      network: agents.network,
      did: agents.did,
      targetUrl: agentRuns.targetUrl,
    })
    .from(agentRuns)
    .innerJoin(agents, eq(agents.id, agentRuns.agentId))
    .where(eq(agentRuns.id, agentRunId));
  return claimRowOf(run);
}

interface FoundRun {
  readonly agentId: string;
  readonly network: string | null;
  readonly did: string | null;
  readonly targetUrl: string | null;
}

function claimRowOf(run: FoundRun | undefined): RunClaimRow | null {
  if (run === undefined || run.targetUrl === null || run.targetUrl === '') return null;
  const { agentId, targetUrl } = run;
  return { agentId, targetUrl, did: run.did ?? '', network: networkOfAgent(run.network, agentId) };
}
