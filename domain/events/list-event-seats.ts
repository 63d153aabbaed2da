/** The seats of an event for its host, oldest first. */
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { isReservedSeat, isUnconfirmedSeat } from '#db/schema/index-conditions.ts';
import { isMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx } from '../context.ts';
import { type Page, pageById, type PageInput } from '../paging.ts';
import type { SeatRow } from './event-rows.ts';
import { notHost } from './event-refusals.ts';
import { showEvent } from './show-event.ts';

export interface ListEventSeatsInput extends PageInput {
  readonly eventId: string;
  /** Only reserved seats whose meeting is unconfirmed past its deadline. */
  readonly overdue: boolean;
  /** Only reserved seats. */
  readonly reserved?: true;
}

/** @throws DomainError event_not_found, not_allowed, invalid_parameter for a bad cursor */
export async function listEventSeats(ctx: AgentCtx, input: ListEventSeatsInput): Promise<Page<SeatRow>> {
  const event = await showEvent(ctx, input);
  if (event.hostAgentId !== ctx.agent.id && !isMaintainer(ctx)) {
    throw notHost();
  }
  const { seats } = ctx.db.tables;
  const isOverdue = and(isUnconfirmedSeat(seats), lte(seats.meetingConfirmBy, ctx.clock.now()));
  return pageById('event-seats', input, (after, count) =>
    ctx.db.query
      .select()
      .from(seats)
      .where(
        and(
          eq(seats.eventId, event.id),
          input.overdue ? isOverdue : undefined,
          input.reserved === true ? isReservedSeat(seats) : undefined,
          after === undefined ? undefined : gt(seats.id, after),
        ),
      )
      .orderBy(asc(seats.id))
      .limit(count),
  );
}
