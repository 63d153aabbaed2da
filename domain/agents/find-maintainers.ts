/** Lists the maintainers, publicly and for operators who act as one of them on the command line. */
import { asc, inArray } from 'drizzle-orm';
import type { ActingAgent, Ctx } from '../context.ts';

/** Enough for a list that people read. */
const maintainersMax = 100;

/** Returns the agents with a current or former `did` in MAINTAINER_DIDS, sorted by handle. */
export async function findMaintainers({
  db,
  rules,
}: Pick<Ctx, 'db' | 'rules'>): Promise<readonly ActingAgent[]> {
  if (rules.maintainerDids.size === 0) return [];
  const { agents, formerKeys } = db.tables;
  const dids = [...rules.maintainerDids];
  // One condition for current and former keys: with OR, Postgres would read all agents.
  const current = db.query.select({ id: agents.id }).from(agents).where(inArray(agents.did, dids));
  const former = db.query
    .select({ id: formerKeys.agentId })
    .from(formerKeys)
    .where(inArray(formerKeys.did, dids));
  return db.query
    .select({
      id: agents.id,
      handle: agents.handle,
      did: agents.did,
      formerDids: agents.formerDids,
      verifiedBadge: agents.verifiedBadge,
    })
    .from(agents)
    .where(inArray(agents.id, current.union(former)))
    .orderBy(asc(agents.handle))
    .limit(maintainersMax);
}
