/**
 * Writes the changes of a batch of commands. The events come first: they fence off a superseded activation.
 */
import { inList } from '#db/in-list.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import { saveLedger, saveLedgerAtCommit } from '../tokens/ledger-store.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import type { WaitlistRow } from './event-rows.ts';
import { mailHosts, mailsHosts } from './mail-hosts.ts';
import type { EventState } from './event-state.ts';

/** The fence: a row is written only if no newer activation has raised its epoch. */
const saveEvents = insertStatement('events', {
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
    'changedAt',
  ],
});
const insertSeats = insertStatement('seats');
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
 * All statements are sent at once, and with the commit unless the batch ends waits or sends emails or notices. Both save
 * a round trip.
 * @throws an error for which `isFenceLost` holds, now or at the commit, if the epoch of an event has changed
 */
export async function saveEventState(ctx: TransactionCtx, state: EventState): Promise<void> {
  const waits = [...state.changedWaits].filter((wait) => !state.endedWaits.has(wait));
  const ended = [...state.endedWaits];
  const seats = [...state.changedSeats];
  const newSeats = [...state.newSeats];
  if (ended.length === 0 && state.notices.length === 0 && !mailsHosts(ctx, state)) {
    saveEvents.atCommit(ctx.db, state.events);
    saveLedgerAtCommit(ctx, state.ledger);
    // A cancelled seat is written before the agent's next one.
    saveSeats.atCommit(ctx.db, seats);
    insertSeats.atCommit(ctx.db, newSeats);
    saveWaits.atCommit(ctx.db, waits);
    return;
  }
  // Only the first error counts: in a superseded activation, the others do not matter, because its seats are outdated.
  await together(
    saveEvents(ctx.db, state.events),
    saveLedger(ctx, state.ledger),
    // As above, the cancelled seats come first.
    saveSeats(ctx.db, seats),
    insertSeats(ctx.db, newSeats),
    saveWaits(ctx.db, waits),
    endWaits(ctx, ended),
    mailHosts(ctx, state),
  );
  await notifyAgents(ctx, state.notices);
}

async function endWaits({ db }: TransactionCtx, waits: readonly WaitlistRow[]): Promise<void> {
  if (waits.length === 0) return;
  const { waitlistEntries } = db.tables;
  const ids = waits.map((wait) => wait.id);
  await db.query.delete(waitlistEntries).where(inList(db, waitlistEntries.id, ids));
}
