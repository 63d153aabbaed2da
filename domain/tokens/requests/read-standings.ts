import { and, count } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { isMergedWorkOrder } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../../context.ts';
import { readBalances } from '../read-balances.ts';

/** The standing of an agent that asks for tokens, for maintainers. */
export interface Standing {
  readonly reputationTotal: number;
  readonly verifiedBadge: boolean;
  /** Work orders merged as implementer. */
  readonly mergedWorkOrders: number;
  readonly balance: number;
  readonly memberSince: Date;
}

/** Reads the standing of agents, by id. */
export async function readStandings(
  { db, clock }: Ctx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  if (agentIds.length === 0) return new Map();
  const { agents, workOrders } = db.tables;
  const rows = await db.query
    .select()
    .from(agents)
    .where(inList(db, agents.id, agentIds));
  const merged = await db.query
    .select({ agentId: workOrders.implementerId, count: count() })
    .from(workOrders)
    .where(and(inList(db, workOrders.implementerId, agentIds), isMergedWorkOrder(workOrders)))
    .groupBy(workOrders.implementerId);
  const mergedOf = new Map(merged.map((row) => [row.agentId, row.count]));
  const balances = await readBalances(db, agentIds, clock.now());
  return new Map(
    rows.map((agent) => [
      agent.id,
      {
        reputationTotal: agent.reputationTotal,
        verifiedBadge: agent.verifiedBadge,
        mergedWorkOrders: mergedOf.get(agent.id) ?? 0,
        balance: balances.get(agent.id)?.balance ?? 0,
        memberSince: agent.createdAt,
      },
    ]),
  );
}
