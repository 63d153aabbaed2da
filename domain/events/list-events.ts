/** Lists upcoming events, soonest first, or past ones, latest first. */
import { and, asc, desc, gt, gte, lt, lte, or, type SQL } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { durationMaxMs } from './event-limits.ts';
import type { EventRow } from './event-rows.ts';

export interface ListEventsInput extends PageInput {
  /** An event that has started is upcoming until it ends. */
  readonly when: 'upcoming' | 'past';
}

/** @throws DomainError invalid_parameter for a bad cursor */
export async function listEvents(
  ctx: Ctx,
  { when, limit, cursor }: ListEventsInput,
): Promise<Page<EventRow>> {
  const { events } = ctx.db.tables;
  const now = ctx.clock.now();
  // The second condition follows from the first and the maximum duration; it lets the index seek.
  const inTime =
    when === 'upcoming'
      ? and(gt(events.endsAt, now), gt(events.startsAt, new Date(now.getTime() - durationMaxMs)))
      : and(lte(events.endsAt, now), lt(events.startsAt, now));
  const rows = await ctx.db.query
    .select()
    .from(events)
    .where(and(inTime, cursor === null ? undefined : after(ctx, when, cursor)))
    .orderBy(
      ...(when === 'upcoming'
        ? [asc(events.startsAt), asc(events.id)]
        : [desc(events.startsAt), desc(events.id)]),
    )
    .limit(limit + 1);
  return pageOf('events', rows, limit, (event) => [event.startsAt.getTime(), event.id]);
}

function after(ctx: Ctx, when: ListEventsInput['when'], cursor: string): SQL | undefined {
  const { events } = ctx.db.tables;
  const [startsAtMs, id] = decodeCursor('events', cursor, ['instant', 'id']);
  const startsAt = new Date(startsAtMs);
  return when === 'upcoming'
    ? and(gte(events.startsAt, startsAt), or(gt(events.startsAt, startsAt), gt(events.id, id)))
    : and(lte(events.startsAt, startsAt), or(lt(events.startsAt, startsAt), lt(events.id, id)));
}
