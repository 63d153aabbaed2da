/**
 * Claims events for activations of their actors, and loads the rows that a batch of commands needs: seats by holder and
 * by key, waitlists, and the ledger.
 */
import { and, asc, count, gte, isNotNull, type SQL, sql } from 'drizzle-orm';
import { inList, inRowList, selectStatement } from '#db/conditions.ts';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import type { Database } from '#db/database.ts';
import { findAbsences } from '../agents/token-bearers.ts';
import { listParameter, prepareForTransactions } from '#db/prepared.ts';
import { pipelined } from '#db/transaction.ts';
import { leastIdAt } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { findSpends, openLedger } from '../tokens/ledger-store.ts';
import { startOfDay } from './event-limits.ts';
import type { EventRow, SeatRow } from './event-rows.ts';
import { EventState } from './event-state.ts';
import type { SeatCommandRows } from './commands/seat-command.ts';

/**
 * Raises the epoch of each event. This waits for running transactions that write the events, and makes every
 * later write with an earlier epoch fail: nobody else changes the events from now on.
 *
 * @returns the new epochs, by the ids of the events that exist
 */
export async function claimEvents(
  ctx: TransactionCtx,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { events } = ctx.db.tables;
  const claimed = await ctx.db.query
    .update(events)
    .set({ epoch: sql`${events.epoch} + 1` })
    .where(inList(ctx.db, events.id, eventIds))
    .returning({ id: events.id, epoch: events.epoch });
  return new Map(claimed.map(({ id, epoch }) => [id, epoch]));
}

/** @returns the events whose epochs are still these */
export async function findClaimedEvents(
  ctx: TransactionCtx,
  epochs: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, EventRow>> {
  const { events } = ctx.db.tables;
  const found = await ctx.db.query
    .select()
    .from(events)
    .where(inList(ctx.db, events.id, [...epochs.keys()]));
  return new Map(found.filter(({ id, epoch }) => epochs.get(id) === epoch).map((event) => [event.id, event]));
}

/** The rows that the commands for one event need. */
interface WantedRows {
  readonly event: EventRow;
  /** Of each command. */
  readonly rows: readonly SeatCommandRows[];
}

/**
 * Uses a fixed number of statements, and none for rows that no command needs. It locks the token accounts
 * before it looks up reservations by key, because an agent may use one key at two events at the same time.
 */
export async function loadEventState(
  ctx: TransactionCtx,
  batches: readonly WantedRows[],
): Promise<EventState> {
  const wanted = collect(batches);
  const events = batches.map(({ event }) => event);
  const finding = findSeats(ctx, wanted);
  const refundable = wanted.mayRefund ? (await finding).filter((seat) => isRefundable(seat)) : [];
  const seatIds = refundable.map((seat) => seat.id);
  const spends = seatIds.length === 0 ? [] : await findSpends(ctx, seatIds);
  const agentIds = [...wanted.agentIds, ...refundable.map((seat) => seat.agentId)];
  const [found, ledger, absences, reserved, waitlists, reservations] = await pipelined(
    finding,
    openLedger(ctx, { agentIds, spends }),
    findAbsences(ctx.db, [...wanted.absenceIds]),
    findSeatsByKey(ctx.db, wanted.keys),
    findWaitlists(ctx.db, [...wanted.waitlistEventIds]),
    countReservations(ctx, wanted.keys),
  );
  const seats = [...found, ...reserved];
  return new EventState({ ledger, absences, events, seats, spends, waitlists, reservations });
}

interface Wanted {
  readonly agentIds: Set<string>;
  readonly absenceIds: Set<string>;
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

function collect(batches: readonly WantedRows[]): Wanted {
  const wanted: Wanted = {
    agentIds: new Set(),
    absenceIds: new Set(),
    holders: [],
    keys: [],
    cancellations: [],
    seatIds: [],
    wholeEventIds: new Set(),
    waitlistEventIds: new Set(),
    mayRefund: false,
  };
  const each = batches.flatMap(({ event, rows }) => rows.map((of) => ({ event, rows: of })));
  for (const { event, rows } of each) {
    const { account, suspension, seatHeldBy, reservation, cancellation, seatId } = rows;
    if (account !== undefined) wanted.agentIds.add(account);
    if (suspension !== undefined) wanted.absenceIds.add(suspension);
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

const findSeatsOfHolders = selectStatement((db, list) => {
  const { seats } = db.tables;
  const holder = [seats.eventId, seats.agentId];
  return selectSeats(db, inRowList(db, seats, holder, list, isReservedSeat(seats)));
});
const findCancelledSeats = selectStatement((db, list) => {
  const { seats } = db.tables;
  const columns = [seats.agentId, seats.cancelledBy, seats.eventId];
  return selectSeats(db, inRowList(db, seats, columns, list, isNotNull(seats.cancelledBy)));
});
const findSeatsOfEvents = selectStatement((db, list) => {
  const { seats } = db.tables;
  return selectSeats(db, sql`${inList(db, seats.eventId, list)} and ${isReservedSeat(seats)}`);
});
const findReservedSeats = selectStatement((db, list) => {
  const { seats } = db.tables;
  return selectSeats(db, sql`${inList(db, seats.id, list)} and ${isReservedSeat(seats)}`);
});
const findSeatsByKey = selectStatement((db, list) => {
  const { seats } = db.tables;
  return selectSeats(db, inRowList(db, seats, [seats.agentId, seats.idempotencyKey], list, sql`true`));
});
const selectReservationsSince = prepareForTransactions((db) => {
  const { seats } = db.tables;
  return db.query
    .select({ agentId: seats.agentId, reservations: count() })
    .from(seats)
    .where(and(inList(db, seats.agentId, sql.placeholder('list')), gte(seats.id, sql.placeholder('since'))))
    .groupBy(seats.agentId)
    .prepare('reservations_since');
});
const findWaitlists = selectStatement((db, list) => {
  const { waitlistEntries } = db.tables;
  return db.query
    .select()
    .from(waitlistEntries)
    .where(inList(db, waitlistEntries.eventId, list))
    .orderBy(asc(waitlistEntries.id));
});

function selectSeats({ query, tables }: Database, condition: SQL) {
  return query.select().from(tables.seats).where(condition);
}

/** Counts the reservations of the agents since the day began; null where an agent may store as much as it likes. */
async function countReservations(
  { db, clock, rules }: TransactionCtx,
  keys: readonly (readonly string[])[],
): Promise<ReadonlyMap<string, number> | null> {
  if (keys.length === 0 || rules.storage.agentMbPerDay === 0) return null;
  const list = listParameter([...new Set(keys.flatMap(([agentId = '']) => agentId))]);
  const since = leastIdAt(startOfDay(clock.now()));
  const counts = await selectReservationsSince(db).execute({ list, since });
  return new Map(counts.map(({ agentId, reservations }) => [agentId, reservations]));
}

/** Seats that the actors of other events cannot change meanwhile. */
async function findSeats({ db }: TransactionCtx, wanted: Wanted): Promise<SeatRow[]> {
  const found = await pipelined(
    findSeatsOfHolders(db, wanted.holders),
    findCancelledSeats(db, wanted.cancellations),
    findSeatsOfEvents(db, [...wanted.wholeEventIds]),
    findReservedSeats(db, wanted.seatIds),
  );
  return found.flat();
}

function isRefundable(seat: SeatRow): boolean {
  return seat.status === 'reserved' && seat.pricePaid > 0;
}
