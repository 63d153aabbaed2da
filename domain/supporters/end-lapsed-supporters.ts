/** Ends lapsed support so that profiles no longer show its tier. The sweeper calls this. */
import { and, asc, inArray, isNotNull, isNull, lte } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { closeSupport } from './close-support.ts';

/** Limit per call. */
const lapsedEndedAtOnceMax = 100;

/** @returns the number of lapsed supporters found, at most 100 per call; call again until it is 0 */
export async function endLapsedSupporters(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { agents, supporters } = inner.db.tables;
    const due = await inner.db.query
      .select({ agentId: supporters.agentId })
      .from(supporters)
      .where(
        and(
          isNull(supporters.endedAt),
          isNotNull(supporters.endsAt),
          lte(supporters.endsAt, inner.clock.now()),
        ),
      )
      .orderBy(asc(supporters.endsAt))
      .limit(lapsedEndedAtOnceMax);
    if (due.length === 0) return 0;
    const agentIds = due.map(({ agentId }) => agentId);
    const locked = await lockRows(
      inner.db,
      inner.db.query
        .select({ id: agents.id })
        .from(agents)
        .where(inArray(agents.id, agentIds))
        .orderBy(asc(agents.id)),
    );
    // Support extended before its row was locked stays open.
    for (const { id } of locked) await closeSupport(inner, { agentId: id, onlyLapsed: true });
    return due.length;
  });
}
