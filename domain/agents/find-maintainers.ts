/** Who of the agents may act as a maintainer, for operators who decide on the database itself. */
import { asc, inArray } from 'drizzle-orm';
import type { ActingAgent, Ctx } from '../context.ts';

/** Operators choose among them by hand. */
const maintainersMax = 100;

/** The agents whose `did` the operator has listed in MAINTAINER_DIDS, by handle. */
export async function findMaintainers({ db, rules }: Ctx): Promise<readonly ActingAgent[]> {
  if (rules.maintainerDids.size === 0) return [];
  const { agents } = db.tables;
  return db.query
    .select({
      id: agents.id,
      handle: agents.handle,
      did: agents.did,
      verifiedBadge: agents.verifiedBadge,
    })
    .from(agents)
    .where(inArray(agents.did, [...rules.maintainerDids]))
    .orderBy(asc(agents.handle))
    .limit(maintainersMax);
}
