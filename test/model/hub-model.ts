/**
 * A simple model of the hub, independent of its code: the state of agents, work orders, events and seats after
 * any history. The model of the ledger keeps the tokens.
 */
import { LedgerModel, type ModelSpend } from '#test/domain/tokens/ledger-model.ts';

export const agentCount = 4;
/** This agent is a maintainer. */
export const maintainer = 0;
export const hourMs = 60 * 60 * 1_000;
/** Granted to each agent at the start of a history. */
export const tokensAtFirst = 12;

export type OrderStatus =
  | 'proposed'
  | 'interrogating'
  | 'triaged'
  | 'building'
  | 'in_review'
  | 'merged'
  | 'rejected';

export interface ModelOrder {
  readonly proposer: number;
  readonly proposedAtMs: number;
  implementer: number | null;
  reviewer: number | null;
  status: OrderStatus;
  /** Null without a bounty. */
  readonly spend: ModelSpend | null;
  /** Its past statuses. */
  readonly trail: OrderStatus[];
}

export interface ModelEvent {
  readonly startsAtMs: number;
  readonly price: number;
  seatsTotal: number;
  cancelled: boolean;
  readonly waitlist: number[];
}

export interface ModelSeat {
  readonly event: number;
  readonly agent: number;
  readonly key: string;
  readonly spend: ModelSpend | null;
  refunded: number;
  live: boolean;
}

export interface ModelRun {
  readonly name: string;
  readonly agent: number;
  /** Null if it used the free first run. */
  readonly spend: ModelSpend | null;
  /** The state of its charge. */
  state: 'held' | 'consumed' | 'refunded';
  refundedAtMs: number;
}

export class HubModel {
  readonly ledger: LedgerModel;
  readonly orders: ModelOrder[] = [];
  readonly events: ModelEvent[] = [];
  readonly seats: ModelSeat[] = [];
  readonly runs: ModelRun[] = [];
  /** True once the two hubs have chosen different orders and may differ. */
  isOver = false;

  constructor(nowMs: number) {
    this.ledger = new LedgerModel(agentCount, nowMs);
    for (let agent = 0; agent < agentCount; agent += 1) this.ledger.grant(agent, tokensAtFirst, null, null);
  }

  clone(): HubModel {
    const { ledger, ...rest } = structuredClone(this);
    const copied = Object.assign(new LedgerModel(agentCount, this.nowMs), ledger);
    return Object.assign(new HubModel(this.nowMs), rest, { ledger: copied });
  }

  /** Takes over the state of another model, which must not be used any more. */
  become(other: HubModel): void {
    Object.assign(this, other);
  }

  get nowMs(): number {
    return this.ledger.nowMs;
  }

  /** Of an agent: 25 for each work order that it has implemented, and 15 for each that it has reviewed. */
  reputation(agent: number) {
    const merged = this.orders.filter(({ status }) => status === 'merged');
    const implemented = merged.filter(({ implementer }) => implementer === agent).length;
    const reviewed = merged.filter(({ reviewer }) => reviewer === agent).length;
    const breakdown = {
      work_order_completed: implemented || undefined,
      review_completed: reviewed || undefined,
    };
    return { total: 25 * implemented + 15 * reviewed, breakdown };
  }

  /** Tokens held for open runs. */
  held(agent: number): number {
    const open = this.runs.filter((run) => run.agent === agent && run.state === 'held');
    return open.filter(({ spend }) => spend !== null).length;
  }

  liveSeats(event: number): readonly ModelSeat[] {
    return this.seats.filter((seat) => seat.live && seat.event === event);
  }

  /** Frees the seat. A refund has grace if a maintainer cancelled. */
  free(seat: ModelSeat, refund: 'none' | 'plain' | 'with grace'): void {
    seat.live = false;
    if (refund === 'none' || seat.spend === null) return;
    seat.refunded = seat.spend.amount;
    this.ledger.settle(seat.agent);
    this.ledger.refund(seat.spend, refund === 'with grace');
  }
}
