import { describe, expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { checkSizes, healthCheckSize, planHealthCheck } from '#evals/health/health-check.ts';
import { checkGrader } from '#evals/own-suite/graders/registry.ts';
import { trySamples } from '#evals/own-suite/try-samples.ts';
import { checkAgent } from './check-agent.ts';
import { drawnChecks } from './drawn-checks.ts';
import { healthyAgent } from './healthy-agent.ts';
import { styles, weakAgents } from './sound-agents.ts';
import { ordersWorld } from '#evals/health/tools/orders.ts';
import { writeToolTasks } from '#evals/health/tools/tasks.ts';
import { replay, type Step } from '#evals/worlds/world.ts';
import { call, make, toolAgent, tryTools } from './tool-agent.ts';

const checks = drawnChecks(4);

/** Rules about the model, not about what stands around it. */
const aboutModels = ['conduct', 'weak-topic'];

test('the number of cases is known before they are made', () => {
  for (const size of checkSizes)
    for (const tools of [false, true])
      for (const maxPromptTokens of [1, 499, 500, 8_000, 8_001, 16_000, 32_000, 128_000]) {
        const check = { size, tools, maxPromptTokens };
        const cases = planHealthCheck({ ...check, seed: 'any', inARow: false }, () => true);
        expect({ ...check, cases: cases.length }).toEqual({ ...check, cases: healthCheckSize(check) });
      }
});

for (const check of checks) {
  describe(`the health check (seed ${check.seed})`, () => {
    test('has cases whose graders accept and refuse their sample replies', async () => {
      const { observations } = await checkAgent(healthyAgent, check);
      const cases = planHealthCheck(check, (place) => observations[place]?.passed);
      expect(cases).toHaveLength(healthCheckSize(check));
      expect(cases.flatMap((one) => one.expect).flatMap((spec) => checkGrader(spec, ['expect']))).toEqual([]);
      const proofs = cases.map(({ id, expect: graders, accepted, refused }) => {
        return { id, expect: graders, accepted: [...accepted], refused: [...refused] };
      });
      const { replies } = await trySamples(proofs.entries());
      const samples = proofs.flatMap(({ accepted, refused }) => [...accepted, ...refused]);
      expect(replies).toHaveLength(samples.length);
      expect(replies.filter(({ list, passed }) => passed !== (list === 'accepted'))).toEqual([]);
    });

    test('finds nothing in a healthy agent, whatever its style', async () => {
      for (const [name, write] of Object.entries(styles)) {
        const { findings, score } = await checkAgent(write(healthyAgent), check);
        expect({ name, findings, score }).toEqual({ name, findings: [], score: 1 });
      }
    });

    test('blames what a model does not manage on the model', async () => {
      const random = createRandom(check.seed, 'weak agents');
      const weak = weakAgents(() => random.int(0, 999) / 1_000);
      for (const [name, write] of Object.entries(weak)) {
        const { findings } = await checkAgent(write(healthyAgent), check);
        const certain = findings.filter(
          ({ rule, certainty }) => certainty === 'certain' && !aboutModels.includes(rule),
        );
        expect({ name, certain }).toEqual({ name, certain: [] });
      }
    });
  });
}

const seeds = ['5eed', '1dea', 'cafe'];

test('a healthy agent does every task with tools, and nothing is found', async () => {
  for (const seed of seeds)
    expect(await tryTools(toolAgent, seed)).toEqual({ findings: [], passed: 8, of: 8 });
});

test('every call of a step is run', () => {
  const [task] = writeToolTasks(createRandom('5eed', 'tools'));
  const world = ordersWorld(task!);
  const made = { name: 'find_orders', arguments: { customer: task!.orders[0]!.customer, page: 1 } };
  const calls = Array.from({ length: 9 }, (_, at) => ({ id: `c${at}`, ...made }));
  const { messages, state } = world.next(world.start().state, { text: null, calls });
  expect(messages.map((one) => one.role === 'tool' && one.id)).toEqual(calls.map(({ id }) => id));
  expect(state.calls.at(-1)?.outcome).toBe('done');
});

test('a conversation goes on from its stored steps, in whatever process', () => {
  const [task] = writeToolTasks(createRandom('5eed', 'tools'));
  const world = ordersWorld(task!);
  const { customer } = task!.orders[0]!;
  const find = (page: number): Step => make(call('find_orders', { customer, page }));
  const steps = [find(1), find(1), find(2), { text: 'ANSWER: 7', calls: [] }];
  let turn = world.start();
  for (const [at, step] of steps.entries()) {
    turn = world.next(turn.state, step);
    expect(replay(world, steps.slice(0, at + 1))).toEqual(turn);
  }
  expect(turn.done).toBe(true);
});
