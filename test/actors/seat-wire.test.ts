/** Commands and replies of the seat actor over JSON: they come back as they were, and what is no command is thrown out. */
import { expect, test } from 'bun:test';
import { answerOf, messagesOf, refusalOf } from '#actors/replies.ts';
import { readSeatCommand, readSeatReply } from '#actors/seat-wire.ts';
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { DomainError } from '#domain/errors.ts';

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 12, minute, 30, 7));
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const commands: SeatCommand[] = [
  { kind: 'reserve-seat', agentId: 'a', agentHandle: 'ada', key: 'k' },
  { kind: 'cancel-seat', agentId: 'a', key: null },
  { kind: 'cancel-seat', agentId: 'a', key: 'k' },
  { kind: 'join-waitlist', agentId: 'a' },
  { kind: 'cancel-event' },
  { kind: 'change-event', changes: {} },
  { kind: 'change-event', changes: { startsAt: at(1) } },
  {
    kind: 'change-event',
    changes: {
      title: 't',
      description: 'd',
      presenter: 'p',
      host: { agentId: 'a', handle: 'ada' },
      endsAt: at(2),
      seatsTotal: 3,
      tokenPrice: 4,
    },
  },
  { kind: 'confirm-meeting', seatId: 's', startsAt: at(3), place: 'here', agentId: 'a', isMaintainer: true },
];

test.each(commands.map((command) => [command.kind, command] as const))(
  'a command to %s comes as it went',
  (_, command) => {
    expect(readSeatCommand(overTheWire(command))).toEqual(command);
  },
);

test.each([
  ['nothing', null],
  ['a text', 'reserve-seat'],
  ['another kind', { kind: 'sell-seat', agentId: 'a' }],
  ['a field of another type', { kind: 'join-waitlist', agentId: 7 }],
  ['a missing field', { kind: 'reserve-seat', agentId: 'a', agentHandle: 'ada' }],
  ['half a seat', { kind: 'change-event', changes: { seatsTotal: 1.5 } }],
])('%s is no command', (_, value) => {
  expect(() => readSeatCommand(value)).toThrow('no command of the seat actor');
});

const seat: SeatRow = {
  id: 's',
  eventId: 'e',
  agentId: 'a',
  agentHandle: 'ada',
  status: 'cancelled',
  idempotencyKey: 'k',
  cancelledBy: 'c',
  pricePaid: 1,
  refunded: 1,
  reservedAt: at(1),
  cancelledAt: at(2),
  calendarToken: 't',
  calendarSequence: 2,
  meetingConfirmBy: at(3),
  meetingConfirmedAt: at(4),
  meetingStartsAt: at(5),
  meetingPlace: 'here',
};
const event = {
  id: 'e',
  startsAt: at(1),
  endsAt: at(2),
  createdAt: at(3),
  seatsTotal: 4,
} as EventRow; // The other fields are texts and numbers, which JSON leaves as they are.

test('the dates of a seat and of an event are dates again, and those that are not there are not', () => {
  const early: SeatRow = {
    ...seat,
    cancelledAt: null,
    meetingConfirmBy: null,
    meetingConfirmedAt: null,
    meetingStartsAt: null,
  };
  for (const one of [seat, early]) {
    const reply = { seat: one, refunded: 1, balance: 2 };
    expect(readSeatReply('cancel-seat', overTheWire(reply))).toEqual(reply);
  }
  expect(readSeatReply('change-event', overTheWire({ event }))).toEqual({ event });
  expect(readSeatReply('join-waitlist', overTheWire({ position: 3 }))).toEqual({ position: 3 });
});

test('a refusal goes over the wire with all that its caller may see, and a fault says that nothing was changed', () => {
  const refused = new DomainError('sold_out', 'No.', {
    hint: 'Wait.',
    fields: { left: 0 },
    cause: 'private',
  });
  const answer = overTheWire(answerOf(refused)) as ReturnType<typeof answerOf>;
  expect(answer).toEqual({
    refusal: { code: 'sold_out', message: 'No.', extras: { hint: 'Wait.', fields: { left: 0 } } },
  });
  if ('reply' in answer) throw new Error('A refusal is no reply.');
  expect(refusalOf(answer)).toMatchObject({ code: 'sold_out', message: 'No.', extras: { hint: 'Wait.' } });
  expect(refusalOf({ fault: true })).toMatchObject({ code: 'internal_error' });
  expect(answerOf({ position: 1 })).toEqual({ reply: { position: 1 } });
});

test('each process that asked gets one message, with its own answers in their order', () => {
  const to = (replyTo: string, id: string) => ({ replyTo, id, answer: { reply: id } });
  expect(messagesOf([to('one', 'a'), to('two', 'b'), to('one', 'c')])).toEqual([
    'hub:replies:one',
    JSON.stringify([
      ['a', { reply: 'a' }],
      ['c', { reply: 'c' }],
    ]),
    'hub:replies:two',
    JSON.stringify([['b', { reply: 'b' }]]),
  ]);
  expect(messagesOf([])).toEqual([]);
});
