/** `hub events`: lists events; maintainers create and cancel them. */
import { type Command, Option } from 'commander';
import type { EventKind } from '#db/schema/event-tables.ts';
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
  block,
  confirm,
  instant,
  limitOption,
  line as oneLine,
  rowId,
  wholeNumber,
  yesOption,
} from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';
import { fieldLines, moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addEventsCommands: CommandGroup = (program, line) => {
  const events = program.command('events').description('List, create and cancel events');
  addList(events, line);
  addShow(events, line);
  addCreate(events, line);
  addCancel(events, line);
};

function addList(events: Command, line: CommandLine): void {
  events
    .command('list')
    .description('List upcoming events, soonest first, or past ones')
    .addOption(
      new Option('--when <when>', 'Upcoming or past events')
        .choices(['upcoming', 'past'])
        .default('upcoming'),
    )
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  hub events list --when past')
    .action(({ when, limit }: { when: 'upcoming' | 'past'; limit: number }) =>
      withOperator(async ({ ctx }) => {
        const { items, more } = await readPages(limit, (page) => listEvents(ctx, { ...page, when }));
        line.output().result({ events: items.map(shown), more }, [
          ...tableLines(
            ['id', 'starts', 'status', 'kind', 'seats', 'price', 'title'],
            items.map((event) => [
              event.id,
              event.startsAt,
              event.status,
              event.kind,
              `${event.seatsTaken} of ${event.seatsTotal}`,
              event.tokenPrice,
              event.title,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addShow(events: Command, line: CommandLine): void {
  events
    .command('show')
    .argument('<id>', 'Id of the event', rowId)
    .description('Show an event')
    .addHelpText('after', '\nExample:\n  hub events show 01900000-0000-7000-8000-000000000000')
    .action((eventId: string) =>
      withOperator(async ({ ctx }) => {
        const event = await showEvent(ctx, { eventId });
        line.output().result({ event: shown(event) }, linesOf(event));
      }),
    );
}

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
  readonly as?: string;
}

const createExample = `
Example:
  hub events create --title "Reading scorecards" --description "Bring one of yours." --presenter "Ada" \\
    --starts 2027-01-31T14:00:00Z --ends 2027-01-31T15:00:00Z --seats 12 --price 2`;

function addCreate(events: Command, line: CommandLine): void {
  events
    .command('create')
    .description('Create an event')
    .addOption(
      new Option('--kind <kind>', 'Kind of event; office hours have one seat')
        .choices(['workshop', 'office_hours'] satisfies EventKind[])
        .default('workshop'),
    )
    .requiredOption('--title <text>', 'Title, one line', oneLine(titleLengthMax))
    .requiredOption('--description <text>', 'What the event is about', block(descriptionLengthMax))
    .requiredOption('--presenter <name>', 'Name of the speaker', oneLine(presenterLengthMax))
    .option('--host <handle>', 'Agent that hosts it (default: the acting maintainer)')
    .requiredOption('--starts <time>', 'Start time, in the future', instant)
    .requiredOption('--ends <time>', 'End time', instant)
    .requiredOption('--seats <number>', 'Number of seats', wholeNumber(1, seatsTotalMax))
    .requiredOption('--price <tokens>', 'Price of a seat', wholeNumber(0, tokenPriceMax))
    .option(...actAsOption)
    .addHelpText('after', createExample)
    .action((given: GivenEvent) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        const { kind, title, description, presenter } = given;
        const event = await createEvent(acting, {
          kind,
          title,
          description,
          presenter,
          hostHandle: given.host ?? null,
          startsAt: given.starts,
          endsAt: given.ends,
          seatsTotal: given.seats,
          tokenPrice: given.price,
        });
        line.output().result({ event: shown(event) }, linesOf(event));
      }),
    );
}

function addCancel(events: Command, line: CommandLine): void {
  events
    .command('cancel')
    .argument('<id>', 'Id of the event', rowId)
    .description('Cancel an event and refund every seat in full; needs a running hub with a seats worker')
    .option(...actAsOption)
    .option(...yesOption)
    .addHelpText('after', '\nExample:\n  hub events cancel 01900000-0000-7000-8000-000000000000 --yes')
    .action((eventId: string, given: { as?: string; yes: boolean }) =>
      withOperator(async (operator) => {
        await actAs(operator.ctx, given.as ?? null);
        const { title, seatsTaken } = await showEvent(operator.ctx, { eventId });
        await confirm(
          `\`${title}\` will be cancelled and all seats (${seatsTaken}) refunded. This cannot be undone.`,
          given.yes,
        );
        const { cancelEvent } = await import('../operator/with-actors.ts');
        const event = await cancelEvent(operator, eventId);
        line.output().result({ event: shown(event) }, linesOf(event));
      }),
    );
}

function shown(event: EventRow): Record<string, unknown> {
  return {
    ...pickFields(event, [
      'id',
      'kind',
      'title',
      'description',
      'presenter',
      'hostHandle',
      'startsAt',
      'endsAt',
    ]),
    ...pickFields(event, ['seatsTotal', 'seatsTaken']),
    seats_available: event.seatsTotal - event.seatsTaken,
    ...pickFields(event, ['waitlistCount', 'tokenPrice', 'status', 'createdAt']),
  };
}

function linesOf(event: EventRow): readonly string[] {
  return [
    ...fieldLines({
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
    }),
    '',
    event.description,
  ];
}
