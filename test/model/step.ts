/** One step of a history: something an agent asks for, which the model foretells and two hubs do. */
import { expect } from 'bun:test';
import type fc from 'fast-check';
import type { HubModel } from './hub-model.ts';
import type { Answered, Asked, Named, TwoHubs } from './two-hubs.ts';

/** What an answer must be. */
export interface Foretold {
  readonly status: number;
  /** The code of a refusal. */
  readonly error?: string;
  /** What a success must show, other fields aside. */
  readonly shows?: object;
  readonly named?: Named;
}

export const refusal = (status: number, error: string): Foretold => ({ status, error });

export abstract class Step implements fc.AsyncCommand<HubModel, TwoHubs> {
  /** Who asks. */
  agent: number;

  constructor(agent: number) {
    this.agent = agent;
  }

  check(model: Readonly<HubModel>): boolean {
    return !model.isOver;
  }

  async run(model: HubModel, hubs: TwoHubs): Promise<void> {
    const asked = { ...this.asks(model, hubs), agent: this.agent };
    const foretold = this.foretell(model, hubs);
    expectAnswer(asked, await hubs.ask(asked, foretold.named), foretold);
    await expectAgentAsForetold(model, (one) => hubs.ask(one), this.agent, hubs.handle(this.agent));
  }

  /** What is sent, by whoever `agent` is behind it. Called before `foretell`. */
  abstract asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'>;
  /** Moves the model on, and says what the answer must be. */
  abstract foretell(model: HubModel, hubs: TwoHubs): Foretold;

  /**
   * What a step may be told, though it could be taken after the other, when another of its kind came between its look at things
   * and its own change; null where no such answer is documented.
   * @param _model with the other step taken
   */
  overtaken(_model: HubModel): Foretold | null {
    return null;
  }

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
    return super.check(model) && this.things(model).length > 0;
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

export function expectAnswer(asked: Asked, answered: Answered, { status, error, shows }: Foretold): void {
  expect({ asked, status: answered.status, error: answered.body.error }).toEqual({ asked, status, error });
  if (shows !== undefined) expect(answered.body).toMatchObject(shows);
}

/** Balance, reputation and badge, which most steps can touch. */
export async function expectAgentAsForetold(
  model: HubModel,
  ask: (asked: Asked) => Promise<Answered>,
  agent: number,
  handle: string,
): Promise<void> {
  const [{ body: tokens }, { body: reputation }] = await Promise.all([
    ask({ agent, method: 'GET', path: '/v1/tokens/balance' }),
    ask({ agent, method: 'GET', path: `/v1/agents/${handle}/reputation` }),
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
