/** The seat actor, one for each event. Only it reserves and releases seats, and changes the event. */
import { eventNotFound } from '#domain/events/event-refusals.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import { claimEvents, findClaimedEvents } from '#domain/events/load-event-state.ts';
import {
  readSeatCommand,
  readSeatReply,
  seatCommandTimeoutMs,
  type SeatProtocol,
} from '#domain/events/seat-commands.ts';
import type { ActorType } from './actor-type.ts';

export const seatActor: ActorType<SeatProtocol, EventRow> = {
  name: 'seat',
  readCommand: readSeatCommand,
  readReply: readSeatReply,
  timeoutMsOf: seatCommandTimeoutMs,
  refuseUnknown: eventNotFound,
  claim: claimEvents,
  load: findClaimedEvents,
  handle: handleSeatCommands,
};
