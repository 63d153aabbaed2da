/** Claims events for activations of their actors, and reads claimed events. */
import { sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import type { TransactionCtx } from '../context.ts';
import type { EventRow } from './event-rows.ts';

/**
 * Raises the epoch of each event. This waits for running transactions that write the events, and makes every
 * later write with an earlier epoch fail: nobody else changes the events from now on.
 *
 * @returns the new epochs, by the ids of the events that exist
 */
export async function claimEvents(
  ctx: TransactionCtx,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { events } = ctx.db.tables;
  const claimed = await ctx.db.query
    .update(events)
    .set({ epoch: sql`${events.epoch} + 1` })
    .where(inList(ctx.db, events.id, eventIds))
    .returning({ id: events.id, epoch: events.epoch });
  return new Map(claimed.map(({ id, epoch }) => [id, epoch]));
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
