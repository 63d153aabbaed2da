/** Loads the rows that a batch of commands needs: seats by holder and by key, waitlists, and the ledger. */
import { asc, isNotNull, type SQL, sql } from 'drizzle-orm';
import { inList, inRowList } from '#db/in-list.ts';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import { findSpends, openLedger } from '../tokens/open-ledger.ts';
import type { EventRow, SeatRow, WaitlistRow } from './event-rows.ts';
import { EventState } from './event-state.ts';
import { rowsOfSeatCommand, type SeatCommand } from './seat-commands.ts';

/** A command with the event it is for. */
export interface AddressedCommand {
  readonly event: EventRow;
  /** The same for every delivery of the command. */
  readonly commandId: string;
  readonly command: SeatCommand;
}

/**
 * Uses a fixed number of statements, and none for rows that no command needs. It locks the token accounts
 * before it looks up reservations by key, because an agent may use one key at two events at the same time.
 */
export async function loadEventState(
  ctx: TransactionCtx,
  events: readonly EventRow[],
  commands: readonly AddressedCommand[],
): Promise<EventState> {
  const wanted = collect(commands);
  if (!wanted.mayRefund) {
    const [seats, ledger, reserved, waitlists] = await together(
      findSeats(ctx, wanted),
      openLedger(ctx, { agentIds: [...wanted.agentIds] }),
      findByKey(ctx, wanted.keys),
      findWaitlists(ctx, wanted.waitlistEventIds),
    );
    return new EventState({ ledger, events, seats: [...seats, ...reserved], spends: [], waitlists });
  }
  const seats = await findSeats(ctx, wanted);
  const refundable = seats.filter((seat) => isRefundable(seat));
  const seatIds = refundable.map((seat) => seat.id);
  const spends = seatIds.length === 0 ? [] : await findSpends(ctx, seatIds);
  const agentIds = [...wanted.agentIds, ...refundable.map((seat) => seat.agentId)];
  const [ledger, reserved, waitlists] = await together(
    openLedger(ctx, { agentIds, spends }),
    findByKey(ctx, wanted.keys),
    findWaitlists(ctx, wanted.waitlistEventIds),
  );
  return new EventState({ ledger, events, seats: [...seats, ...reserved], spends, waitlists });
}

interface Wanted {
  readonly agentIds: Set<string>;
  /** Event and agent: the live seat. */
  readonly holders: string[][];
  /** Agent and idempotency key of a reservation. */
  readonly keys: string[][];
  /** Agent, `cancelled_by`, and event. */
  readonly cancellations: string[][];
  readonly seatIds: string[];
  /** Events whose live seats are all needed. */
  readonly wholeEventIds: Set<string>;
  readonly waitlistEventIds: Set<string>;
  mayRefund: boolean;
}

function collect(commands: readonly AddressedCommand[]): Wanted {
  const wanted: Wanted = {
    agentIds: new Set(),
    holders: [],
    keys: [],
    cancellations: [],
    seatIds: [],
    wholeEventIds: new Set(),
    waitlistEventIds: new Set(),
    mayRefund: false,
  };
  for (const { event, command, commandId } of commands) {
    const rows = rowsOfSeatCommand(command, commandId);
    const { account, seatHeldBy, reservation, cancellation, seatId } = rows;
    if (account !== undefined) wanted.agentIds.add(account);
    if (seatHeldBy !== undefined) wanted.holders.push([event.id, seatHeldBy]);
    if (reservation !== undefined) wanted.keys.push([reservation.agentId, reservation.key]);
    if (cancellation !== undefined) {
      wanted.cancellations.push([cancellation.agentId, cancellation.cancelledBy, event.id]);
    }
    if (seatId !== undefined) wanted.seatIds.push(seatId);
    if (rows.allSeats === true) wanted.wholeEventIds.add(event.id);
    // Any command may release a seat, or reserve one for an agent that waits.
    if (rows.waitlist === true || event.waitlistCount > 0) wanted.waitlistEventIds.add(event.id);
    if (rows.refunds === true) wanted.mayRefund = true;
  }
  return wanted;
}

/** Seats that no other event's actor can change meanwhile. */
async function findSeats(ctx: TransactionCtx, wanted: Wanted): Promise<SeatRow[]> {
  const { tables, query } = ctx.db;
  const { seats } = tables;
  const conditions: SQL[] = [];
  if (wanted.holders.length > 0) {
    conditions.push(
      inRowList(ctx.db, seats, [seats.eventId, seats.agentId], wanted.holders, isReservedSeat(seats)),
    );
  }
  if (wanted.cancellations.length > 0) {
    const columns = [seats.agentId, seats.cancelledBy, seats.eventId];
    conditions.push(inRowList(ctx.db, seats, columns, wanted.cancellations, isNotNull(seats.cancelledBy)));
  }
  const reserved = isReservedSeat(seats);
  if (wanted.wholeEventIds.size > 0) {
    conditions.push(sql`${inList(ctx.db, seats.eventId, [...wanted.wholeEventIds])} and ${reserved}`);
  }
  if (wanted.seatIds.length > 0) {
    conditions.push(sql`${inList(ctx.db, seats.id, wanted.seatIds)} and ${reserved}`);
  }
  const found = await together(...conditions.map((condition) => query.select().from(seats).where(condition)));
  return found.flat();
}

async function findByKey(ctx: TransactionCtx, keys: readonly string[][]): Promise<SeatRow[]> {
  if (keys.length === 0) return [];
  const { tables, query } = ctx.db;
  const { seats } = tables;
  const columns = [seats.agentId, seats.idempotencyKey];
  return query
    .select()
    .from(seats)
    .where(inRowList(ctx.db, seats, columns, keys, sql`true`));
}

async function findWaitlists(ctx: TransactionCtx, eventIds: ReadonlySet<string>): Promise<WaitlistRow[]> {
  if (eventIds.size === 0) return [];
  const { waitlistEntries } = ctx.db.tables;
  return ctx.db.query
    .select()
    .from(waitlistEntries)
    .where(inList(ctx.db, waitlistEntries.eventId, [...eventIds]))
    .orderBy(asc(waitlistEntries.id));
}

function isRefundable(seat: SeatRow): boolean {
  return seat.status === 'reserved' && seat.pricePaid > 0;
}
