/**
 * Handles the commands that have come in for some events, each event's in their order, in the caller's transaction and
 * with a number of statements that does not depend on how many there are.
 */
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { cancelEvent } from './commands/cancel-event.ts';
import { cancelSeat } from './commands/cancel-seat.ts';
import { changeEvent } from './commands/change-event.ts';
import { confirmMeeting } from './commands/confirm-meeting.ts';
import { joinWaitlist } from './commands/join-waitlist.ts';
import { reserveSeat } from './commands/reserve-seat.ts';
import type { EventRow } from './event-rows.ts';
import { type AddressedCommand, openSeatBooks } from './open-seat-books.ts';
import { saveSeatBooks } from './save-seat-books.ts';
import type { SeatBooks } from './seat-books.ts';
import type { SeatCommand, SeatReply } from './seat-commands.ts';

/** The commands for one event. */
export interface EventCommands {
  /** As the activation that asks knows it; nobody else changes the row while its epoch is this one. */
  readonly event: EventRow;
  /** Each with the id that names it, should it come twice. */
  readonly commands: readonly { readonly id: string; readonly command: SeatCommand }[];
}

export interface EventCommandsResult {
  readonly event: EventRow;
  readonly replies: readonly (SeatReply | DomainError)[];
}

/** @returns null in place of an event that has another epoch by now; the caller has to roll back then */
export async function handleSeatCommands(
  ctx: TransactionCtx,
  work: readonly EventCommands[],
): Promise<readonly (EventCommandsResult | null)[]> {
  const addressed = work.map(({ event, commands }) =>
    commands.map(({ id, command }): AddressedCommand => ({ event, commandId: id, command })),
  );
  const books = await openSeatBooks(
    ctx,
    work.map(({ event }) => event),
    addressed.flat(),
  );
  const replies = addressed.map((commands) => commands.map((command) => tryCommand(books, command)));
  const saved = await saveSeatBooks(ctx, books);
  return work.map(({ event }, index) =>
    saved.has(event.id) ? { event: { ...books.event(event.id) }, replies: replies[index] ?? [] } : null,
  );
}

function tryCommand(books: SeatBooks, addressed: AddressedCommand): SeatReply | DomainError {
  try {
    return applyCommand(books, addressed);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function applyCommand(books: SeatBooks, { event, commandId, command }: AddressedCommand): SeatReply {
  const open = books.event(event.id);
  switch (command.kind) {
    case 'reserve-seat':
      return reserveSeat(books, open, command);
    case 'cancel-seat':
      return cancelSeat(books, open, command, commandId);
    case 'join-waitlist':
      return joinWaitlist(books, open, command);
    case 'change-event':
      return changeEvent(books, open, command);
    case 'cancel-event':
      return cancelEvent(books, open);
    case 'confirm-meeting':
      return confirmMeeting(books, open, command);
  }
}
