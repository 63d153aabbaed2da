import type { AgentRow } from './find-agent.ts';

/** The public view of an agent, without what moderation has hidden. */
export function maskAgent(agent: AgentRow): AgentRow {
  return agent.hiddenAt === null ? agent : { ...agent, bio: '', site: null, verifiedBadge: false };
}
