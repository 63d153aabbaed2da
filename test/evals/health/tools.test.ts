import { expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { ordersWorld } from '#evals/health/tools/orders.ts';
import { writeToolTasks } from '#evals/health/tools/tasks.ts';
import { replay, type Step } from '#evals/worlds/world.ts';
import { toolAgent, tryTools } from './tool-agent.ts';

const seeds = ['5eed', '1dea', 'cafe'];

test('a healthy agent does every task with tools, and nothing is found', async () => {
  for (const seed of seeds)
    expect(await tryTools(toolAgent, seed)).toEqual({ findings: [], passed: 8, of: 8 });
});

test('a conversation goes on from its stored steps, in whatever process', () => {
  const [task] = writeToolTasks(createRandom('5eed', 'tools'));
  if (task === undefined) throw new Error('There are tasks.');
  const world = ordersWorld(task);
  const find = (page: number): Step => ({
    text: null,
    calls: [
      { id: `call-${page}`, name: 'find_orders', arguments: { customer: task.orders[0]?.customer, page } },
    ],
  });
  const steps = [find(1), find(1), find(2), { text: 'ANSWER: 7', calls: [] }];
  let turn = world.start();
  for (const [at, step] of steps.entries()) {
    turn = world.next(turn.state, step);
    expect(replay(world, steps.slice(0, at + 1))).toEqual(turn);
  }
  expect(turn.done).toBe(true);
});
