/** What becomes of the seats and events of an agent that closes its account. */
import { and, eq, gt, isNotNull, ne, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { closedHandle } from '../agents/retired-handles.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';

/** They stay for the agents that have seats there, with nothing that the host wrote but the title. */
export async function leaveEvents({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { events, seats } = db.tables;
  await db.query
    .update(seats)
    // The key was the agent's choice, and stays unique.
    .set({ agentHandle: closedHandle, idempotencyKey: sql`cast(${seats.id} as text)` })
    .where(eq(seats.agentId, agentId));
  await db.query
    .update(events)
    .set({
      hostHandle: closedHandle,
      presenter: closedHandle,
      description: '',
      // A running actor keeps the event in memory. Raising the epoch makes it read the row again.
      epoch: sql`${events.epoch} + 1`,
    })
    .where(eq(events.hostAgentId, agentId));
}

/** Longer than any command waits for its actor. */
const closedWithinMs = 60 * 60 * 1_000;
const accountsAtOnceMax = 100;

/**
 * Renames seats that were reserved while their holder was closing its account: the command had already been sent, with
 * the handle. The sweeper calls this.
 * @returns the number of seats that were renamed
 */
export async function renameLeftSeats(ctx: Ctx): Promise<number> {
  const { agents, seats } = ctx.db.tables;
  const since = new Date(ctx.clock.now().getTime() - closedWithinMs);
  const closed = await ctx.db.query
    .selectDistinct({ id: agents.id })
    .from(agents)
    .innerJoin(seats, and(eq(seats.agentId, agents.id), ne(seats.agentHandle, closedHandle)))
    .where(and(isNotNull(agents.closedAt), gt(agents.closedAt, since)))
    .limit(accountsAtOnceMax);
  if (closed.length === 0) return 0;
  const ids = closed.map(({ id }) => id);
  return withTransaction(ctx, async ({ db }) => {
    const renamed = await db.query
      .update(seats)
      .set({ agentHandle: closedHandle })
      .where(and(inList(db, seats.agentId, ids), ne(seats.agentHandle, closedHandle)))
      .returning({ id: seats.id });
    return renamed.length;
  });
}
