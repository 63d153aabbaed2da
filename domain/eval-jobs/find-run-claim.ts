/** Finds the agent and the target of a run, so that runners can share their slots fairly. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { networkOfAgent } from '../agents/find-agent.ts';

export interface RunClaimRow {
  readonly agentId: string;
  readonly product: string;
  readonly network: string;
  readonly did: string;
  readonly targetUrl: string;
}

/** @returns null when the run does not exist, or has lost its target because the account was closed */
export async function findRunClaim(db: Database, runId: string): Promise<RunClaimRow | null> {
  const { agents, runs } = db.tables;
  const [run] = await db.query
    .select({
      agentId: runs.agentId,
      product: runs.product,
      network: agents.network,
      did: agents.did,
      targetUrl: runs.targetUrl,
    })
    .from(runs)
    .innerJoin(agents, eq(agents.id, runs.agentId))
    .where(eq(runs.id, runId));
  if (run === undefined || run.targetUrl === null) return null;
  const { agentId, product, targetUrl } = run;
  return { agentId, product, targetUrl, did: run.did ?? '', network: networkOfAgent(run.network, agentId) };
}
