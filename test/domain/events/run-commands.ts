/** Runs seat commands in tests, and reads the rows they leave. */
import { expect } from 'bun:test';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatCommand, SeatReplies, SeatReply } from '#domain/events/seat-commands.ts';
import { claimTestEvents } from '#test/harness/events.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';

let names = 0;

/** Has a new activation handle the commands in one batch, while others may change the same rows. */
export function handleInRace(ctx: Ctx, eventId: string, ...commands: readonly SeatCommand[]) {
  return withTransaction(ctx, async (tx) => {
    const [event] = await claimTestEvents(tx, [eventId]);
    const named = commands.map((command) => ({ id: `command ${(names += 1)}`, command }));
    return (await handleSeatCommands(tx, [{ state: event!, messages: named }]))[0]!;
  });
}

/**
 * Has a new activation handle the commands in one batch. Every reply must equal what is stored afterwards.
 */
export async function handle(
  ctx: Ctx,
  eventId: string,
  ...commands: readonly SeatCommand[]
): Promise<readonly (SeatReply | DomainError)[]> {
  const result = await handleInRace(ctx, eventId, ...commands);
  expect(await eventOf(ctx, eventId)).toEqual(result.state);
  const answered = new Map<string, SeatRow>();
  for (const reply of result.replies) if ('seat' in reply) answered.set(reply.seat.id, reply.seat);
  for (const [id, seat] of answered) {
    // A later command of the batch may have cancelled the seat; otherwise the rows are equal.
    const row = await rowOf(ctx, 'seats', { id });
    if (row.status === seat.status) expect(row).toEqual(seat);
  }
  return result.replies;
}

/** The reply to a command that must succeed. */
export async function carryOut<Command extends SeatCommand>(
  ctx: Ctx,
  eventId: string,
  command: Command,
): Promise<SeatReplies[Command['kind']]> {
  const [reply] = await handle(ctx, eventId, command);
  if (reply instanceof Error) throw reply;
  return reply as SeatReplies[Command['kind']]; // The reply to this command.
}

/** The refusal of a command, which must have changed nothing. */
export async function refusalOf(ctx: Ctx, eventId: string, command: SeatCommand): Promise<DomainError> {
  const before = await everythingOf(ctx, eventId);
  const [reply] = await handle(ctx, eventId, command);
  if (!(reply instanceof DomainError)) throw new Error(`No refusal: ${JSON.stringify(reply)}`);
  expect(await everythingOf(ctx, eventId)).toEqual(before);
  return reply;
}

export async function codeOf(ctx: Ctx, eventId: string, command: SeatCommand): Promise<string> {
  return (await refusalOf(ctx, eventId, command)).code;
}

async function everythingOf(ctx: Ctx, eventId: string) {
  return {
    event: { ...(await eventOf(ctx, eventId)), epoch: 0 },
    seats: await seatsOf(ctx, eventId),
    waits: await waitsOf(ctx, eventId),
    entries: (await rowsOf(ctx, 'tokenEntries')).length,
    deliveries: (await rowsOf(ctx, 'webhookDeliveries')).length,
  };
}

export function eventOf(ctx: Ctx, eventId: string): Promise<EventRow> {
  return rowOf(ctx, 'events', { id: eventId });
}

/** In the order of reservation. */
export function seatsOf(ctx: Ctx, eventId: string): Promise<SeatRow[]> {
  return rowsOf(ctx, 'seats', { eventId });
}

/** In order. */
export async function waitsOf(ctx: Ctx, eventId: string) {
  const rows = await rowsOf(ctx, 'waitlistEntries', { eventId });
  return rows.map(({ agentId, joinedAt, toldAt }) => ({ agentId, joinedAt, toldAt }));
}

export function reserve(
  { id, handle: agentHandle }: Pick<TestAgent, 'id' | 'handle'>,
  key = 'key',
): SeatCommand & { kind: 'reserve-seat' } {
  return { kind: 'reserve-seat', agentId: id, agentHandle, key };
}

export function cancel({ id }: TestAgent, key: string | null = null): SeatCommand & { kind: 'cancel-seat' } {
  return { kind: 'cancel-seat', agentId: id, key };
}

export function wait({ id }: TestAgent): SeatCommand & { kind: 'join-waitlist' } {
  return { kind: 'join-waitlist', agentId: id };
}

export const end = { kind: 'cancel-event' } as const;
