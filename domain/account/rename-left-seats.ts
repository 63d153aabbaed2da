/**
 * Renames seats that were reserved while their holder was closing its account: the command had already been sent, with
 * the handle. The sweeper calls this.
 */
import { and, eq, gt, isNotNull, ne } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { deletedHandle } from '../agents/retired-handles.ts';
import { type Ctx, withTransaction } from '../context.ts';

/** Longer than any command waits for its actor. */
const closedWithinMs = 60 * 60 * 1_000;
const accountsAtOnceMax = 100;

/** @returns the number of seats that were renamed */
export async function renameLeftSeats(ctx: Ctx): Promise<number> {
  const { agents, seats } = ctx.db.tables;
  const since = new Date(ctx.clock.now().getTime() - closedWithinMs);
  const closed = await ctx.db.query
    .selectDistinct({ id: agents.id })
    .from(agents)
    .innerJoin(seats, and(eq(seats.agentId, agents.id), ne(seats.agentHandle, deletedHandle)))
    .where(and(isNotNull(agents.closedAt), gt(agents.closedAt, since)))
    .limit(accountsAtOnceMax);
  if (closed.length === 0) return 0;
  const ids = closed.map(({ id }) => id);
  return withTransaction(ctx, async ({ db }) => {
    const renamed = await db.query
      .update(seats)
      .set({ agentHandle: deletedHandle })
      .where(and(inList(db, seats.agentId, ids), ne(seats.agentHandle, deletedHandle)))
      .returning({ id: seats.id });
    return renamed.length;
  });
}
