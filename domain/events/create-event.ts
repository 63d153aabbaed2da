/** Creates an event. Only maintainers may. */
import { createId } from '#runtime/create-id.ts';
import { requireAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { requireFuture } from '../require-future.ts';
import { checkEvent } from './event-refusals.ts';
import type { EventRow } from './event-rows.ts';

export interface CreateEventInput extends Pick<
  EventRow,
  'kind' | 'title' | 'description' | 'presenter' | 'startsAt' | 'endsAt' | 'seatsTotal' | 'tokenPrice'
> {
  /** Null: the maintainer who creates the event. */
  readonly hostHandle: string | null;
}

/** @throws DomainError maintainer_only, unknown_agent, invalid_body */
export async function createEvent(
  ctx: AgentCtx,
  { hostHandle, ...given }: CreateEventInput,
): Promise<EventRow> {
  requireMaintainer(ctx);
  const now = ctx.clock.now();
  checkEvent(given);
  requireFuture('starts_at', given.startsAt, now);
  return withTransaction(ctx, async (inner) => {
    const host =
      hostHandle === null
        ? { agentId: ctx.agent.id, handle: ctx.agent.handle }
        : await findHost(inner, hostHandle);
    const event: EventRow = {
      ...given,
      id: createId(now),
      hostAgentId: host.agentId,
      hostHandle: host.handle,
      seatsTaken: 0,
      waitlistCount: 0,
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

/** Finds the agent who hosts an event. @throws DomainError unknown_agent */
export async function findHost(ctx: Ctx, handle: string): Promise<{ agentId: string; handle: string }> {
  const { id: agentId } = await requireAgent(ctx.db, handle, 'host_handle');
  return { agentId, handle };
}
