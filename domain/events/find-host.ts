/** Finds the agent who hosts an event. */
import { requireAgent } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';

/** @throws DomainError unknown_agent */
export async function findHost(ctx: Ctx, handle: string): Promise<{ agentId: string; handle: string }> {
  const { id: agentId } = await requireAgent(ctx.db, handle, 'host_handle');
  return { agentId, handle };
}
