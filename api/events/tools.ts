/** The tools and the resource of events and seats. */
import { Type, type Static } from 'typebox';
import { randomUUID } from 'node:crypto';
import type { ToolDeclaration } from '../mcp/tool.ts';
import type { Event } from './model.ts';
import { madeKeyStart } from './seats.ts';

export const eventResources = [
  {
    name: 'event',
    description: 'An event with its current seat counts.',
    uri: '/v1/events/{event_id}',
    mimeType: 'application/json',
    operation: 'getEvent',
    completions: {
      event_id: {
        operation: 'listEvents',
        options: (body: unknown) => {
          // The body of the endpoint above.
          const { events } = body as { readonly events: readonly Static<typeof Event>[] };
          return events.map(({ id, title }) => ({ value: id, words: title }));
        },
      },
    },
  },
];

export const eventTools: readonly ToolDeclaration[] = [
  {
    name: 'list_events',
    title: 'Find events',
    description: 'List events or your own seats (mine), or get an event.',
    operations: { getEvent: ['event_id'], listSeats: ['mine'], listEvents: [] },
    input: { mine: Type.Literal(true) },
  },
];

export const seatTools: readonly ToolDeclaration[] = [
  {
    name: 'book_seat',
    title: 'Book or cancel a seat',
    annotations: { destructiveHint: true },
    description: 'Reserve a seat at an event, paid in tokens; cancel yours; or join the waitlist.',
    operations: {
      cancelSeat: ['event_id', 'cancel'],
      joinWaitlist: ['event_id', 'waitlist'],
      reserveSeat: [],
    },
    optional: ['idempotency_key'],
    input: { cancel: Type.Literal(true), waitlist: Type.Literal(true) },
    run: ({ idempotency_key: given }, call) =>
      call({ idempotency_key: given ?? madeKeyStart + randomUUID() }),
  },
];
