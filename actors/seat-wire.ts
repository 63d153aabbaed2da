/** Commands and replies of the seat actor as JSON: what comes over Redis gets its dates back. */
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import type { SeatCommand, SeatReplies } from '#domain/events/seat-commands.ts';

const text = Type.String();
const whole = Type.Integer();
const optional = Type.Optional;

const WireCommand = Type.Union([
  Type.Object({ kind: Type.Literal('reserve-seat'), agentId: text, agentHandle: text, key: text }),
  Type.Object({
    kind: Type.Literal('cancel-seat'),
    agentId: text,
    key: Type.Union([text, Type.Null()]),
  }),
  Type.Object({ kind: Type.Literal('join-waitlist'), agentId: text }),
  Type.Object({
    kind: Type.Literal('change-event'),
    changes: Type.Object({
      title: optional(text),
      description: optional(text),
      presenter: optional(text),
      host: optional(Type.Object({ agentId: text, handle: text })),
      startsAt: optional(text),
      endsAt: optional(text),
      seatsTotal: optional(whole),
      tokenPrice: optional(whole),
    }),
  }),
  Type.Object({ kind: Type.Literal('cancel-event') }),
  Type.Object({
    kind: Type.Literal('confirm-meeting'),
    seatId: text,
    startsAt: text,
    place: text,
    agentId: text,
    isMaintainer: Type.Boolean(),
  }),
]);

const wireCommand = Compile(WireCommand);

/** @throws TypeError when it is no command */
export function readSeatCommand(value: unknown): SeatCommand {
  if (!wireCommand.Check(value)) throw new TypeError('This is no command of the seat actor.');
  return withDates(value);
}

function withDates(command: Static<typeof WireCommand>): SeatCommand {
  switch (command.kind) {
    case 'reserve-seat':
    case 'cancel-seat':
    case 'join-waitlist':
    case 'cancel-event':
      return command;
    case 'confirm-meeting':
      return { ...command, startsAt: new Date(command.startsAt) };
    case 'change-event': {
      const { startsAt, endsAt, ...changes } = command.changes;
      return {
        kind: command.kind,
        changes: {
          ...changes,
          ...(startsAt === undefined ? {} : { startsAt: new Date(startsAt) }),
          ...(endsAt === undefined ? {} : { endsAt: new Date(endsAt) }),
        },
      };
    }
  }
}

/** A reply to a command of kind `Kind`, as the actor gave it. */
export function readSeatReply<Kind extends SeatCommand['kind']>(
  _kind: Kind,
  value: unknown,
): SeatReplies[Kind] {
  // Replies are written by the actor's own code, and answer the command they come back for.
  const reply = value as { seat?: OnWire<SeatRow>; event?: OnWire<EventRow> };
  return {
    ...reply,
    ...(reply.seat === undefined ? {} : { seat: seatWithDates(reply.seat) }),
    ...(reply.event === undefined ? {} : { event: eventWithDates(reply.event) }),
  } as SeatReplies[Kind];
}

/** Dates are ISO 8601 texts on the wire. */
type OnWire<Row> = {
  [Column in keyof Row]: Row[Column] extends Date
    ? string
    : Row[Column] extends Date | null
      ? string | null
      : Row[Column];
};

function seatWithDates(seat: OnWire<SeatRow>): SeatRow {
  return {
    ...seat,
    reservedAt: new Date(seat.reservedAt),
    cancelledAt: dateOrNull(seat.cancelledAt),
    meetingConfirmBy: dateOrNull(seat.meetingConfirmBy),
    meetingConfirmedAt: dateOrNull(seat.meetingConfirmedAt),
    meetingStartsAt: dateOrNull(seat.meetingStartsAt),
  };
}

function eventWithDates(event: OnWire<EventRow>): EventRow {
  return {
    ...event,
    startsAt: new Date(event.startsAt),
    endsAt: new Date(event.endsAt),
    createdAt: new Date(event.createdAt),
  };
}

function dateOrNull(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
