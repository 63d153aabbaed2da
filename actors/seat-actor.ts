/** The seat actor: one for each event, it alone gives out and takes back seats and changes the event. */
import { eventNotFound } from '#domain/events/event-refusals.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatCommand, SeatReply } from '#domain/events/seat-commands.ts';
import { takeOverEvents } from '#domain/events/take-over-events.ts';
import type { ActorType } from './actor-type.ts';
import { readSeatCommand } from './seat-wire.ts';

export const seatActor: ActorType<SeatCommand, SeatReply, EventRow> = {
  name: 'seat',
  parseCommand: readSeatCommand,
  refuseUnknown: eventNotFound,
  load: async (ctx, eventIds) => {
    const events = await takeOverEvents(ctx, eventIds);
    return new Map(events.map((event) => [event.id, event]));
  },
  handle: async (ctx, batches) => {
    const results = await handleSeatCommands(
      ctx,
      batches.map(({ state, letters }) => ({ event: state, commands: letters })),
    );
    return results.map((result) => result && { state: result.event, replies: result.replies });
  },
};
