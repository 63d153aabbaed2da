/** Work orders through their states. */
import { agentCount, type HubModel, hourMs, maintainer } from '../hub-model.ts';
import type { ModelOrder, OrderStatus } from '../hub-model.ts';
import { type Prediction, refusal, Step, StepAbout } from '../step.ts';
import type { Asked, TwoHubs } from '../two-hubs.ts';

const proposalsMax = 5;

export class Propose extends Step<{ bounty: number }> {
  override asks(): Omit<Asked, 'agent'> {
    const json = { title: 'Mend it', description: 'It is broken.', ...this.given };
    return { method: 'POST', path: '/v1/work-orders', json };
  }
  override predict({ orders, nowMs, ledger }: HubModel): Prediction {
    const recent = orders.filter(
      ({ proposer, proposedAtMs }) => proposer === this.agent && proposedAtMs > nowMs - 24 * hourMs,
    );
    if (recent.length >= proposalsMax) return refusal(429, 'proposal_rate_limited');
    const name = `order ${orders.length}`;
    const { bounty } = this.given;
    ledger.settle(this.agent);
    if (bounty > 0 && !ledger.spend(this.agent, bounty, name)) return refusal(402, 'insufficient_tokens');
    orders.push({
      spend: bounty > 0 ? (ledger.spends.at(-1) ?? null) : null,
      proposer: this.agent,
      proposedAtMs: nowMs,
      implementer: null,
      reviewer: null,
      status: 'proposed',
      trail: ['proposed'],
    });
    const shows = { status: 'proposed', bounty };
    return { status: 201, shows, named: { name, of: (body) => body.id } };
  }
}

const moves: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  proposed: ['interrogating', 'rejected'],
  interrogating: ['triaged', 'rejected'],
  triaged: ['building', 'rejected'],
  building: ['in_review', 'rejected'],
  in_review: ['merged', 'building', 'rejected'],
  merged: [],
  rejected: [],
};

function invalidTransition({ status }: ModelOrder): Prediction {
  return { ...refusal(400, 'invalid_transition'), shows: { allowed: [...moves[status]] } };
}

/**
 * The implementer gets 80%, rounded up, and the reviewer the rest. A rejection refunds the bounty, with grace if a
 * maintainer rejects the work of others.
 */
function settleBounty({ ledger }: HubModel, order: ModelOrder, mover: number): void {
  const { spend, status, proposer, implementer, reviewer } = order;
  if (spend === null) return;
  if (status === 'rejected') {
    ledger.settle(spend.agent);
    ledger.refund(spend, mover === maintainer && ![proposer, implementer, reviewer].includes(mover));
  }
  if (status !== 'merged' || implementer === null || reviewer === null) return;
  const ofImplementer = Math.ceil((spend.amount * 8) / 10);
  const shares = [
    { to: implementer, amount: ofImplementer },
    { to: reviewer, amount: spend.amount - ofImplementer },
  ].filter(({ amount }) => amount > 0);
  for (const { to } of shares) ledger.settle(to);
  ledger.pay(spend, shares);
}

/** A transition of a work order: a random one, or the correct next one. */
export class Transition extends StepAbout<ModelOrder, { to: OrderStatus; named: number; knows: boolean }> {
  to = this.given.to;
  named = this.given.named;
  /** The correct transition depends on the order, and a replayed step starts from what was drawn. */
  readonly #drawn = { agent: this.agent, to: this.to, named: this.named };
  protected override things({ orders }: Readonly<HubModel>): readonly ModelOrder[] {
    return orders;
  }
  override asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    if (this.given.knows) this.#doRight(this.thing(model));
    const path = `/v1/work-orders/<order ${this.index(model)}>/transition`;
    const handle = this.named < agentCount ? hubs.handle(this.named) : 'nobody-at-all';
    const json = { to: this.to, implementer_handle: handle, reviewer_handle: handle };
    return { method: 'POST', path, json };
  }

  override predict(model: HubModel, hubs: TwoHubs): Prediction {
    const order = this.thing(model);
    const refused = this.#refusal(order);
    if (refused !== null) return refused;
    const names = this.to === 'in_review' || (order.status === 'triaged' && this.to === 'building');
    if (names && this.named >= agentCount) return refusal(400, 'unknown_agent');
    const taken = this.to === 'in_review' ? [order.proposer, order.implementer] : [order.proposer];
    if (names && taken.includes(this.named)) return refusal(400, 'separation_of_duties');
    if (names && this.to === 'in_review') order.reviewer = this.named;
    if (names && this.to === 'building') order.implementer = this.named;
    order.status = this.to;
    order.trail.push(this.to);
    settleBounty(model, order, this.agent);
    const events = order.trail.map((status, index) => ({
      from_status: order.trail[index - 1] ?? null,
      to_status: status,
    }));
    const handleOf = (agent: number | null): string | null => (agent === null ? null : hubs.handle(agent));
    const work_order = {
      status: order.status,
      proposer_handle: handleOf(order.proposer),
      implementer_handle: handleOf(order.implementer),
      reviewer_handle: handleOf(order.reviewer),
      events,
    };
    return { status: 200, shows: { work_order } };
  }

  /** Of two racing transitions, one is refused because of the new state. */
  override overtaken(model: HubModel): Prediction {
    return invalidTransition(this.thing(model));
  }

  #doRight(order: ModelOrder): void {
    Object.assign(this, this.#drawn);
    const [next] = moves[order.status];
    this.to = next ?? this.to;
    if (order.status === 'building') this.agent = order.implementer ?? this.agent;
    if (order.status === 'in_review') this.agent = order.reviewer ?? this.agent;
    const free = [0, 1, 2, 3].filter((agent) => agent !== order.proposer && agent !== order.implementer);
    this.named = free[this.named % free.length] ?? this.named;
  }

  #refusal(order: ModelOrder): Prediction | null {
    if (!moves[order.status].includes(this.to)) return invalidTransition(order);
    if (order.status === 'building' && this.to === 'in_review' && this.agent !== order.implementer)
      return refusal(403, 'not_implementer');
    if (order.status === 'in_review' && this.to !== 'rejected' && this.agent !== order.reviewer)
      return refusal(403, 'not_reviewer');
    if (this.to !== 'rejected') return null;
    const parts = [order.proposer, order.implementer, order.reviewer, maintainer];
    return parts.includes(this.agent) ? null : refusal(403, 'not_a_participant');
  }
}
