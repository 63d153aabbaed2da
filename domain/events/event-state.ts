/**
 * The events of a batch with their seats and waitlists, as one unit of work: `load-event-state.ts` reads
 * them, the commands change them in memory, and `handle-seat-commands.ts` writes them in a fixed number of
 * statements. Tokens move in the ledger loaded with them.
 */
import { createId } from '#runtime/create-id.ts';
import { type Absence, refusalOfAbsence } from '../agents/token-bearers.ts';
import { invariant } from '../errors.ts';
import type { Ledger, LedgerEntry } from '../tokens/ledger.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { confirmWithinMs, toldAgainAfterMs } from './event-limits.ts';
import { lacksHost } from './event-refusals.ts';
import type { EventRow, SeatRow, WaitlistRow } from './event-rows.ts';

const calendarTokenBytes = 18;

interface SeatRelease {
  /** With grace if a maintainer ended the reservation. */
  readonly refund: 'none' | 'plain' | 'with grace';
  readonly cancelledBy: string | null;
  readonly reason: string;
  /** The holder cancelled, and needs no notice of it. */
  readonly isOwn?: boolean;
}

/** A row that may be changed. */
type Open<Row> = { -readonly [Column in keyof Row]: Row[Column] };
export type EventDraft = Open<EventRow>;

export interface LoadedRows {
  readonly ledger: Ledger;
  /** Of the agents that the commands name: those that are or were suspended, or have closed their account. */
  readonly absences: readonly Absence[];
  readonly events: readonly EventRow[];
  /** The live seats that the commands may change, and seats that they name by key. */
  readonly seats: readonly SeatRow[];
  /** The spends of seats that may be refunded. */
  readonly spends: readonly LedgerEntry[];
  /** The complete waitlists of events, in order; none for events where no command needs it. */
  readonly waitlists: readonly WaitlistRow[];
  /** How many seats each agent that reserves one has reserved today; null where that is not limited. */
  readonly reservations: ReadonlyMap<string, number> | null;
}

export class EventState {
  readonly ledger: Ledger;
  readonly now: Date;
  readonly newSeats = new Set<SeatRow>();
  /** Without the new ones. */
  readonly changedSeats = new Set<SeatRow>();
  readonly changedWaits = new Set<WaitlistRow>();
  readonly endedWaits = new Set<WaitlistRow>();
  /** Notifications to send after saving. */
  readonly notices: Notice[] = [];
  readonly #events: ReadonlyMap<string, EventDraft>;
  readonly #seats = new Map<string, Open<SeatRow>>();
  readonly #live = new Map<string, Open<SeatRow>>();
  readonly #byKey = new Map<string, Open<SeatRow>>();
  readonly #byCancel = new Map<string, Open<SeatRow>>();
  readonly #absences: ReadonlyMap<string, Absence>;
  readonly #spends: Map<string | null, LedgerEntry>;
  readonly #waits: Open<WaitlistRow>[];
  readonly #reservations: Map<string, number> | null;

  constructor({ ledger, absences, events, seats, spends, waitlists, reservations }: LoadedRows) {
    this.ledger = ledger;
    this.now = ledger.now;
    this.#absences = new Map(absences.map((agent) => [agent.id, agent]));
    // Copies: the caller keeps the original rows in case the transaction rolls back.
    this.#events = new Map(events.map((event) => [event.id, { ...event }]));
    for (const seat of seats) this.#index({ ...seat });
    this.#spends = new Map(spends.map((spend) => [spend.reference, spend]));
    this.#waits = waitlists.map((wait) => ({ ...wait }));
    this.#reservations = reservations === null ? null : new Map(reservations);
  }

