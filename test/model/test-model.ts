/**
 * Random histories of tokens, runs, seats and work orders over HTTP: the SQLite hub, the Postgres hub and a simple
 * model agree on every response, and on the agents' tokens and reputation every few steps. Several files each run part
 * of the steps with different histories, in parallel. `MODEL_STEPS=1000000 npm run long -- model` sets the total number
 * of steps, and `TEST_SEED=<n>` draws other histories. The seed does not determine the order of concurrent requests.
 */
import { afterAll, beforeAll, test } from 'bun:test';
import fc from 'fast-check';
import { AtOnce } from './at-once.ts';
import { agentCount, HubModel, maintainer } from './hub-model.ts';
import { CancelEvent, ChangeSeats, CreateEvent, ReadEvent } from './steps/event-steps.ts';
import { EndRun, Redeem } from './steps/redemption-steps.ts';
import { CancelSeat, JoinWaitlist, ReadSeats, Reserve } from './steps/seat-steps.ts';
import { Grant, ReadHistory, Wait } from './steps/token-steps.ts';
import { Propose, Transition } from './steps/work-order-steps.ts';
import { expectAgentAsPredicted, type Step } from './step.ts';
import { TwoHubs } from './two-hubs.ts';

const parts = 3;
const steps = Math.ceil(Number(process.env['MODEL_STEPS'] ?? '1500') / parts);
const stepsPerHistory = 150;
const timeoutMs = 120_000 + steps * 300;

// Without bias, because all agents and things are equivalent.
const agent = fc.noBias(fc.nat({ max: agentCount - 1 }));
/** Usually the maintainer. */
const decider = fc.oneof({ weight: 4, arbitrary: fc.constant(maintainer) }, { weight: 1, arbitrary: agent });
const pick = fc.noBias(fc.nat({ max: 3 }));
const key = fc.noBias(fc.nat({ max: 25 })).map((number) => `key-${number}`);
const status = fc.constantFrom('interrogating', 'triaged', 'building', 'in_review', 'merged', 'rejected');
const knows = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);

/** Requests that two clients may send at once about the same event or work order. */
const rival: fc.Arbitrary<(about: number) => Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(agent, key).map(
      ([by, under]) =>
        (about: number) =>
          new Reserve(by, about, under),
    ),
  },
  { weight: 2, arbitrary: agent.map((by) => (about: number) => new CancelSeat(by, about)) },
  { weight: 2, arbitrary: agent.map((by) => (about: number) => new JoinWaitlist(by, about)) },
  {
    weight: 1,
    arbitrary: fc.tuple(decider, fc.integer({ min: 1, max: 4 })).map(
      ([by, seats]) =>
        (about: number) =>
          new ChangeSeats(by, about, seats),
    ),
  },
  { weight: 1, arbitrary: decider.map((by) => (about: number) => new CancelEvent(by, about)) },
  { weight: 4, arbitrary: agent.map((by) => () => new Redeem(by)) },
  {
    weight: 2,
    arbitrary: fc.tuple(decider, agent, fc.integer({ min: 1, max: 9 })).map(
      ([by, to, amount]) =>
        () =>
          new Grant(by, to, amount, null),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(agent, status, fc.nat({ max: agentCount }), knows).map(
      ([by, to, named, right]) =>
        (about: number) =>
          new Transition(by, about, to, named, right),
    ),
  },
);

/** With weights: steps that lead on are more frequent than steps that end something. */
const kinds: readonly (readonly [number, fc.Arbitrary<fc.AsyncCommand<HubModel, TwoHubs>>])[] = [
  [14, fc.tuple(rival, rival, pick).map(([one, other, about]) => new AtOnce(one(about), other(about)))],
  // A client sends the same request twice.
  [2, fc.tuple(rival, pick).map(([one, about]) => new AtOnce(one(about), one(about)))],
  [12, fc.tuple(agent, pick, key).map((given) => new Reserve(...given))],
  [5, fc.tuple(agent, pick).map((given) => new CancelSeat(...given))],
  [4, fc.tuple(agent, pick).map((given) => new JoinWaitlist(...given))],
  [2, fc.tuple(agent, pick).map((given) => new ReadSeats(...given))],
  [
    4,
    fc
      .tuple(fc.constantFrom(2, 24, 25, 200, 400), fc.integer({ min: 1, max: 3 }), fc.nat({ max: 3 }))
      .map((given) => new CreateEvent(...given)),
  ],
  [2, fc.tuple(agent, pick).map((given) => new ReadEvent(...given))],
  [3, fc.tuple(decider, pick, fc.integer({ min: 1, max: 4 })).map((given) => new ChangeSeats(...given))],
  [1, fc.tuple(decider, pick).map((given) => new CancelEvent(...given))],
  [
    4,
    fc
      .tuple(decider, agent, fc.integer({ min: 1, max: 9 }), fc.constantFrom(null, null, 5, 30, 200))
      .map((given) => new Grant(...given)),
  ],
  [3, agent.map((one) => new ReadHistory(one))],
  [2, fc.tuple(agent, fc.constantFrom(1, 1, 5, 23, 24, 25)).map((given) => new Wait(...given))],
  [8, agent.map((one) => new Redeem(one))],
  [
    6,
    fc
      .tuple(pick, fc.constantFrom('failed' as const, 'completed' as const))
      .map((given) => new EndRun(...given)),
  ],
  [3, fc.tuple(agent, fc.constantFrom(0, 0, 1, 4, 7)).map((given) => new Propose(...given))],
  [
    12,
    fc
      .tuple(agent, pick, status, fc.nat({ max: agentCount }), knows)
      .map((given) => new Transition(...given)),
  ],
];

/** @param part from 1; each part draws other histories */
export function testModel(part: number): void {
  let hubs: TwoHubs;
  beforeAll(async () => {
    hubs = await TwoHubs.start();
  });
  afterAll(() => hubs.stop());

  test(
    'the hub on SQLite, the hub on Postgres and the model agree after every step',
    async () => {
      const histories = fc.commands(
        kinds.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind)),
        { maxCommands: stepsPerHistory, size: 'max' },
      );
      const { seed } = fc.readConfigureGlobal();
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          await hubs.renew();
          const model = new HubModel(hubs.clock.now().getTime());
          await fc.asyncModelRun(() => ({ model, real: hubs }), history);
          if (model.isOver) return;
          for (let agent = 0; agent < agentCount; agent += 1)
            await expectAgentAsPredicted(model, hubs, agent);
        }),
        {
          // On average a history has half the maximum number of steps.
          numRuns: Math.ceil((2 * steps) / stepsPerHistory),
          endOnFailure: false,
          ...(seed === undefined ? {} : { seed: seed + part - 1 }),
        },
      );
    },
    timeoutMs,
  );
}
