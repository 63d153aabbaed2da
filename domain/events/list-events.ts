/** Lists upcoming events, soonest first, or past ones, latest first. */
import { and, asc, desc, eq, gt, gte, lt, lte, or, type Placeholder, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { longEventMs } from '#db/schema/index-conditions.ts';
import { isLongEventOf } from '#db/within-time.ts';
import { pipelined } from '#db/transaction.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { durationMaxMs } from './event-limits.ts';
import type { EventRow } from './event-rows.ts';

export interface ListEventsInput extends PageInput {
  /** An event that has started is upcoming until it ends. */
  readonly when: 'upcoming' | 'past';
  /** All by default. */
  readonly status?: EventRow['status'];
}

/** @throws DomainError invalid_parameter for a bad cursor */
export async function listEvents(
  ctx: Ctx,
  { when, status, limit, cursor }: ListEventsInput,
): Promise<Page<EventRow>> {
  const now = ctx.clock.now();
  const filters = {
    now,
    limit: limit + 1,
    ...(status === undefined ? {} : { status }),
    ...(cursor === null ? {} : placeOf(cursor)),
  };
  const rows = when === 'upcoming' ? await readUpcoming(ctx.db, filters) : await selectPast(ctx.db, filters);
  return pageOf('events', rows, limit, (event) => [event.startsAt.getTime(), event.id]);
}

/** Events as they were announced, newest first, also those that are over. */
export function listAnnounced(
  { db }: Ctx,
  { limit }: Pick<ListEventsInput, 'limit'>,
): Promise<readonly EventRow[]> {
  const { events } = db.tables;
  return db.query.select().from(events).orderBy(desc(events.id)).limit(limit);
}

/** The event after which a page starts. */
interface Place {
  readonly startsAt: Date;
  readonly id: string;
}

function placeOf(cursor: string): Place {
  const [startsAtMs, id] = decodeCursor('events', cursor, ['instant', 'id']);
  return { startsAt: new Date(startsAtMs), id };
}

interface Filters extends Partial<Place> {
  readonly now: Date;
  readonly limit: number;
  readonly status?: EventRow['status'];
}

/** Of the events that began more than a day ago, only long ones can still be upcoming; these have a small index. */
async function readUpcoming(db: Database, filters: Filters): Promise<EventRow[]> {
  const before = (ms: number): Date => new Date(filters.now.getTime() - ms);
  const dayAgo = before(longEventMs);
  const [earlier, later] = await pipelined(
    selectUpcoming(db, { ...filters, startedAfter: before(durationMaxMs), startedUntil: dayAgo }),
    selectUpcoming(db, { ...filters, startedAfter: dayAgo }),
  );
  return [...earlier, ...later].slice(0, filters.limit);
}

/** The bounds of the start follow from the end and the duration of an event; they let the index seek. */
interface UpcomingFilters extends Filters {
  readonly startedAfter: Date;
  /** If given, only long events that began by then. */
  readonly startedUntil?: Date;
}

const selectUpcoming = filteredStatement<UpcomingFilters, EventRow>(
  (db, { now, startedAfter, startedUntil, startsAt, id, status, limit }) => {
    const { events } = db.tables;
    const instant = (value: Placeholder) => sql.param(value, events.startsAt);
    const ofStatus = status && eq(events.status, status);
    const began = startedUntil && and(lte(events.startsAt, instant(startedUntil)), isLongEventOf(db));
    const after =
      startsAt &&
      id &&
      and(
        gte(events.startsAt, instant(startsAt)),
        or(gt(events.startsAt, instant(startsAt)), gt(events.id, id)),
      );
    return db.query
      .select()
      .from(events)
      .where(
        and(
          gt(events.endsAt, instant(now)),
          gt(events.startsAt, instant(startedAfter)),
          ofStatus,
          began,
          after,
        ),
      )
      .orderBy(asc(events.startsAt), asc(events.id))
      .limit(limit);
  },
);

const selectPast = filteredStatement<Filters, EventRow>(
  ({ query, tables: { events } }, { now, startsAt, id, status, limit }) => {
    const instant = (value: Placeholder) => sql.param(value, events.startsAt);
    const after =
      startsAt &&
      id &&
      and(
        lte(events.startsAt, instant(startsAt)),
        or(lt(events.startsAt, instant(startsAt)), lt(events.id, id)),
      );
    return query
      .select()
      .from(events)
      .where(
        and(
          lte(events.endsAt, instant(now)),
          lt(events.startsAt, instant(now)),
          status && eq(events.status, status),
          after,
        ),
      )
      .orderBy(desc(events.startsAt), desc(events.id))
      .limit(limit);
  },
);
