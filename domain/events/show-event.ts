/** One event, as everyone sees it. */
import { eq } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { eventNotFound } from './event-refusals.ts';
import type { EventRow } from './event-rows.ts';

/** @throws DomainError event_not_found */
export async function showEvent(ctx: Ctx, input: { readonly eventId: string }): Promise<EventRow> {
  const { events } = ctx.db.tables;
  const [event] = await ctx.db.query.select().from(events).where(eq(events.id, input.eventId));
  if (event === undefined) throw eventNotFound();
  return event;
}
