/** Grants of tokens, and the passage of time, which expires them. */
import { type HubModel, hourMs, maintainer } from '../hub-model.ts';
import { type Prediction, refusal, Step } from '../step.ts';
import type { Asked, TwoHubs } from '../two-hubs.ts';

export class Grant extends Step {
  readonly to: number;
  readonly amount: number;
  readonly livesHours: number | null;
  constructor(agent: number, to: number, amount: number, livesHours: number | null) {
    super(agent);
    this.to = to;
    this.amount = amount;
    this.livesHours = livesHours;
  }
  override asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    const expires =
      this.livesHours === null ? {} : { expires_at: new Date(this.#endMs(model)).toISOString() };
    const json = { handle: hubs.handle(this.to), amount: this.amount, reason: 'For a test', ...expires };
    return { method: 'POST', path: '/v1/tokens/grants', json };
  }
  override predict(model: HubModel): Prediction {
    if (this.agent !== maintainer) return refusal(403, 'maintainer_only');
    model.ledger.settle(this.to);
    model.ledger.grant(this.to, this.amount, this.livesHours === null ? null : this.#endMs(model), null);
    return {
      status: 201,
      shows: { balance: model.ledger.balance(this.to), entry: { kind: 'grant', amount: this.amount } },
    };
  }
  #endMs(model: HubModel): number {
    return model.nowMs + (this.livesHours ?? 0) * hourMs;
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
    return {
      status: 200,
      shows: {
        entries: newest.map(({ kind, amount, balanceAfter }) => ({
          kind,
          amount,
          balance_after: balanceAfter,
        })),
      },
    };
  }
}

/** Lets time pass and reads a balance. */
export class Wait extends Step {
  readonly hours: number;
  constructor(agent: number, hours: number) {
    super(agent);
    this.hours = hours;
  }
  override asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    hubs.clock.advance(this.hours * hourMs);
    model.ledger.nowMs = hubs.clock.now().getTime();
    return { method: 'GET', path: '/v1/agents/me' };
  }
  override predict(model: HubModel, hubs: TwoHubs): Prediction {
    const { reputation } = model.agent(this.agent);
    const agent = { handle: hubs.handle(this.agent), reputation_total: reputation };
    return { status: 200, shows: { agent } };
  }
}
