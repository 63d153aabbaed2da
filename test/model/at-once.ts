/**
 * Two clients that ask at the same moment. Either may come first, and on each hub another one: what a hub answers, and what
 * it holds then, must be what the model foretells for one of the two orders; or one of the two is told that it was overtaken,
 * where that is a documented answer.
 */
import type fc from 'fast-check';
import type { TestResponse } from '#test/harness/hub.ts';
import type { HubModel } from './hub-model.ts';
import { expectAgentAsForetold, expectAnswer, type Foretold, type Step } from './step.ts';
import {
  agreed,
  type Answered,
  type Asked,
  type OneHub,
  readAnswer,
  send,
  type TwoHubs,
} from './two-hubs.ts';

/** One of the orders in which the two may be taken. */
interface Outcome {
  readonly order: readonly number[];
  readonly model: HubModel;
  /** By step, not by order. */
  readonly foretold: readonly Foretold[];
}

/** Of steps that make nothing which the other could mean. */
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
      this.#foretell(order, model, hubs),
      ...this.#foretellOvertaken(order, model, hubs),
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
        const ask = async (request: Asked) => readAnswer(one, await send(one, request));
        for (const { agent } of asked)
          await expectAgentAsForetold(possible[index]![0]!.model, ask, agent, hubs.handle(agent));
      }
      model.isOver = true;
      return;
    }
    // Whoever came first knew nothing of what the other made.
    for (const step of common.order) {
      const { named } = common.foretold[step]!;
      agreed(
        asked[step],
        sent.map(({ one, responses }) => withoutMessage(readAnswer(one, responses[step]!, named))),
      );
    }
    model.become(common.model);
    for (const { agent } of asked)
      await expectAgentAsForetold(model, (request) => hubs.ask(request), agent, hubs.handle(agent));
  }

  #foretell(order: readonly number[], model: HubModel, hubs: TwoHubs): Outcome {
    const after = model.clone();
    const inOrder = order.map((step) => this.steps[step]!.foretell(after, hubs));
    return outcomeOf(order, after, inOrder);
  }

  /** The second had begun when the first was taken, and could have been taken itself had the first not been. */
  #foretellOvertaken(order: readonly [number, number], model: HubModel, hubs: TwoHubs): readonly Outcome[] {
    const [first, second] = order;
    const after = model.clone();
    const taken = this.steps[first]!.foretell(after, hubs);
    const alone = this.steps[second]!.foretell(model.clone(), hubs);
    const overtaken = this.steps[second]!.overtaken(after);
    const isAlike = this.steps[first]!.constructor === this.steps[second]!.constructor;
    if (!isAlike || overtaken === null || taken.status !== 200 || alone.status !== 200) return [];
    return [outcomeOf(order, after, [taken, overtaken])];
  }

  toString(): string {
    return `at once: ${this.steps.join(', and ')}`;
  }
}

/** @param inOrder what is foretold, in the order in which the steps are taken */
function outcomeOf(order: readonly number[], model: HubModel, inOrder: readonly Foretold[]): Outcome {
  return { order, model, foretold: order.map((_, step) => inOrder[order.indexOf(step)]!) };
}

/** A refusal may say that somebody came first, which each hub sees for itself. */
function withoutMessage({ status, body }: Answered): Answered {
  return { status, body: { ...body, message: undefined } };
}

/** @throws AggregateError what speaks against each of the orders, if there is none that the answers fit */
function fitting(
  one: OneHub,
  asked: readonly Asked[],
  responses: readonly TestResponse[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  const answers = responses.map((response) => readAnswer(one, response));
  const against: unknown[] = [];
  const fits = outcomes.filter(({ foretold }) => {
    try {
      for (const [step, answer] of answers.entries()) expectAnswer(asked[step]!, answer, foretold[step]!);
      return true;
    } catch (error) {
      against.push(error);
      return false;
    }
  });
  if (fits.length > 0) return fits;
  const told = JSON.stringify({ dialect: one.hub.ctx.db.dialect, asked, answers });
  throw new AggregateError(against, `These answers fit neither order: ${told}`);
}
