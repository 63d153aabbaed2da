/** Finds the future seats and waitlist entries of agents that are suspended or have closed their account. */
import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import { isSuspendedAt } from '../agents/token-bearers.ts';
import type { Ctx } from '../context.ts';

export interface SeatToGiveBack {
  readonly eventId: string;
  readonly agentId: string;
}

/** How many are released at a time. */
const foundMax = 100;

/** @param agentId null for all agents */
export async function findSeatsToGiveBack(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  agentId: string | null,
): Promise<readonly SeatToGiveBack[]> {
  const { agents, events, seats, waitlistEntries } = db.tables;
  const now = clock.now();
  const isAbsent: SQL = sql`(${agents.closedAt} is not null or ${isSuspendedAt(agents, now)})`;
  const ofAgent = agentId === null ? undefined : eq(agents.id, agentId);
  const ahead = gt(events.startsAt, now);
  const seated = await db.query
    .select({ eventId: seats.eventId, agentId: seats.agentId })
    .from(agents)
    .innerJoin(seats, eq(seats.agentId, agents.id))
    .innerJoin(events, eq(events.id, seats.eventId))
    .where(and(isAbsent, ofAgent, isReservedSeat(seats), ahead))
    .limit(foundMax);
  const waiting = await db.query
    .select({ eventId: waitlistEntries.eventId, agentId: waitlistEntries.agentId })
    .from(agents)
    .innerJoin(waitlistEntries, eq(waitlistEntries.agentId, agents.id))
    .innerJoin(events, eq(events.id, waitlistEntries.eventId))
    .where(and(isAbsent, ofAgent, ahead))
    .limit(foundMax);
  return [...seated, ...waiting];
}
