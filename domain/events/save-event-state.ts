/**
 * Writes the changes of a batch of commands. The events come first: they fence off a superseded activation.
 */
import { inList } from '#db/in-list.ts';
import { fencedUpsertStatement, insertStatement } from '#db/insert-statement.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import { saveLedger } from '../tokens/save-ledger.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import type { WaitlistRow } from './event-rows.ts';
import { mailHosts } from './mail-hosts.ts';
import type { EventState } from './event-state.ts';

/** The fence: a row is written only if no newer activation has raised its epoch. */
const saveEvents = fencedUpsertStatement('events', {
  target: 'id',
  fence: 'epoch',
  update: [
    'title',
    'description',
    'presenter',
    'hostAgentId',
    'hostHandle',
    'startsAt',
    'endsAt',
    'seatsTotal',
    'seatsTaken',
    'waitlistCount',
    'tokenPrice',
    'status',
    'calendarSequence',
  ],
});
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
    saveEvents(ctx.db, state.events),
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

async function endWaits({ db }: TransactionCtx, waits: readonly WaitlistRow[]): Promise<void> {
  if (waits.length === 0) return;
  const { waitlistEntries } = db.tables;
  const ids = waits.map((wait) => wait.id);
  await db.query.delete(waitlistEntries).where(inList(db, waitlistEntries.id, ids));
}
