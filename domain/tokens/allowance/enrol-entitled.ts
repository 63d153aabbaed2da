import { and, eq, exists, isNotNull, not } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { isVerifiedAgent } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../../context.ts';
import { isVouchedMerge } from '../../work-orders/is-vouched-merge.ts';

export interface EnrolEntitledInput {
  /** Only this agent; null for all. */
  readonly agentId: string | null;
  readonly limit: number;
}

/**
 * Starts the allowance of agents that have just earned the badge, or a merge that somebody vouched for.
 * @returns their number; their first period begins now
 */
export async function enrolEntitled(ctx: Ctx, { agentId, limit }: EnrolEntitledInput): Promise<number> {
  const { agents, allowances, workOrders } = ctx.db.tables;
  const isNew = (column: PgColumn) =>
    and(
      not(
        exists(
          ctx.db.query
            .select({ id: allowances.agentId })
            .from(allowances)
            .where(eq(allowances.agentId, column)),
        ),
      ),
      agentId === null ? undefined : eq(column, agentId),
    );
  const verified = await ctx.db.query
    .select({ id: agents.id })
    .from(agents)
    .where(and(isVerifiedAgent(agents), isNew(agents.id)))
    .limit(limit);
  const merged = await ctx.db.query
    .selectDistinct({ id: workOrders.implementerId })
    .from(workOrders)
    .where(and(isVouchedMerge(ctx), isNotNull(workOrders.implementerId), isNew(workOrders.implementerId)))
    .limit(limit);
  const ids = new Set([...verified, ...merged].flatMap(({ id }) => (id === null ? [] : [id])));
  if (ids.size === 0) return 0;
  const nextAt = ctx.clock.now();
  await withTransaction(ctx, ({ db }) =>
    db.query
      .insert(allowances)
      .values(
        [...ids]
          .toSorted((one, other) => (one < other ? -1 : 1))
          .map((id) => ({ agentId: id, lastPeriod: 0, nextAt })),
      )
      .onConflictDoNothing(),
  );
  return ids.size;
}
