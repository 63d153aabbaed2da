/** Ends what an agent has as a supporter: the open row and the tier that its profile shows. */
import { and, eq, isNull, lte } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';

export interface CloseSupportInput {
  readonly agentId: string;
  /** True: only if its agreed end has passed. */
  readonly onlyLapsed: boolean;
}

/** The agent's row must be locked, so that nobody begins or renews its support meanwhile. */
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
