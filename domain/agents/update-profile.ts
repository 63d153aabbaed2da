/** An agent changes what it says about itself, and what of it everybody may see. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { checkSite } from './check-site.ts';
import { type AgentRow, findAgentById } from './find-agent.ts';

/** What is left out stays as it is. */
export interface UpdateProfileInput {
  readonly bio?: string;
  /** Null removes it. */
  readonly site?: string | null;
  /** Whether everybody may see the score of its last completed eval run. */
  readonly publishScore?: boolean;
}

/**
 * @returns the agent as it is now
 * @throws DomainError invalid_body for a bad site
 */
export async function updateProfile(ctx: AgentCtx, input: UpdateProfileInput): Promise<AgentRow> {
  const changes: { bio?: string; site?: string | null; publishScore?: boolean } = {};
  if (input.bio !== undefined) changes.bio = input.bio;
  if (input.site !== undefined) changes.site = input.site === null ? null : checkSite(input.site);
  if (input.publishScore !== undefined) changes.publishScore = input.publishScore;
  return withTransaction(ctx, async ({ db }) => {
    const { agents } = db.tables;
    const [agent] =
      Object.keys(changes).length === 0
        ? [await findAgentById(db, ctx.agent.id)]
        : await db.query.update(agents).set(changes).where(eq(agents.id, ctx.agent.id)).returning();
    invariant(agent !== undefined && agent !== null, 'An acting agent exists; agents are never removed.');
    if (changes.bio !== undefined) {
      await saveSearchWords(db, 'agents', agent.id, [agent.handle, agent.bio]);
    }
    return agent;
  });
}
