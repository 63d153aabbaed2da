import type { EventRow } from '#domain/events/event-rows.ts';
import { createId } from '#runtime/create-id.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export function eventRow(hostAgentId: string, seatsTotal: number, now: Date): EventRow {
  const startsAt = new Date(now.getTime() + 30 * dayMs);
  return {
    id: createId(now),
    kind: 'workshop',
    title: 'A hot event',
    description: 'Everybody wants a seat.',
    presenter: 'Ada',
    hostAgentId,
    hostHandle: 'host',
    startsAt,
    endsAt: new Date(startsAt.getTime() + dayMs),
    seatsTotal,
    seatsTaken: 0,
    waitlistCount: 0,
    tokenPrice: 1,
    status: 'scheduled',
    calendarSequence: 0,
    epoch: 0,
    createdAt: now,
    changedAt: null,
  };
}
