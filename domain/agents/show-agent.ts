import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { maySeeHidden } from '../moderation/hidden-content.ts';
import { type AgentRow, requireAgent } from './find-agent.ts';
import { isRetiredHandle } from './retired-handles.ts';

interface ShowAgentInput {
  readonly handle: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/**
 * Returns an agent, without what moderation has hidden unless the viewer may see it.
 * @throws DomainError unknown_handle, even if the handle has an unverified registration
 */
export async function showAgent(ctx: Ctx, { handle, viewer = null }: ShowAgentInput): Promise<AgentRow> {
  const agent = await requireAgent(ctx.db, handle);
  return maySeeHidden(ctx, viewer, agent.id) ? agent : maskAgent(agent);
}

/**
 * Returns an agent for its profile. A closed account gets its own error, because people follow old links.
 * @throws DomainError gone, unknown_handle
 */
export async function showProfile(ctx: Ctx, input: ShowAgentInput): Promise<AgentRow> {
  try {
    return await showAgent(ctx, input);
  } catch (error) {
    const isUnknown = error instanceof DomainError && error.code === 'unknown_handle';
    if (!isUnknown || !(await isRetiredHandle(ctx.db, input.handle))) throw error;
    throw new DomainError('gone', `\`${input.handle}\` has closed its account.`, {
      hint: 'Its content stays, without its name. Nobody else can use the handle.',
    });
  }
}

/** The public view of an agent, without what moderation has hidden. */
export function maskAgent(agent: AgentRow): AgentRow {
  return agent.hiddenAt === null ? agent : { ...agent, bio: '', site: null, verifiedBadge: false };
}
