/** `hub events`: lists events; maintainers create and cancel them. */
import { showEvent as shown } from '#api/events/model.ts';
import { Option } from 'commander';
import { type EventKind, eventKinds } from '#db/schema/event-tables.ts';
import { createEvent } from '#domain/events/create-event.ts';
import {
  descriptionLengthMax,
  presenterLengthMax,
  seatsTotalMax,
  titleLengthMax,
  tokenPriceMax,
} from '#domain/events/event-limits.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { listEvents } from '#domain/events/list-events.ts';
import { showEvent } from '#domain/events/show-event.ts';
import {
  argument,
  block,
  exampleId,
  instant,
  line as oneLine,
  required,
  rowId,
  wholeNumber,
} from '../arguments.ts';
import { commandTable, maintainerCommand, operatorCommand, operatorListing } from '../operator-command.ts';
import { fieldLines } from '../output.ts';

const args = [argument('<id>', 'Id of the event', rowId)];

interface GivenEvent {
  readonly kind: EventKind;
  readonly title: string;
  readonly description: string;
  readonly presenter: string;
  readonly host?: string;
  readonly starts: Date;
  readonly ends: Date;
  readonly seats: number;
  readonly price: number;
}

const createExample = `--title "Reading scorecards" --description "Bring one of yours." --presenter "Ada" \\
    --starts 2027-01-31T14:00:00Z --ends 2027-01-31T15:00:00Z --seats 12 --price 2`;

export const addCommands = commandTable('events', 'List, create and cancel events', [
  operatorListing({
    about: 'List upcoming events, soonest first, or past ones',
    options: [
      new Option('--when <when>', 'Upcoming or past events')
        .choices(['upcoming', 'past'])
        .default('upcoming'),
    ],
    examples: ['--when past'],
    key: 'events',
    read: (ctx, page, { when }: { when: 'upcoming' | 'past' }) => listEvents(ctx, { ...page, when }),
    shown,
    columns: {
      id: ({ id }) => id,
      starts: ({ startsAt }) => startsAt,
      status: ({ status }) => status,
      kind: ({ kind }) => kind,
      seats: ({ seatsTaken, seatsTotal }) => `${seatsTaken} of ${seatsTotal}`,
      price: ({ tokenPrice }) => tokenPrice,
      title: ({ title }) => title,
    },
  }),
  operatorCommand({
    name: 'show',
    about: 'Show an event',
    args,
    examples: [exampleId],
    run: async (ctx, { id: eventId }: { id: string }) => printed(await showEvent(ctx, { eventId })),
  }),
  maintainerCommand({
    name: 'create',
    about: 'Create an event',
    options: [
      new Option('--kind <kind>', 'Kind of event; office hours have one seat')
        .choices(eventKinds)
        .default('workshop'),
      required('--title <text>', 'Title, one line', oneLine(titleLengthMax)),
      required('--description <text>', 'What the event is about', block(descriptionLengthMax)),
      required('--presenter <name>', 'Name of the speaker', oneLine(presenterLengthMax)),
      new Option('--host <handle>', 'Agent that hosts it (default: the acting maintainer)'),
      required('--starts <time>', 'Start time, in the future', instant),
      required('--ends <time>', 'End time', instant),
      required('--seats <number>', 'Number of seats', wholeNumber(1, seatsTotalMax)),
      required('--price <tokens>', 'Price of a seat', wholeNumber(0, tokenPriceMax)),
    ],
    examples: [createExample],
    run: async (ctx, { kind, title, description, presenter, ...given }: GivenEvent) =>
      printed(
        await createEvent(ctx, {
          kind,
          title,
          description,
          presenter,
          hostHandle: given.host ?? null,
          startsAt: given.starts,
          endsAt: given.ends,
          seatsTotal: given.seats,
          tokenPrice: given.price,
        }),
      ),
  }),
  maintainerCommand({
    name: 'cancel',
    about: 'Cancel an event and refund every seat in full; needs a running hub with a seats worker',
    args,
    examples: [`${exampleId} --yes`],
    consequence: async (ctx, { id: eventId }: { id: string }) => {
      const { title, seatsTaken } = await showEvent(ctx, { eventId });
      return `\`${title}\` will be cancelled and all seats (${seatsTaken}) refunded. This cannot be undone.`;
    },
    run: async (_ctx, { id }: { id: string }, operator) => {
      const { cancelEvent } = await import('../operator/with-actors.ts');
      return printed(await cancelEvent(operator, id));
    },
  }),
]);

function printed(event: EventRow): readonly [object, readonly string[]] {
  const fields = fieldLines({
    id: event.id,
    title: event.title,
    kind: event.kind,
    status: event.status,
    starts: event.startsAt,
    ends: event.endsAt,
    presenter: event.presenter,
    host: event.hostHandle,
    seats: `${event.seatsTaken} of ${event.seatsTotal} taken, ${event.waitlistCount} waiting`,
    price: event.tokenPrice,
  });
  return [{ event: shown(event) }, [...fields, '', event.description]];
}
