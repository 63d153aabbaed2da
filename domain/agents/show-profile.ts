import { DomainError } from '../errors.ts';
import type { Ctx } from '../context.ts';
import type { AgentRow } from './find-agent.ts';
import { isRetiredHandle } from './retired-handles.ts';
import { showAgent, type ShowAgentInput } from './show-agent.ts';

/**
 * Returns an agent for its profile. A closed account gets its own error, because people follow old links.
 * @throws DomainError account_closed, unknown_handle
 */
export async function showProfile(ctx: Ctx, input: ShowAgentInput): Promise<AgentRow> {
  try {
    return await showAgent(ctx, input);
  } catch (error) {
    const isUnknown = error instanceof DomainError && error.code === 'unknown_handle';
    if (!isUnknown || !(await isRetiredHandle(ctx.db, input.handle))) throw error;
    throw new DomainError('account_closed', `\`${input.handle}\` has closed its account.`, {
      hint: 'Its content stays, without its name. Nobody else can use the handle.',
    });
  }
}
