/** Grants of tokens, and the passage of time, which expires them. */
import { type HubModel, hourMs, maintainer } from '../hub-model.ts';
import { type Prediction, refusal, Step } from '../step.ts';
import type { Asked, TwoHubs } from '../two-hubs.ts';

export class Grant extends Step<{ to: number; amount: number; livesHours: number | null }> {
  override asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    const { to, amount } = this.given;
    const endsAtMs = this.#endsAtMs(model);
    const expires = endsAtMs === null ? {} : { expires_at: new Date(endsAtMs).toISOString() };
    const json = { handle: hubs.handle(to), amount, reason: 'For a test', ...expires };
    return { method: 'POST', path: '/v1/tokens/grants', json };
  }
  override predict(model: HubModel): Prediction {
    const { to, amount } = this.given;
    if (this.agent !== maintainer) return refusal(403, 'maintainer_only');
    model.ledger.settle(to);
    model.ledger.grant(to, amount, this.#endsAtMs(model), null);
    const shows = { balance: model.ledger.balance(to), entry: { kind: 'grant', amount } };
    return { status: 201, shows };
  }
  #endsAtMs({ nowMs }: HubModel): number | null {
    const { livesHours } = this.given;
    return livesHours === null ? null : nowMs + livesHours * hourMs;
  }
}

/** Reads the entries of an agent, which settles expired tokens. */
export class ReadHistory extends Step {
  protected override readonly isRead = true;
  override asks(): Omit<Asked, 'agent'> {
    return { method: 'GET', path: '/v1/tokens/history?limit=100' };
  }
  override predict(model: HubModel): Prediction {
    model.ledger.settle(this.agent);
    const { entries } = model.ledger.account(this.agent);
    const newest = entries.slice(-100).toReversed();
    const shown = newest.map(({ balanceAfter, ...entry }) => {
      return { kind: entry.kind, amount: entry.amount, balance_after: balanceAfter };
    });
    return { status: 200, shows: { entries: shown } };
  }
}

/** Lets time pass and reads a balance. */
export class Wait extends Step<{ hours: number }> {
  override asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    hubs.clock.advance(this.given.hours * hourMs);
    model.ledger.nowMs = hubs.clock.now().getTime();
    return { method: 'GET', path: '/v1/agents/me' };
  }
  override predict(model: HubModel, hubs: TwoHubs): Prediction {
    const { total } = model.reputation(this.agent);
    const agent = { handle: hubs.handle(this.agent), reputation_total: total };
    return { status: 200, shows: { agent } };
  }
}
