/**
 * Random histories of tokens, runs, seats and work orders over HTTP: the SQLite hub, the Postgres hub and a simple
 * model agree on every response, and on the agents' tokens and reputation every few steps. Several files each run part
 * of the steps with different histories, in parallel. `MODEL_STEPS=1000000 npm run long -- model` sets the total number
 * of steps, and `TEST_SEED=<n>` draws other histories. The seed does not determine the order of concurrent requests.
 */
import { test } from 'bun:test';
import fc from 'fast-check';
import { useStarted } from '#test/harness/use-started.ts';
import { AtOnce } from './at-once.ts';
import { agentCount, HubModel, maintainer } from './hub-model.ts';
import { CancelEvent, ChangeSeats, CreateEvent, ReadEvent } from './steps/event-steps.ts';
import { EndRun, Redeem } from './steps/redemption-steps.ts';
import { CancelSeat, JoinWaitlist, ReadSeats, Reserve } from './steps/seat-steps.ts';
import { Grant, ReadHistory, Wait } from './steps/token-steps.ts';
import { Propose, Transition } from './steps/work-order-steps.ts';
import { expectAgentAsPredicted, type Step } from './step.ts';
import { startTwoHubs, type TwoHubs } from './two-hubs.ts';

const parts = 3;
const stepCount = Math.ceil(Number(process.env['MODEL_STEPS'] ?? '1500') / parts);
const stepsPerHistory = 150;
const timeoutMs = 120_000 + stepCount * 300;

// Without bias, because all agents and things are equivalent.
const agent = fc.noBias(fc.nat({ max: agentCount - 1 }));
/** Usually the maintainer. */
const decider = fc.oneof({ weight: 4, arbitrary: fc.constant(maintainer) }, { weight: 1, arbitrary: agent });
const pick = fc.noBias(fc.nat({ max: 3 }));
const upTo = (max: number) => fc.integer({ min: 1, max });
const key = fc.noBias(fc.nat({ max: 25 })).map((number) => `key-${number}`);
const transition = {
  to: fc.constantFrom('interrogating', 'triaged', 'building', 'in_review', 'merged', 'rejected'),
  named: fc.nat({ max: agentCount }),
  knows: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
} as const;

type StepClass<Given> = new (agent: number, given: Given) => Step;
type Drawn<Given> = { readonly [Name in keyof Given]: fc.Arbitrary<Given[Name]> };

/** Steps of one kind by these agents. */
function steps<Given extends object>(
  weight: number,
  Kind: StepClass<Given>,
  given: Drawn<Given>,
  by: fc.Arbitrary<number> = agent,
) {
  const arbitrary = fc.tuple(by, fc.record(given)).map(([sender, drawn]) => new Kind(sender, drawn as Given));
  return { weight, arbitrary };
}

/** Requests that two clients may send at once about the same event or work order. */
function rivals(at: number): fc.Arbitrary<Step> {
  const pick = fc.constant(at);
  return fc.oneof(
    steps(6, Reserve, { pick, key }),
    steps(2, CancelSeat, { pick }),
    steps(2, JoinWaitlist, { pick }),
    steps(1, ChangeSeats, { pick, seatsTotal: upTo(4) }, decider),
    steps(1, CancelEvent, { pick }, decider),
    steps(4, Redeem, {}),
    steps(2, Grant, { to: agent, amount: upTo(9), livesHours: fc.constant(null) }, decider),
    steps(4, Transition, { pick, ...transition }),
  );
}

interface WeightedKind {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<fc.AsyncCommand<HubModel, TwoHubs>>;
}

const hours = fc.constantFrom(2, 24, 25, 200, 400);
const livesHours = fc.constantFrom(null, null, 5, 30, 200);

/** With weights: steps that lead on are more frequent than steps that end something. */
const kinds: readonly WeightedKind[] = [
  {
    weight: 14,
    arbitrary: pick
      .chain((at) => fc.tuple(rivals(at), rivals(at)))
      .map(([one, other]) => new AtOnce(one, other)),
  },
  // A client sends the same request twice.
  {
    weight: 2,
    arbitrary: pick.chain((at) => fc.clone(rivals(at), 2)).map(([one, same]) => new AtOnce(one, same)),
  },
  steps(12, Reserve, { pick, key }),
  steps(5, CancelSeat, { pick }),
  steps(4, JoinWaitlist, { pick }),
  steps(2, ReadSeats, { pick }),
  steps(
    4,
    CreateEvent,
    { inHours: hours, seatsTotal: upTo(3), price: fc.nat({ max: 3 }) },
    fc.constant(maintainer),
  ),
  steps(2, ReadEvent, { pick }),
  steps(3, ChangeSeats, { pick, seatsTotal: upTo(4) }, decider),
  steps(1, CancelEvent, { pick }, decider),
  steps(4, Grant, { to: agent, amount: upTo(9), livesHours }, decider),
  steps(3, ReadHistory, {}),
  steps(2, Wait, { hours: fc.constantFrom(1, 1, 5, 23, 24, 25) }),
  steps(8, Redeem, {}),
  steps(6, EndRun, { pick, end: fc.constantFrom('failed', 'completed') }),
  steps(3, Propose, { bounty: fc.constantFrom(0, 0, 1, 4, 7) }),
  steps(12, Transition, { pick, ...transition }),
];

/** @param part from 1; each part draws other histories */
export function testModel(part: number): void {
  const hubs = useStarted(startTwoHubs, ({ stop }) => stop());

  test(
    'the hub on SQLite, the hub on Postgres and the model agree after every step',
    async () => {
      const histories = fc.commands(
        kinds.flatMap(({ weight, arbitrary }) => Array.from({ length: weight }, () => arbitrary)),
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
          numRuns: Math.ceil((2 * stepCount) / stepsPerHistory),
          endOnFailure: false,
          ...(seed === undefined ? {} : { seed: seed + part - 1 }),
        },
      );
    },
    timeoutMs,
  );
}
