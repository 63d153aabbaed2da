import { findAgentById, type AgentRow } from '../agents/find-agent.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';

export async function findOwnRow(ctx: AgentCtx): Promise<AgentRow> {
  const agent = await findAgentById(ctx.db, ctx.agent.id);
  invariant(agent !== null, 'An acting agent exists; agents are never removed.');
  return agent;
}
