/**
 * Carries out batches of commands, one batch per event, each in order, in the caller's transaction: loads the rows that
 * they need, applies the rules in memory, and writes what has changed. The number of statements does not depend on the
 * number of commands.
 */
import { inList } from '#db/conditions.ts';
import { insertStatement } from '#db/prepared.ts';
import { pipelined } from '#db/transaction.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { saveLedger, saveLedgerAtCommit } from '../tokens/ledger-store.ts';
import type { EventRow, WaitlistRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';
import { loadEventState } from './load-event-state.ts';
import { mailHosts, mailsHosts } from './mail-hosts.ts';
import { moduleOf, type SeatCommand, type SeatReply } from './seat-commands.ts';

/** The id is the same for every delivery of a command. */
interface SeatMessage {
  readonly id: string;
  readonly command: SeatCommand;
}

/** The commands for one event. */
interface SeatBatch {
  /** As the activation last saw it. While the epoch is unchanged, nobody else changes the row. */
  readonly state: EventRow;
  readonly messages: readonly SeatMessage[];
}

interface SeatBatchOutcome {
  readonly state: EventRow;
  readonly replies: readonly (SeatReply | DomainError)[];
}

/**
 * @throws an error for which `isFenceLost` holds, now or at the commit, if the epoch of an event has changed
 */
export async function handleSeatCommands(
  ctx: TransactionCtx,
  batches: readonly SeatBatch[],
): Promise<readonly SeatBatchOutcome[]> {
  const loaded = await loadEventState(
    ctx,
    batches.map(({ state, messages }) => ({
      event: state,
      rows: messages.map(({ id, command }) => moduleOf(command.kind).opens(command, id)),
    })),
  );
  const replies = batches.map(({ state, messages }) =>
    messages.map((message) => tryCommand(loaded, state.id, message)),
  );
  loaded.notifyHosts();
  await saveEventState(ctx, loaded);
  return batches.map(({ state }, index) => ({
    state: { ...loaded.event(state.id) },
    replies: replies[index] ?? [],
  }));
}

function tryCommand(
  state: EventState,
  eventId: string,
  { id, command }: SeatMessage,
): SeatReply | DomainError {
  try {
    // The reply of this module.
    return moduleOf(command.kind).apply(state, state.event(eventId), command, id) as SeatReply;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

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
 * Writes the changes of a batch. The events come first: they fence off a superseded activation. All statements are
 * pipelined, and sent with the commit unless the batch ends waits or sends emails or notices. Both save
 * a round trip.
 * @throws an error for which `isFenceLost` holds, now or at the commit, if the epoch of an event has changed
 */
async function saveEventState(ctx: TransactionCtx, state: EventState): Promise<void> {
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
  await pipelined(
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
