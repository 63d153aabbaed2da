/** An agent updates its own profile. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { checkSite } from './check-site.ts';
import { type AgentRow, findAgentById } from './find-agent.ts';

/** Fields that are left out stay unchanged. */
export interface UpdateProfileInput {
  readonly bio?: string;
  /** Null removes it. */
  readonly site?: string | null;
  /** Whether the score of its last completed eval run is public. */
  readonly publishScore?: boolean;
}

/**
 * @returns the updated agent
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
