/** One step of a history: something an agent asks for, which the model foretells and two hubs do. */
import { expect } from 'bun:test';
import type fc from 'fast-check';
import type { HubModel } from './hub-model.ts';
import type { Answered, Asked, TwoHubs } from './two-hubs.ts';

/** What an answer must be. */
export interface Foretold {
  readonly status: number;
  /** The code of a refusal. */
  readonly error?: string;
  /** What a success must show, other fields aside. */
  readonly shows?: object;
  /** The name that the id at this place of the answer gets. */
  readonly named?: { readonly name: string; readonly of: (body: Answered['body']) => unknown };
}

export const refusal = (status: number, error: string): Foretold => ({ status, error });

export abstract class Step implements fc.AsyncCommand<HubModel, TwoHubs> {
  /** Who asks. */
  agent: number;

  constructor(agent: number) {
    this.agent = agent;
  }

  check(_model: Readonly<HubModel>): boolean {
    return true;
  }

  async run(model: HubModel, hubs: TwoHubs): Promise<void> {
    const asked = this.asks(model, hubs);
    const { status, error, shows, named } = this.foretell(model, hubs);
    const answered = await hubs.ask({ ...asked, agent: this.agent }, named);
    expect({ asked, status: answered.status, error: answered.body.error }).toEqual({ asked, status, error });
    if (shows !== undefined) expect(answered.body).toMatchObject(shows);
    await expectAgentAsForetold(model, hubs, this.agent);
  }

  /** What is sent. Called before `foretell`. */
  protected abstract asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'>;
  /** Moves the model on, and says what the answer must be. */
  protected abstract foretell(model: HubModel, hubs: TwoHubs): Foretold;

  abstract toString(): string;
}

/** A step about one of the things that there are of a kind; it is left out while there is none. */
export abstract class StepAbout<Thing> extends Step {
  readonly pick: number;

  constructor(agent: number, pick: number) {
    super(agent);
    this.pick = pick;
  }

  protected abstract things(model: Readonly<HubModel>): readonly Thing[];

  override check(model: Readonly<HubModel>): boolean {
    return this.things(model).length > 0;
  }

  protected index(model: Readonly<HubModel>): number {
    return this.pick % this.things(model).length;
  }

  protected thing(model: Readonly<HubModel>): Thing {
    const thing = this.things(model)[this.index(model)];
    if (thing === undefined) throw new Error('A step about nothing is left out.');
    return thing;
  }
}

/** Balance, reputation and badge, which most steps can touch. */
async function expectAgentAsForetold(model: HubModel, hubs: TwoHubs, agent: number): Promise<void> {
  const path = `/v1/agents/${hubs.handle(agent)}/reputation`;
  const [{ body: tokens }, { body: reputation }] = await Promise.all([
    hubs.ask({ agent, method: 'GET', path: '/v1/tokens/balance' }),
    hubs.ask({ agent, method: 'GET', path }),
  ]);
  const next = model.ledger.nextExpiry(agent);
  expect(tokens).toEqual({
    balance: model.ledger.balance(agent),
    held: model.held(agent),
    free_eval_available: model.ledger.account(agent).freeRunHolder === null,
    next_expiry: next === null ? null : { amount: next.amount, at: new Date(next.atMs).toISOString() },
  });
  const known = model.agent(agent);
  expect({ total: reputation.total, breakdown: reputation.breakdown }).toEqual({
    total: known.reputation,
    breakdown: Object.fromEntries(known.kinds),
  });
}
