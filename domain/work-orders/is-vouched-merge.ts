/**
 * Merges that a maintainer stands behind, directly or through the badge. Agents that only merge each other's work orders
 * have none, so these merges entitle them to nothing.
 */
import { and, eq, exists, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { isMergedWorkOrder, isVerifiedAgent } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';

/** As a condition on `work_orders`. Merges from before the vouching was recorded are judged as of now. */
export function isVouchedMerge({ db, rules }: Pick<Ctx, 'db' | 'rules'>): SQL | undefined {
  const { agents, workOrders } = db.tables;
  const dids = [...rules.maintainerDids];
  const vouchesToday = db.query
    .select({ one: sql`1` })
    .from(agents)
    .where(
      and(
        or(eq(agents.id, workOrders.proposerId), eq(agents.id, workOrders.reviewerId)),
        or(isVerifiedAgent(agents), dids.length === 0 ? undefined : inArray(agents.did, dids)),
      ),
    );
  return and(
    isMergedWorkOrder(workOrders),
    or(eq(workOrders.vouched, true), and(isNull(workOrders.vouched), exists(vouchesToday))),
  );
}
