/** Takes events over for a new activation of their actor. */
import { sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import type { TransactionCtx } from '../context.ts';
import type { EventRow } from './event-rows.ts';

/**
 * Raises the epoch of each event, which waits for a transaction under way that writes the event, and makes every later
 * one with an earlier epoch fail. What is returned is what nobody else will change from now on.
 */
export async function claimEvents(
  ctx: TransactionCtx,
  eventIds: readonly string[],
): Promise<readonly EventRow[]> {
  const { events } = ctx.db.tables;
  return ctx.db.query
    .update(events)
    .set({ epoch: sql`${events.epoch} + 1` })
    .where(inList(ctx.db, events.id, eventIds))
    .returning();
}
