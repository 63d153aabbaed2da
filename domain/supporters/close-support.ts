/** Ends an agent's support: closes its open row and clears the tier on its profile. */
import { and, eq, isNull, lte } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';

export interface CloseSupportInput {
  readonly agentId: string;
  /** If true, only support whose agreed end has passed is closed. */
  readonly onlyLapsed: boolean;
}

/**
 * The caller must hold the lock on the agent's row, so that nobody starts or renews its support meanwhile.
 */
export async function closeSupport(
  ctx: TransactionCtx,
  { agentId, onlyLapsed }: CloseSupportInput,
): Promise<void> {
  const { agents, supporters } = ctx.db.tables;
  const now = ctx.clock.now();
  const closed = await ctx.db.query
    .update(supporters)
    .set({ endedAt: now })
    .where(
      and(
        eq(supporters.agentId, agentId),
        isNull(supporters.endedAt),
        onlyLapsed ? lte(supporters.endsAt, now) : undefined,
      ),
    )
    .returning({ id: supporters.id });
  if (closed.length === 0) return;
  await ctx.db.query.update(agents).set({ sponsorTier: 'none' }).where(eq(agents.id, agentId));
}
