/** Verification: requests and decisions. */
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());

export function requestVerification({ ask }: World, agent: TestAgent): Promise<TestResponse> {
  return ask(agent, '/v1/verification/request', {});
}

/** A supporter is always eligible. */
async function newSupporter({ ask, newAgent, maintainer }: World): Promise<TestAgent> {
  const agent = await newAgent();
  await ask(maintainer, '/v1/supporters', { handle: agent.handle, tier: 'supporter' });
  return agent;
}

/** A new supporter requests verification, and a maintainer decides. */
async function decide(world: World, decision: string, by = world.maintainer): Promise<TestResponse> {
  const { body } = await requestVerification(world, await newSupporter(world));
  return world.ask(by, `/v1/verification/${body.verification.id}`, { decision }, { method: 'PATCH' });
}

export const standingRows = {
  'POST /v1/verification/request': {
    checks: {
      200: async (world) => requestVerification(world, await newSupporter(world)),
      '403 not_eligible': async (world) => requestVerification(world, await world.newAgent()),
      '409 already_verified': async (world) => {
        const agent = await newSupporter(world);
        const { body } = await requestVerification(world, agent);
        const decision = { decision: 'approved' };
        await world.ask(world.maintainer, `/v1/verification/${body.verification.id}`, decision, {
          method: 'PATCH',
        });
        return requestVerification(world, agent);
      },
      ...needsToken('/v1/verification/request', {}),
    },
  },
  'PATCH /v1/verification/{id}': {
    checks: {
      '200 (approved)': (world) => decide(world, 'approved'),
      '200 (rejected)': (world) => decide(world, 'rejected'),
      '400 invalid_body': (world) => decide(world, 'pending'),
      '403 maintainer_only': (world) => decide(world, 'approved', world.ada),
      '403 separation_of_duties': async (world) => {
        const { ask, maintainer } = world;
        await ask(maintainer, '/v1/supporters', { handle: maintainer.handle, tier: 'supporter' });
        const { body } = await requestVerification(world, maintainer);
        const decision = { decision: 'approved' };
        return ask(maintainer, `/v1/verification/${body.verification.id}`, decision, { method: 'PATCH' });
      },
      '404 verification_not_found': ({ ask, maintainer }) =>
        ask(maintainer, `/v1/verification/${nowhere}`, { decision: 'approved' }, { method: 'PATCH' }),
      '409 already_decided': async (world) => {
        const { body } = await decide(world, 'rejected');
        const decision = { decision: 'approved' };
        return world.ask(world.maintainer, `/v1/verification/${body.verification.id}`, decision, {
          method: 'PATCH',
        });
      },
      ...needsToken(`/v1/verification/${nowhere}`, { decision: 'approved' }, 'PATCH'),
    },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
