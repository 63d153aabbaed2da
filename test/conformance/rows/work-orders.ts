/** Work orders and their moves. */
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());

export async function propose(world: World, changes: object = {}): Promise<TestResponse> {
  const proposer = await world.newAgent();
  return world.ask(proposer, '/v1/work-orders', { title: 'A title', description: 'A problem', ...changes });
}

export function move({ ask }: World, agent: TestAgent, id: string, json: object): Promise<TestResponse> {
  return ask(agent, `/v1/work-orders/${id}/transition`, json);
}

interface Order {
  readonly id: string;
  readonly proposer: TestAgent;
  readonly implementer: TestAgent;
  readonly reviewer: TestAgent;
}

/** A new work order moved to this status in the usual way. */
export async function orderIn(
  world: World,
  status: 'proposed' | 'triaged' | 'building' | 'in_review',
  implementer?: TestAgent,
): Promise<Order> {
  const proposer = await world.newAgent();
  const reviewer = await world.newAgent();
  const order = { proposer, reviewer, implementer: implementer ?? (await world.newAgent()) };
  const { body } = await world.ask(proposer, '/v1/work-orders', {
    title: 'A title',
    description: 'A problem',
  });
  const moves = [
    { by: proposer, to: 'interrogating' },
    { by: proposer, to: 'triaged' },
    { by: proposer, to: 'building', implementer_handle: order.implementer.handle },
    { by: order.implementer, to: 'in_review', reviewer_handle: reviewer.handle },
  ];
  const made = status === 'proposed' ? 0 : moves.findIndex(({ to }) => to === status) + 1;
  for (const { by, ...json } of moves.slice(0, made)) await move(world, by, body.id, json);
  return { ...order, id: body.id };
}

export const workOrderRows = {
  'GET /v1/work-orders': {
    checks: {
      200: async (world) => {
        await propose(world);
        return world.ask(null, '/v1/work-orders?status=proposed');
      },
      '400 invalid_parameter': ({ ask }) => ask(null, '/v1/work-orders?status=open'),
    },
    shows: { WorkOrderSummary: (body) => body.work_orders[0] },
  },
  'POST /v1/work-orders': {
    checks: {
      201: (world) => propose(world),
      '400 invalid_body (no title)': (world) => propose(world, { title: undefined }),
      '400 invalid_body (no description)': (world) => propose(world, { description: undefined }),
      '429 proposal_rate_limited': async ({ newAgent, ask }) => {
        const json = { title: 'A title', description: 'A problem' };
        const proposer = await newAgent();
        for (let i = 0; i < 5; i += 1) await ask(proposer, '/v1/work-orders', json);
        return ask(proposer, '/v1/work-orders', json);
      },
      ...needsToken('/v1/work-orders', { title: 'A title', description: 'A problem' }),
    },
    shows: { Proposal: (body) => body },
  },
  'GET /v1/work-orders/{id}': {
    checks: {
      200: async (world) => world.ask(null, `/v1/work-orders/${(await propose(world)).body.id}`),
      '404 work_order_not_found': ({ ask }) => ask(null, `/v1/work-orders/${nowhere}`),
    },
    shows: { WorkOrder: (body) => body.work_order, WorkOrderEvent: (body) => body.work_order.events[0] },
  },
  'POST /v1/work-orders/{id}/transition': {
    checks: {
      200: async (world) => {
        const { id, reviewer } = await orderIn(world, 'in_review');
        return move(world, reviewer, id, { to: 'merged', note: 'Well done' });
      },
      '400 invalid_body (no target)': async (world) => move(world, world.ada, nowhere, { note: 'x' }),
      '400 invalid_body (a claim for nobody)': async (world) => {
        const { id, proposer } = await orderIn(world, 'triaged');
        return move(world, proposer, id, { to: 'building' });
      },
      '400 invalid_transition': async (world) => {
        const { id, proposer } = await orderIn(world, 'proposed');
        return move(world, proposer, id, { to: 'merged' });
      },
      '400 unknown_agent': async (world) => {
        const { id, proposer } = await orderIn(world, 'triaged');
        return move(world, proposer, id, { to: 'building', implementer_handle: 'nobody-here' });
      },
      '400 separation_of_duties (the proposer builds)': async (world) => {
        const { id, proposer } = await orderIn(world, 'triaged');
        return move(world, proposer, id, { to: 'building', implementer_handle: proposer.handle });
      },
      '400 separation_of_duties (the implementer reviews)': async (world) => {
        const { id, implementer } = await orderIn(world, 'building');
        return move(world, implementer, id, { to: 'in_review', reviewer_handle: implementer.handle });
      },
      '403 not_implementer': async (world) => {
        const { id, proposer, reviewer } = await orderIn(world, 'building');
        return move(world, proposer, id, { to: 'in_review', reviewer_handle: reviewer.handle });
      },
      '403 not_reviewer (merges)': async (world) => {
        const { id, implementer } = await orderIn(world, 'in_review');
        return move(world, implementer, id, { to: 'merged' });
      },
      '403 not_reviewer (sends back)': async (world) => {
        const { id, implementer } = await orderIn(world, 'in_review');
        return move(world, implementer, id, { to: 'building' });
      },
      '403 not_a_participant': async (world) => {
        const { id } = await orderIn(world, 'building');
        return move(world, world.ada, id, { to: 'rejected' });
      },
      '404 work_order_not_found': (world) => move(world, world.ada, nowhere, { to: 'rejected' }),
      ...needsToken(`/v1/work-orders/${nowhere}/transition`, { to: 'rejected' }),
    },
    shows: { WorkOrder: (body) => body.work_order, WorkOrderEvent: (body) => body.work_order.events.at(-1) },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
