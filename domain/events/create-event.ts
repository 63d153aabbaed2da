/** Creates an event. Only maintainers may. */
import type { EventKind } from '#db/schema/event-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { requireFuture } from '../require-future.ts';
import { checkEvent } from './check-event.ts';
import type { EventRow } from './event-rows.ts';
import { findHost } from './find-host.ts';

export interface CreateEventInput {
  readonly kind: EventKind;
  readonly title: string;
  readonly description: string;
  readonly presenter: string;
  /** Null: the maintainer who creates the event. */
  readonly hostHandle: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly seatsTotal: number;
  readonly tokenPrice: number;
}

/** @throws DomainError maintainer_only, unknown_agent, invalid_body */
export async function createEvent(ctx: AgentCtx, input: CreateEventInput): Promise<EventRow> {
  requireMaintainer(ctx);
  const now = ctx.clock.now();
  checkEvent(input);
  requireFuture('starts_at', input.startsAt, now);
  return withTransaction(ctx, async (inner) => {
    const host =
      input.hostHandle === null
        ? { agentId: ctx.agent.id, handle: ctx.agent.handle }
        : await findHost(inner, input.hostHandle);
    const event: EventRow = {
      id: createId(now),
      kind: input.kind,
      title: input.title,
      description: input.description,
      presenter: input.presenter,
      hostAgentId: host.agentId,
      hostHandle: host.handle,
      startsAt: input.startsAt,
      endsAt: input.endsAt,
      seatsTotal: input.seatsTotal,
      seatsTaken: 0,
      waitlistCount: 0,
      tokenPrice: input.tokenPrice,
      status: 'scheduled',
      calendarSequence: 0,
      changedAt: null,
      epoch: 0,
      createdAt: now,
    };
    await inner.db.query.insert(inner.db.tables.events).values(event);
    return event;
  });
}
