/**
 * Two concurrent requests. Either may be processed first, and each hub may choose another order. The
 * responses and the resulting state must match the model for one of the orders, or one request must get the
 * documented refusal of a request that was overtaken.
 */
import type fc from 'fast-check';
import type { TestResponse } from '#test/harness/hub.ts';
import type { HubModel } from './hub-model.ts';
import {
  expectAgentAsPredicted,
  expectAnswer,
  expectChangedAgents,
  type Prediction,
  type Step,
} from './step.ts';
import {
  agreed,
  type Answered,
  type Asked,
  type OneHub,
  readAnswer,
  send,
  type TwoHubs,
} from './two-hubs.ts';

/** One possible order. */
interface Outcome {
  readonly order: readonly number[];
  readonly model: HubModel;
  /** By step, not by order. */
  readonly predicted: readonly Prediction[];
}

/** Neither step may create something that the other refers to. */
export class AtOnce implements fc.AsyncCommand<HubModel, TwoHubs> {
  readonly steps: readonly [Step, Step];
  constructor(one: Step, other: Step) {
    this.steps = [one, other];
  }

  check(model: Readonly<HubModel>): boolean {
    return this.steps.every((step) => step.check(model));
  }

  async run(model: HubModel, hubs: TwoHubs): Promise<void> {
    const asked = this.steps.map((step) => ({ ...step.asks(model, hubs), agent: step.agent }));
    const orders = [
      [0, 1],
      [1, 0],
    ] as const;
    const outcomes = orders.flatMap((order) => [
      this.#predict(order, model, hubs),
      ...this.#predictOvertaken(order, model, hubs),
    ]);
    const sent = await Promise.all(
      hubs.hubs.map(async (one) => ({
        one,
        responses: await Promise.all(asked.map((request) => send(one, request))),
      })),
    );
    const possible = sent.map(({ one, responses }) => fitting(one, asked, responses, outcomes));
    const common = outcomes.find((outcome) => possible.every((some) => some.includes(outcome)));
    if (common === undefined) {
      for (const [index, { one }] of sent.entries()) {
        const alone = {
          ask: async (request: Asked) => readAnswer(one, await send(one, request)),
          handle: (agent: number) => hubs.handle(agent),
        };
        for (const { agent } of asked) await expectAgentAsPredicted(possible[index]![0]!.model, alone, agent);
      }
      model.isOver = true;
      return;
    }
    // The first step does not know what the second creates.
    for (const step of common.order) {
      const { named } = common.predicted[step]!;
      agreed(
        asked[step],
        sent.map(({ one, responses }) => withoutState(readAnswer(one, responses[step]!, named))),
      );
    }
    model.become(common.model);
    await expectChangedAgents(
      model,
      hubs,
      asked.map(({ agent }) => agent),
    );
  }

  #predict(order: readonly number[], model: HubModel, hubs: TwoHubs): Outcome {
    const after = model.clone();
    const inOrder = order.map((step) => this.steps[step]!.predict(after, hubs));
    return outcomeOf(order, after, inOrder);
  }

  /** The second step had begun before the first took effect, and would otherwise have succeeded. */
  #predictOvertaken(order: readonly [number, number], model: HubModel, hubs: TwoHubs): readonly Outcome[] {
    const [first, second] = order;
    const after = model.clone();
    const taken = this.steps[first]!.predict(after, hubs);
    const alone = this.steps[second]!.predict(model.clone(), hubs);
    const overtaken = this.steps[second]!.overtaken(after);
    const isAlike = this.steps[first]!.constructor === this.steps[second]!.constructor;
    if (!isAlike || overtaken === null || taken.status !== 200 || alone.status !== 200) return [];
    return [outcomeOf(order, after, [taken, overtaken])];
  }

  toString(): string {
    return `at once: ${this.steps.join(', and ')}`;
  }
}

/** @param inOrder the predictions in the order of the steps */
function outcomeOf(order: readonly number[], model: HubModel, inOrder: readonly Prediction[]): Outcome {
  return { order, model, predicted: order.map((_, step) => inOrder[order.indexOf(step)]!) };
}

/** An error may describe the state that the request found, which depends on the request that came first. */
function withoutState({ status, body }: Answered): Answered {
  return { status, body: { ...body, message: undefined, seats_taken: undefined } };
}

/** @throws AggregateError the mismatches with each order if no order matches */
function fitting(
  one: OneHub,
  asked: readonly Asked[],
  responses: readonly TestResponse[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  const answers = responses.map((response) => readAnswer(one, response));
  const against: unknown[] = [];
  const fits = outcomes.filter(({ predicted }) => {
    try {
      for (const [step, answer] of answers.entries()) expectAnswer(asked[step]!, answer, predicted[step]!);
      return true;
    } catch (error) {
      against.push(error);
      return false;
    }
  });
  if (fits.length > 0) return fits;
  const told = JSON.stringify({ dialect: one.hub.ctx.db.dialect, asked, answers });
  throw new AggregateError(against, `These responses match neither order: ${told}`);
}
