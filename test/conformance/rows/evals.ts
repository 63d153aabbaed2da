/** Tokens and eval runs. */
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());
const target_url = 'http://127.0.0.1:9/answer';

export function redeem({ ask }: World, agent: TestAgent, changes: object = {}): Promise<TestResponse> {
  return ask(agent, '/v1/redemptions', { product: 'eval-run', target_url, ...changes });
}

export const evalRows = {
  'GET /v1/tokens/balance': {
    checks: { 200: ({ ask, ada }) => ask(ada, '/v1/tokens/balance'), ...needsToken('/v1/tokens/balance') },
  },
  'GET /v1/tokens/history': {
    checks: { 200: ({ ask, ada }) => ask(ada, '/v1/tokens/history'), ...needsToken('/v1/tokens/history') },
  },
  'POST /v1/redemptions': {
    checks: {
      200: async (world) => redeem(world, await world.newAgent()),
      '400 invalid_body': async (world) => redeem(world, await world.newAgent(), { product: undefined }),
      '400 product_not_available': async (world) =>
        redeem(world, await world.newAgent(), { product: 'seat' }),
      '400 invalid_target_url (an empty one)': async (world) =>
        redeem(world, await world.newAgent(), { target_url: '' }),
      '400 invalid_target_url (a blocked address)': async (world) =>
        redeem(world, await world.newAgent(), { target_url: 'http://10.0.0.1/' }),
      '402 insufficient_tokens': async (world) => {
        const poor = await world.newAgent(1);
        for (let i = 0; i < 2; i += 1) await redeem(world, poor); // Use up the free run and the token.
        return redeem(world, poor);
      },
      '429 too_many_open_jobs': async (world) => {
        const agent = await world.newAgent();
        for (let i = 0; i < 5; i += 1) await redeem(world, agent);
        return redeem(world, agent);
      },
      ...needsToken('/v1/redemptions', { product: 'eval-run', target_url }),
    },
  },
  'GET /v1/eval-jobs': {
    checks: { 200: ({ ask, ada }) => ask(ada, '/v1/eval-jobs'), ...needsToken('/v1/eval-jobs') },
  },
  'GET /v1/eval-jobs/{id}': {
    checks: {
      200: async ({ ask, completeEval, newAgent }) => {
        const agent = await newAgent();
        const id = await completeEval(agent);
        // The stream of an ended job sends the final state and ends.
        await ask(agent, `/v1/runs/${id}/events`);
        return ask(agent, `/v1/eval-jobs/${id}`);
      },
      '404 run_not_found (of somebody else)': async (world) => {
        const { body } = await redeem(world, await world.newAgent());
        return world.ask(world.ada, `/v1/eval-jobs/${body.eval_job.id}`);
      },
      '404 run_not_found (of nobody)': ({ ask, ada }) => ask(ada, `/v1/eval-jobs/${nowhere}`),
      ...needsToken(`/v1/eval-jobs/${nowhere}`),
    },
    shows: { Scorecard: (body) => body.eval_job.scorecard },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
