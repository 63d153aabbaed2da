/** Lists the maintainers, for operators who act as one of them from the command line. */
import { asc, inArray } from 'drizzle-orm';
import type { ActingAgent, Ctx } from '../context.ts';

/** Operators pick from this list by hand. */
const maintainersMax = 100;

/** Returns the agents whose `did` is listed in MAINTAINER_DIDS, sorted by handle. */
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
