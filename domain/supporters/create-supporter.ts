/** A maintainer makes an agent a supporter or changes the tier and end of its support. */
import { and, eq, isNull } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { SupportTier } from '#db/schema/standing-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { unknownAgent } from '../agents/handle-errors.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { requireFuture } from '../require-future.ts';
import { closeSupport } from './close-support.ts';
import { findActiveSupport, type SupportRow } from './find-support.ts';

export interface CreateSupporterInput {
  readonly handle: string;
  readonly tier: SupportTier;
  /** Null for no agreed end. */
  readonly endsAt: Date | null;
}

/**
 * An active supporter keeps its `since`. The tier also becomes the agent's `sponsor_tier`.
 * @throws DomainError maintainer_only; invalid_body for an end in the past; unknown_agent
 */
export async function createSupporter(ctx: AgentCtx, input: CreateSupporterInput): Promise<SupportRow> {
  requireMaintainer(ctx);
  const { tier, endsAt } = input;
  if (endsAt !== null) requireFuture('ends_at', endsAt, ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    // The lock serialises concurrent maintainers.
    const [agent] = await lockRows(
      inner.db,
      inner.db.query
        .select({ id: agents.id })
        .from(agents)
        .where(and(eq(agents.handle, input.handle), isOpenAccount(agents))),
    );
    if (agent === undefined) throw unknownAgent('handle', input.handle);
    const support = await renewOrStart(inner, agent.id, { tier, endsAt });
    await inner.db.query.update(agents).set({ sponsorTier: tier }).where(eq(agents.id, agent.id));
    return support;
  });
}

type SupportTerms = Pick<SupportRow, 'tier' | 'endsAt'>;

async function renewOrStart(ctx: TransactionCtx, agentId: string, terms: SupportTerms): Promise<SupportRow> {
  const { supporters } = ctx.db.tables;
  const now = ctx.clock.now();
  const active = await findActiveSupport(ctx.db, agentId, now);
  if (active !== null) {
    await ctx.db.query
      .update(supporters)
      .set(terms)
      .where(and(eq(supporters.id, active.id), isNull(supporters.endedAt)));
    return { ...active, ...terms };
  }
  // Close support that has lapsed but was not swept yet.
  await closeSupport(ctx, { agentId, onlyLapsed: true });
  const started = { id: createId(now), agentId, ...terms, since: now, endedAt: null };
  await ctx.db.query.insert(supporters).values(started);
  return started;
}
