/** One step of a history: a request that the model predicts and both hubs process. */
import { expect } from 'bun:test';
import type fc from 'fast-check';
import type { HubModel } from './hub-model.ts';
import type { Answered, Asked, Named, TwoHubs } from './two-hubs.ts';

/** The expected response. */
export interface Prediction {
  readonly status: number;
  /** The error code of a refusal. */
  readonly error?: string;
  /** Fields that a success must contain. */
  readonly shows?: object;
  readonly named?: Named;
}

export const refusal = (status: number, error: string): Prediction => ({ status, error });

export abstract class Step<Given extends object = object> implements fc.AsyncCommand<HubModel, TwoHubs> {
  /** The agent that sends the request. */
  agent: number;
  /** What was drawn for it. */
  protected readonly given: Given;
  protected readonly isRead: boolean = false;

  constructor(agent: number, given: Given) {
    this.agent = agent;
    this.given = given;
  }

  check(model: Readonly<HubModel>): boolean {
    return !model.isOver;
  }

  async run(model: HubModel, hubs: TwoHubs): Promise<void> {
    const asked = { ...this.asks(model, hubs), agent: this.agent };
    const predicted = this.predict(model, hubs);
    expectAnswer(asked, await hubs.ask(asked, predicted.named), predicted);
    // Reads and refusals must not change the agent. The end of the history shows whether one did.
    if (!this.isRead && predicted.status < 300) await expectChangedAgents(model, hubs, [this.agent]);
  }

  /** The request. Called before the prediction. */
  abstract asks(model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'>;
  /** Updates the model and returns the expected response. */
  abstract predict(model: HubModel, hubs: TwoHubs): Prediction;

  /**
   * The refusal that a step may get when another step of its kind overtakes it; null if none is documented.
   * @param _model after the other step
   */
  overtaken(_model: HubModel): Prediction | null {
    return null;
  }

  toString(): string {
    return `${this.constructor.name} ${JSON.stringify(this)}`;
  }
}

/** A step about one thing of a kind. It is skipped while there is none. */
export abstract class StepAbout<Thing, Given extends object = object> extends Step<
  Given & { readonly pick: number }
> {
  protected abstract things(model: Readonly<HubModel>): readonly Thing[];

  override check(model: Readonly<HubModel>): boolean {
    return super.check(model) && this.things(model).length > 0;
  }

  protected index(model: Readonly<HubModel>): number {
    return this.given.pick % this.things(model).length;
  }

  protected thing(model: Readonly<HubModel>): Thing {
    const thing = this.things(model)[this.index(model)];
    if (thing === undefined) throw new Error('A step about nothing must be skipped.');
    return thing;
  }
}

export function expectAnswer(asked: Asked, answered: Answered, { status, error, shows }: Prediction): void {
  expect({ asked, status: answered.status, error: answered.body.error }).toEqual({ asked, status, error });
  if (shows !== undefined) expect(answered.body).toMatchObject(shows);
}

/** A comparison costs more than a step, so agents are compared only after this many changes. */
const changesAtOnce = 8;

/**
 * Compares the agents that have changed since the last comparison, now and then. The end of a history compares all of
 * them.
 */
export async function expectChangedAgents(
  model: HubModel,
  hubs: TwoHubs,
  changed: readonly number[],
): Promise<void> {
  hubs.changed.push(...changed);
  if (hubs.changed.length < changesAtOnce) return;
  for (const agent of new Set(hubs.changed.splice(0))) await expectAgentAsPredicted(model, hubs, agent);
}

/** Compares the tokens and the reputation of an agent with the model. */
export async function expectAgentAsPredicted(
  model: HubModel,
  hubs: { ask: (asked: Asked) => Promise<Answered>; handle: (agent: number) => string },
  agent: number,
): Promise<void> {
  const [{ body: tokens }, { body: reputation }] = await Promise.all([
    hubs.ask({ agent, method: 'GET', path: '/v1/tokens/balance' }),
    hubs.ask({ agent, method: 'GET', path: `/v1/agents/${hubs.handle(agent)}/reputation` }),
  ]);
  const next = model.ledger.nextExpiry(agent);
  expect(tokens).toEqual({
    balance: model.ledger.balance(agent),
    held: model.held(agent),
    free_eval_available: model.ledger.account(agent).freeRunHolder === null,
    free_agent_run_available: true,
    free_suite_run_available: true,
    next_expiry: next === null ? null : { amount: next.amount, at: new Date(next.atMs).toISOString() },
  });
  const { total, breakdown } = reputation;
  expect({ total, breakdown }).toEqual(model.reputation(agent));
}
