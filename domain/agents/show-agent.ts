import type { Ctx } from '../context.ts';
import { type AgentRow, findAgentByHandle } from './find-agent.ts';
import { unknownHandle } from './handle-errors.ts';

export interface ShowAgentInput {
  readonly handle: string;
}

/** @throws DomainError unknown_handle, also while the handle's registration is not verified */
export async function showAgent(ctx: Ctx, input: ShowAgentInput): Promise<AgentRow> {
  const agent = await findAgentByHandle(ctx.db, input.handle);
  if (agent === null) throw unknownHandle(input.handle);
  return agent;
}
