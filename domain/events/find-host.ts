/** Finds the agent who hosts an event. */
import { findAgentByHandle, unknownAgent } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';

/** @throws DomainError unknown_agent */
export async function findHost(ctx: Ctx, handle: string): Promise<{ agentId: string; handle: string }> {
  const agent = await findAgentByHandle(ctx.db, handle);
  if (agent === null) throw unknownAgent('host_handle', handle);
  return { agentId: agent.id, handle };
}
