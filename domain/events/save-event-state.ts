/**
 * Writes the changes of a batch of commands. The events come first: they fence off a superseded activation.
 */
import { sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import { saveLedger } from '../tokens/save-ledger.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import type { EventRow, WaitlistRow } from './event-rows.ts';
import { mailHosts } from './mail-hosts.ts';
import type { EventState } from './event-state.ts';

/** In the order of their changes: a cancelled seat is written before the agent's next one is inserted. */
const saveSeats = insertStatement('seats', {
  target: 'id',
  update: [
    'status',
    'cancelledBy',
    'refunded',
    'cancelledAt',
    'calendarSequence',
    'meetingConfirmedAt',
    'meetingStartsAt',
    'meetingPlace',
  ],
});
const saveWaits = insertStatement('waitlistEntries', { target: 'id', update: ['toldAt'] });

/**
 * All statements are sent at once, which saves a round trip: those of a superseded activation are rolled back
 * with the rest.
 * @returns the ids of the events whose epoch is unchanged; if one is missing, the caller must roll back
 */
export async function saveEventState(ctx: TransactionCtx, state: EventState): Promise<ReadonlySet<string>> {
  const waits = [...state.changedWaits].filter((wait) => !state.endedWaits.has(wait));
  const [events, rest] = await Promise.allSettled([
    saveEvents(ctx, state.events),
    together(
      saveLedger(ctx, state.ledger),
      saveSeats(ctx.db, [...state.changedSeats]),
      saveWaits(ctx.db, waits),
      endWaits(ctx, [...state.endedWaits]),
      mailHosts(ctx, state),
    ),
  ]);
  if (events.status === 'rejected') throw events.reason;
  // In a superseded activation, errors of the other statements do not matter, because its seats are outdated.
  if (events.value.size < state.events.length) return events.value;
  if (rest.status === 'rejected') throw rest.reason;
  await notifyAgents(ctx, state.notices);
  return events.value;
}

/** The fence: a row is written only if no newer activation has raised its epoch. */
async function saveEvents(ctx: TransactionCtx, rows: readonly EventRow[]): Promise<ReadonlySet<string>> {
  const { events } = ctx.db.tables;
  const saved = await ctx.db.query
    .insert(events)
    .values([...rows])
    .onConflictDoUpdate({
      target: events.id,
      set: {
        title: sql`excluded.title`,
        description: sql`excluded.description`,
        presenter: sql`excluded.presenter`,
        hostAgentId: sql`excluded.host_agent_id`,
        hostHandle: sql`excluded.host_handle`,
        startsAt: sql`excluded.starts_at`,
        endsAt: sql`excluded.ends_at`,
        seatsTotal: sql`excluded.seats_total`,
        seatsTaken: sql`excluded.seats_taken`,
        waitlistCount: sql`excluded.waitlist_count`,
        tokenPrice: sql`excluded.token_price`,
        status: sql`excluded.status`,
        calendarSequence: sql`excluded.calendar_sequence`,
      },
      setWhere: sql`${events.epoch} = excluded.epoch`,
    })
    .returning({ id: events.id });
  return new Set(saved.map(({ id }) => id));
}

async function endWaits({ db }: TransactionCtx, waits: readonly WaitlistRow[]): Promise<void> {
  if (waits.length === 0) return;
  const { waitlistEntries } = db.tables;
  const ids = waits.map((wait) => wait.id);
  await db.query.delete(waitlistEntries).where(inList(db, waitlistEntries.id, ids));
}
