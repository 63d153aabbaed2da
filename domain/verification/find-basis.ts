/** On what grounds an agent may ask to be verified (interface.md, Behaviour notes 2). */
import { and, eq } from 'drizzle-orm';
import { isMergedWorkOrder } from '#db/schema/index-conditions.ts';
import type { VerificationBasis } from '#db/schema/standing-tables.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { findActiveSupport } from '../supporters/find-support.ts';
import { mergedWorkOrdersMin } from './verification-limits.ts';

/** The first of the grounds that holds, or null. Merged work orders count for their implementer. */
export async function findBasis(ctx: Ctx, agent: AgentRow): Promise<VerificationBasis | null> {
  if ((await findActiveSupport(ctx.db, agent.id, ctx.clock.now())) !== null) return 'supporter';
  const { workOrders } = ctx.db.tables;
  const merged = await ctx.db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(and(eq(workOrders.implementerId, agent.id), isMergedWorkOrder(workOrders)))
    .limit(mergedWorkOrdersMin);
  if (merged.length === mergedWorkOrdersMin) return 'merged_work_orders';
  return agent.reputationTotal >= ctx.rules.verificationReputation ? 'reputation' : null;
}
