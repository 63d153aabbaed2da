/** Claims events for activations of their actors, and reads claimed events. */
import { eq, sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import type { TransactionCtx } from '../context.ts';
import type { EventRow } from './event-rows.ts';

/**
 * Raises the epoch of the event. This waits for a running transaction that writes the event, and makes every later
 * write with an earlier epoch fail: only this claim can change the event from now on.
 *
 * @returns the new epoch; undefined if there is no such event
 */
export async function claimEvent(ctx: TransactionCtx, eventId: string): Promise<number | undefined> {
  const { events } = ctx.db.tables;
  const [claimed] = await ctx.db.query
    .update(events)
    .set({ epoch: sql`${events.epoch} + 1` })
    .where(eq(events.id, eventId))
    .returning({ epoch: events.epoch });
  return claimed?.epoch;
}

/** @returns the events whose epochs are still these */
export async function findClaimedEvents(
  ctx: TransactionCtx,
  epochs: ReadonlyMap<string, number>,
): Promise<readonly EventRow[]> {
  const { events } = ctx.db.tables;
  const found = await ctx.db.query
    .select()
    .from(events)
    .where(inList(ctx.db, events.id, [...epochs.keys()]));
  return found.filter(({ id, epoch }) => epochs.get(id) === epoch);
}
