/** Creates, changes and cancels events as maintainers do. */
import { type HubModel, hourMs, maintainer, type ModelEvent } from '../hub-model.ts';
import { type Prediction, refusal, Step, StepAbout } from '../step.ts';
import type { Asked } from '../two-hubs.ts';

export class CreateEvent extends Step<{ inHours: number; seatsTotal: number; price: number }> {
  override asks({ nowMs }: HubModel): Omit<Asked, 'agent'> {
    const { inHours, seatsTotal, price } = this.given;
    const startsAtMs = nowMs + inHours * hourMs;
    const json = {
      kind: 'workshop',
      title: 'Holding on',
      description: 'Come.',
      presenter: 'Ada',
      starts_at: new Date(startsAtMs).toISOString(),
      ends_at: new Date(startsAtMs + hourMs).toISOString(),
      seats_total: seatsTotal,
      token_price: price,
    };
    return { method: 'POST', path: '/v1/events', json };
  }
  override predict({ events, nowMs }: HubModel): Prediction {
    const name = `event ${events.length}`;
    const { inHours, seatsTotal, price } = this.given;
    const startsAtMs = nowMs + inHours * hourMs;
    events.push({ startsAtMs, price, seatsTotal, cancelled: false, waitlist: [] });
    const shows = { event: { seats_total: seatsTotal, seats_taken: 0, seats_available: seatsTotal } };
    return { status: 201, shows, named: { name, of: (body) => body.event.id } };
  }
}

export abstract class EventStep<Given extends object = object> extends StepAbout<ModelEvent, Given> {
  protected override things({ events }: Readonly<HubModel>): readonly ModelEvent[] {
    return events;
  }
  protected path(model: HubModel): string {
    return `/v1/events/<event ${this.index(model)}>`;
  }
  protected shown(model: HubModel): object {
    const { seatsTotal, cancelled, price } = this.thing(model);
    const taken = model.liveSeats(this.index(model)).length;
    return {
      event: {
        seats_total: seatsTotal,
        seats_taken: taken,
        seats_available: seatsTotal - taken,
        token_price: price,
        status: cancelled ? 'cancelled' : 'scheduled',
      },
    };
  }
}

export class ReadEvent extends EventStep {
  protected override readonly isRead = true;
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'GET', path: this.path(model) };
  }
  override predict(model: HubModel): Prediction {
    return { status: 200, shows: this.shown(model) };
  }
}

export class ChangeSeats extends EventStep<{ seatsTotal: number }> {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'PATCH', path: this.path(model), json: { seats_total: this.given.seatsTotal } };
  }
  override predict(model: HubModel): Prediction {
    const event = this.thing(model);
    const { seatsTotal } = this.given;
    if (this.agent !== maintainer) return refusal(403, 'maintainer_only');
    if (event.cancelled) return refusal(409, 'event_cancelled');
    if (seatsTotal < model.liveSeats(this.index(model)).length) return refusal(409, 'seats_taken');
    event.seatsTotal = seatsTotal;
    return { status: 200, shows: this.shown(model) };
  }
}

export class CancelEvent extends EventStep {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'DELETE', path: this.path(model) };
  }
  override predict(model: HubModel): Prediction {
    if (this.agent !== maintainer) return refusal(403, 'maintainer_only');
    const event = this.thing(model);
    if (!event.cancelled)
      for (const seat of model.liveSeats(this.index(model))) model.free(seat, 'with grace');
    event.cancelled = true;
    return { status: 200, shows: this.shown(model) };
  }
}
