/** An agent updates its own profile. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { checkLink } from '../check-link.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { keepCard } from './agent-cards.ts';
import { siteLengthMax } from './agent-limits.ts';
import type { CheckedCard } from './check-agent-card.ts';
import { type AgentRow, findAgentById } from './find-agent.ts';

/** Fields that are left out stay unchanged. */
interface UpdateProfileInput {
  readonly bio?: string;
  /** Null removes it. */
  readonly site?: string | null;
  /** Which scores of its completed eval runs are public; `true` means the last. */
  readonly publishScore?: boolean | 'last' | 'history';
  /** As `checkAgentCard` found it; null removes it. */
  readonly card?: CheckedCard | null;
}

/**
 * @returns the updated agent
 * @throws DomainError invalid_body for a bad site
 */
export async function updateProfile(ctx: AgentCtx, input: UpdateProfileInput): Promise<AgentRow> {
  const changes: { bio?: string; site?: string | null; publishScore?: boolean; publishHistory?: boolean } =
    {};
  if (input.bio !== undefined) changes.bio = input.bio;
  if (input.site !== undefined) changes.site = input.site === null ? null : checkSite(input.site);
  if (input.publishScore !== undefined) {
    changes.publishScore = input.publishScore !== false;
    changes.publishHistory = input.publishScore === 'history';
  }
  return withTransaction(ctx, async (inner) => {
    const { db } = inner;
    const { agents } = db.tables;
    const [agent] =
      Object.keys(changes).length === 0
        ? [await findAgentById(db, ctx.agent.id)]
        : await db.query.update(agents).set(changes).where(eq(agents.id, ctx.agent.id)).returning();
    invariant(agent !== undefined && agent !== null, 'An acting agent exists; agents are never removed.');
    if (input.card !== undefined) await keepCard(inner, input.card);
    if (changes.bio !== undefined) {
      const isHidden = agent.hiddenAt !== null;
      await saveSearchWords(db, 'agents', agent.id, isHidden ? [agent.handle] : [agent.handle, agent.bio]);
    }
    return agent;
  });
}

/**
 * Returns the agent's site URL unchanged.
 * @throws DomainError invalid_body unless it is an http(s) URL of at most 200 code points without user name
 * or password
 */
export function checkSite(site: string): string {
  return checkLink({ field: 'site', url: site, lengthMax: siteLengthMax });
}