  get events(): readonly EventRow[] {
    return [...this.#events.values()];
  }

  event(id: string): EventDraft {
    const event = this.#events.get(id);
    invariant(event !== undefined, `Event ${id} is loaded.`);
    return event;
  }

  seat(id: string): SeatRow | null {
    return this.#seats.get(id) ?? null;
  }

  liveSeat(eventId: string, agentId: string): SeatRow | null {
    return this.#live.get(`${eventId} ${agentId}`) ?? null;
  }

  liveSeats(eventId: string): SeatRow[] {
    return [...this.#live.values()].filter((seat) => seat.eventId === eventId);
  }

  /** The seat that the agent reserved under this key, at any event. */
  seatOfKey(agentId: string, key: string): SeatRow | null {
    return this.#byKey.get(`${agentId} ${key}`) ?? null;
  }

  /** The agent's seat at the event that this command cancelled. */
  seatCancelledBy(eventId: string, agentId: string, cancelledBy: string): SeatRow | null {
    return this.#byCancel.get(`${eventId} ${agentId} ${cancelledBy}`) ?? null;
  }

  /** How many seats the agent has reserved today, as far as that is limited. */
  reservations(agentId: string): number {
    return this.#reservations?.get(agentId) ?? 0;
  }

  balance(agentId: string): number {
    return this.ledger.account(agentId).balance;
  }

  /** @throws DomainError agent_suspended; invalid_token if its account was closed */
  requirePresent(agentId: string): void {
    const refusal = refusalOfAbsence(this.#absences.get(agentId), this.now);
    if (refusal !== null) throw refusal;
  }

  /**
   * Charges the agent and gives it a seat. @throws DomainError insufficient_tokens, having changed nothing
   */
  reserve(event: EventDraft, agent: { id: string; handle: string }, idempotencyKey: string): SeatRow {
    const id = createId(this.now);
    if (event.tokenPrice > 0) {
      const move = { agentId: agent.id, amount: event.tokenPrice, reason: 'Event seat', reference: id };
      this.#spends.set(id, this.ledger.spend(move));
    }
    const isMeeting = event.kind === 'office_hours';
    const seat: SeatRow = {
      id,
      eventId: event.id,
      agentId: agent.id,
      agentHandle: agent.handle,
      status: 'reserved',
      idempotencyKey,
      cancelledBy: null,
      pricePaid: event.tokenPrice,
      refunded: 0,
      reservedAt: this.now,
      cancelledAt: null,
      calendarToken: newCalendarToken(),
      calendarSequence: 0,
      meetingConfirmBy: isMeeting ? new Date(this.now.getTime() + confirmWithinMs) : null,
      meetingConfirmedAt: null,
      meetingStartsAt: null,
      meetingPlace: null,
    };
    this.#index(seat);
    this.newSeats.add(seat);
    this.#reservations?.set(agent.id, this.reservations(agent.id) + 1);
    event.seatsTaken += 1;
    invariant(event.seatsTaken <= event.seatsTotal, `Event ${event.id} is not oversold.`);
    return seat;
  }

  /** Cancels a reservation, with or without a refund. */
  release(seat: SeatRow, how: SeatRelease): SeatRow {
    const open = this.#open(seat);
    invariant(open.status === 'reserved', `Seat ${seat.id} is cancelled only once.`);
    if (how.refund !== 'none' && open.pricePaid > 0) {
      const spend = this.#spends.get(open.id);
      invariant(spend !== undefined, `The spend for seat ${open.id} is loaded.`);
      this.ledger.refund({ spend, reason: how.reason, hasGrace: how.refund === 'with grace' });
      open.refunded = open.pricePaid;
    }
    open.status = 'cancelled';
    open.cancelledAt = this.now;
    open.cancelledBy = how.cancelledBy;
    this.#indexCancel(open);
    open.calendarSequence += 1;
    this.#live.delete(`${open.eventId} ${open.agentId}`);
    const event = this.event(open.eventId);
    event.seatsTaken -= 1;
    invariant(event.seatsTaken >= 0, `Event ${event.id} does not release more seats than were taken.`);
    if (how.isOwn === true) return open;
    this.notices.push({
      agentId: open.agentId,
      kind: 'seat.cancelled',
      data: {
        seat_id: open.id,
        event_id: event.id,
        refunded: open.refunded,
        reason: how.cancelledBy === null ? 'event_cancelled' : 'seat_cancelled',
      },
    });
    return open;
  }

  /** Lets another cancellation have the key of this one. */
  forgetCancellation(seat: SeatRow): void {
    const { eventId, agentId, cancelledBy } = seat;
    this.#byCancel.delete(`${eventId} ${agentId} ${cancelledBy}`);
    this.#open(seat).cancelledBy = null;
  }

  confirmMeeting(seat: SeatRow, startsAt: Date, place: string, by: string): SeatRow {
    const open = this.#open(seat);
    const isSame = open.meetingStartsAt?.getTime() === startsAt.getTime() && open.meetingPlace === place;
    open.meetingConfirmedAt = this.now;
    open.meetingStartsAt = startsAt;
    open.meetingPlace = place;
    open.calendarSequence += 1;
    if (open.agentId !== by && !isSame) {
      const data = { seat_id: open.id, event_id: open.eventId, starts_at: startsAt.toISOString() };
      this.notices.push({ agentId: open.agentId, kind: 'meeting.confirmed', data });
    }
    return open;
  }

  /** Notifies the hosts of office hours of new seats that are still reserved. */
  notifyHosts(): void {
    for (const { id, eventId, agentId, status, meetingConfirmBy } of this.newSeats) {
      const host = this.event(eventId).hostAgentId;
      if (status === 'cancelled' || meetingConfirmBy === null || host === agentId) continue;
      const data = { seat_id: id, event_id: eventId, confirm_by: meetingConfirmBy.toISOString() };
      this.notices.push({ agentId: host, kind: 'seat.reserved', data });
    }
  }

  /** Notifies the holders of seats of the event's new time. */
  notifyMoved({ id, startsAt, endsAt }: EventDraft): void {
    const data = { event_id: id, starts_at: startsAt.toISOString(), ends_at: endsAt.toISOString() };
    for (const { agentId } of this.liveSeats(id)) this.notices.push({ agentId, kind: 'event.moved', data });
  }

  waitlist(eventId: string): readonly WaitlistRow[] {
    return this.#waiting(eventId);
  }

  joinWaitlist(event: EventDraft, agentId: string): WaitlistRow {
    const wait = {
      id: createId(this.now),
      eventId: event.id,
      agentId,
      joinedAt: this.now,
      toldAt: null,
    };
    this.#waits.push(wait);
    this.changedWaits.add(wait);
    event.waitlistCount += 1;
    return wait;
  }

  /** @returns the entry that ends, or null */
  leaveWaitlist(event: EventDraft, agentId: string): WaitlistRow | null {
    const wait = this.waitlist(event.id).find((one) => one.agentId === agentId);
    if (wait === undefined) return null;
    this.endedWaits.add(wait);
    event.waitlistCount -= 1;
    return wait;
  }

  /**
   * Notifies the next agent on the waitlist, while seats can be reserved: the first that has not been notified yet, or
   * else the one that was longest ago, which has missed its seat; none if even that was within the last hour.
   */
  notifyNextWaiting(event: EventDraft): void {
    if (event.status === 'cancelled' || event.startsAt <= this.now || lacksHost(event)) return;
    const [first, ...others] = this.#waiting(event.id);
    if (first === undefined) return;
    const wait = others.reduce((next, one) => (toldMs(one) < toldMs(next) ? one : next), first);
    if (this.now.getTime() - toldMs(wait) < toldAgainAfterMs) return;
    wait.toldAt = this.now;
    this.changedWaits.add(wait);
    this.notices.push({ agentId: wait.agentId, kind: 'waitlist.open', data: { event_id: event.id } });
  }

  #waiting(eventId: string): Open<WaitlistRow>[] {
    return this.#waits.filter((wait) => wait.eventId === eventId && !this.endedWaits.has(wait));
  }

  #index(seat: Open<SeatRow>): void {
    this.#seats.set(seat.id, seat);
    this.#byKey.set(`${seat.agentId} ${seat.idempotencyKey}`, seat);
    if (seat.status === 'reserved') this.#live.set(`${seat.eventId} ${seat.agentId}`, seat);
    this.#indexCancel(seat);
  }

  #indexCancel(seat: Open<SeatRow>): void {
    if (seat.cancelledBy === null) return;
    this.#byCancel.set(`${seat.eventId} ${seat.agentId} ${seat.cancelledBy}`, seat);
  }

  #open(seat: SeatRow): Open<SeatRow> {
    const open = this.#seats.get(seat.id);
    invariant(open !== undefined, `Seat ${seat.id} is loaded.`);
    if (!this.newSeats.has(open)) this.changedSeats.add(open);
    return open;
  }
}

function newCalendarToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(calendarTokenBytes))).toString('base64url');
}

function toldMs({ toldAt }: WaitlistRow): number {
  return toldAt?.getTime() ?? 0;
}
