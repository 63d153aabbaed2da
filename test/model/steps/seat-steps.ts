/** Takes and returns seats and places on waitlists. */
import { type HubModel, hourMs, type ModelSeat } from '../hub-model.ts';
import { type Prediction, refusal } from '../step.ts';
import type { Asked, Named } from '../two-hubs.ts';
import { EventStep } from './event-steps.ts';

export class Reserve extends EventStep<{ key: string }> {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'POST', path: `${this.path(model)}/reserve`, json: { idempotency_key: this.given.key } };
  }

  override predict(model: HubModel): Prediction {
    const event = this.thing(model);
    const index = this.index(model);
    const { key } = this.given;
    const earlier = model.seats.find((seat) => seat.agent === this.agent && seat.key === key);
    if (earlier !== undefined && earlier.event !== index) return refusal(409, 'idempotency_key_reused');
    model.ledger.settle(this.agent);
    if (earlier !== undefined) return { status: 200, shows: this.#shows(model, earlier) };
    if (event.cancelled) return refusal(409, 'event_cancelled');
    if (event.startsAtMs <= model.nowMs) return refusal(409, 'event_started');
    if (liveSeat(model, index, this.agent) !== undefined) return refusal(409, 'already_reserved');
    if (model.liveSeats(index).length >= event.seatsTotal) return refusal(409, 'sold_out');
    const reference = `seat ${model.seats.length}`;
    if (event.price > 0 && !model.ledger.spend(this.agent, event.price, reference))
      return refusal(402, 'insufficient_tokens');
    const spend = event.price > 0 ? (model.ledger.spends.at(-1) ?? null) : null;
    const seat = { event: index, agent: this.agent, key, spend, refunded: 0, live: true };
    model.seats.push(seat);
    leaveLine(event.waitlist, this.agent);
    const named: Named = { name: reference, of: (body) => body.seat.id };
    return { status: 200, shows: this.#shows(model, seat), named };
  }

  #shows(model: HubModel, { live, spend, refunded }: ModelSeat): object {
    const seat = { status: live ? 'reserved' : 'cancelled', price_paid: spend?.amount ?? 0, refunded };
    return { seat, balance: model.ledger.balance(this.agent) };
  }
}

export class CancelSeat extends EventStep {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'POST', path: `${this.path(model)}/cancel` };
  }
  override predict(model: HubModel): Prediction {
    const event = this.thing(model);
    const seat = liveSeat(model, this.index(model), this.agent);
    if (seat === undefined) return refusal(404, 'seat_not_found');
    if (event.startsAtMs <= model.nowMs) return refusal(409, 'event_started');
    model.free(seat, event.startsAtMs - model.nowMs > 24 * hourMs ? 'plain' : 'none');
    const { refunded } = seat;
    const balance = model.ledger.balance(this.agent);
    return { status: 200, shows: { seat: { status: 'cancelled', refunded }, refunded, balance } };
  }
}

export class JoinWaitlist extends EventStep {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'POST', path: `${this.path(model)}/waitlist` };
  }
  override predict(model: HubModel): Prediction {
    const event = this.thing(model);
    const index = this.index(model);
    if (event.cancelled) return refusal(409, 'event_cancelled');
    if (event.startsAtMs <= model.nowMs) return refusal(409, 'event_started');
    if (liveSeat(model, index, this.agent) !== undefined) return refusal(409, 'already_reserved');
    if (!event.waitlist.includes(this.agent)) {
      if (model.liveSeats(index).length < event.seatsTotal) return refusal(409, 'seats_available');
      event.waitlist.push(this.agent);
    }
    return { status: 200, shows: { position: event.waitlist.indexOf(this.agent) + 1 } };
  }
}

/** All seats of an agent. Calendars, meetings and waitlist positions must be the same on both hubs. */
export class ReadSeats extends EventStep {
  protected override readonly isRead = true;
  override asks(): Omit<Asked, 'agent'> {
    return { method: 'GET', path: '/v1/agents/me/seats' };
  }
  override predict(model: HubModel): Prediction {
    const own = model.seats.filter((seat) => seat.agent === this.agent).toReversed();
    const seats = own.map(({ live, refunded }) => ({ status: live ? 'reserved' : 'cancelled', refunded }));
    return { status: 200, shows: { seats } };
  }
}

function liveSeat(model: HubModel, event: number, agent: number): ModelSeat | undefined {
  return model.liveSeats(event).find((seat) => seat.agent === agent);
}

function leaveLine(line: number[], agent: number): void {
  const place = line.indexOf(agent);
  if (place !== -1) line.splice(place, 1);
}
