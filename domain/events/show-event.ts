/** One event, as everyone sees it. */
import { eq, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import type { Ctx } from '../context.ts';
import { eventNotFound } from './event-refusals.ts';
import type { EventRow } from './event-rows.ts';

/** @throws DomainError event_not_found */
export async function showEvent(ctx: Ctx, input: { readonly eventId: string }): Promise<EventRow> {
  const [event] = await selectEvent(ctx.db).execute({ id: input.eventId });
  if (event === undefined) throw eventNotFound();
  return event;
}

const selectEvent = prepareOnce(({ query, tables: { events } }) =>
  query
    .select()
    .from(events)
    .where(eq(events.id, sql.placeholder('id')))
    .prepare('show_event'),
);
