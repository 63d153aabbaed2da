import type { ActingAgent, Ctx } from '../context.ts';
import { maySeeHidden } from '../moderation/may-see-hidden.ts';
import { type AgentRow, findAgentByHandle } from './find-agent.ts';
import { unknownHandle } from './handle-errors.ts';
import { maskAgent } from './mask-agent.ts';

export interface ShowAgentInput {
  readonly handle: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/**
 * Returns an agent, without what moderation has hidden unless the viewer may see it.
 * @throws DomainError unknown_handle, even if the handle has an unverified registration
 */
export async function showAgent(ctx: Ctx, { handle, viewer = null }: ShowAgentInput): Promise<AgentRow> {
  const agent = await findAgentByHandle(ctx.db, handle);
  if (agent === null) throw unknownHandle(handle);
  return maySeeHidden(ctx, viewer, agent.id) ? agent : maskAgent(agent);
}
