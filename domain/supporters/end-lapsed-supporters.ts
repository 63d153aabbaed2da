/** The sweeper's part of support: ends what has lapsed, so that the profile no longer shows its tier. */
import { and, asc, inArray, isNotNull, isNull, lte } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { closeSupport } from './close-support.ts';

/** How many lapsed supporters one round of the sweeper ends. */
const lapsedEndedAtOnceMax = 100;

/** @returns how many had lapsed, at most 100 a call; call again until it is 0 */
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
    // One whose end was put off before its row was locked stays.
    for (const { id } of locked) await closeSupport(inner, { agentId: id, onlyLapsed: true });
    return due.length;
  });
}
