/** Claims events for a new activation of their actor. */
import { sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import type { TransactionCtx } from '../context.ts';
import type { EventRow } from './event-rows.ts';

/**
 * Raises the epoch of each event. This waits for a running transaction that writes the event, and makes every
 * later write with an earlier epoch fail: nobody else changes the returned rows from now on.
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
