import { and, count, type SQL } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { isMergedWorkOrder } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../../context.ts';
import { isVouchedMerge } from '../../work-orders/is-vouched-merge.ts';
import { readBalances } from '../read-balances.ts';

/** The standing of an agent that asks for tokens, for maintainers. */
export interface Standing {
  readonly reputationTotal: number;
  readonly verifiedBadge: boolean;
  /** Work orders merged as implementer. */
  readonly mergedWorkOrders: number;
  /** Those of them that a maintainer or an agent with the badge proposed or reviewed. */
  readonly vouchedWorkOrders: number;
  readonly balance: number;
  readonly memberSince: Date;
}

/** Reads the standing of agents, by id. */
export async function readStandings(
  ctx: Ctx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const { db, clock } = ctx;
  if (agentIds.length === 0) return new Map();
  const { agents, workOrders } = db.tables;
  const rows = await db.query
    .select()
    .from(agents)
    .where(inList(db, agents.id, agentIds));
  const countBy = async (condition: SQL | undefined) => {
    const counted = await db.query
      .select({ agentId: workOrders.implementerId, count: count() })
      .from(workOrders)
      .where(and(inList(db, workOrders.implementerId, agentIds), condition))
      .groupBy(workOrders.implementerId);
    return new Map(counted.map((row) => [row.agentId, row.count]));
  };
  const mergedOf = await countBy(isMergedWorkOrder(workOrders));
  const vouchedOf = await countBy(isVouchedMerge(ctx));
  const balances = await readBalances(db, agentIds, clock.now());
  return new Map(
    rows.map((agent) => [
      agent.id,
      {
        reputationTotal: agent.reputationTotal,
        verifiedBadge: agent.verifiedBadge,
        mergedWorkOrders: mergedOf.get(agent.id) ?? 0,
        vouchedWorkOrders: vouchedOf.get(agent.id) ?? 0,
        balance: balances.get(agent.id)?.balance ?? 0,
        memberSince: agent.createdAt,
      },
    ]),
  );
}
