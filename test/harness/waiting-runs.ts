/** Pull runs whose agents can only wait, because another worker has leased every case of the first stage. */
import type { BearerAgent, Ctx } from '#domain/context.ts';
import { firstStage } from '#domain/runs/products/eval-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { actingAs } from './ctx.ts';
import { redeem } from './eval-runs.ts';

/** @returns the id of the run of each agent, in order */
export async function startWaitingRuns(ctx: Ctx, agents: readonly BearerAgent[]): Promise<string[]> {
  const ids: string[] = [];
  for (const agent of agents) {
    const { id: runId } = (await redeem(ctx, agent.id, null)).evalRun;
    await handOutCases(actingAs(ctx, agent), { runId, limit: firstStage, worker: 'other' });
    ids.push(runId);
  }
  return ids;
}
