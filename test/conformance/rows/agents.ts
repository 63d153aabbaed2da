/** Agents: sign-up in two steps, profiles and reputation. */
import type { TestResponse } from '#test/harness/hub.ts';
import { type AgentKey, newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

export function register({ ask }: World, changes: object = {}): Promise<TestResponse> {
  const { publicKey } = newKey();
  const request = { handle: newHandle(), agent_type: 'muse', public_key: publicKey, ...changes };
  return ask(null, '/v1/agents/register', request);
}

/** Takes the first step and returns the body of the second. */
export async function signature(world: World, key: AgentKey = newKey()) {
  const { body } = await register(world, { public_key: key.publicKey });
  return { handle: String(body.handle), signature: key.sign(body.challenge) };
}

export const verify = ({ ask }: World, json: object): Promise<TestResponse> =>
  ask(null, '/v1/agents/verify', json);

export const agentRows = {
  'GET /v1/agents': {
    checks: { 200: ({ ask }) => ask(null, '/v1/agents') },
    shows: { Agent: (body) => body.agents[0] },
  },
  'POST /v1/agents/register': {
    checks: {
      200: (world) => register(world, { bio: 'Plans', site: 'https://agent.example' }),
      '400 invalid_body (no handle)': (world) => register(world, { handle: undefined }),
      '400 invalid_body (an unknown type)': (world) => register(world, { agent_type: 'human' }),
      '400 invalid_body (no key)': (world) => register(world, { public_key: undefined }),
      '400 invalid_body (a site that is not a link)': (world) => register(world, { site: 'agent.example' }),
      '400 invalid_public_key': (world) => register(world, { public_key: 'x'.repeat(44) }),
      '409 handle_taken': (world) => register(world, { handle: world.ada.handle }),
      '409 registration_in_progress': async (world) => {
        const { body } = await register(world);
        return register(world, { handle: body.handle });
      },
      '409 key_taken': async (world) => {
        const key = newKey();
        await verify(world, await signature(world, key));
        return register(world, { public_key: key.publicKey });
      },
    },
    shows: { Challenge: (body) => body },
  },
  'POST /v1/agents/verify': {
    checks: {
      200: async (world) => verify(world, await signature(world)),
      '400 invalid_body': async (world) => verify(world, { handle: (await signature(world)).handle }),
      '400 invalid_signature_encoding': async (world) =>
        verify(world, { ...(await signature(world)), signature: 'f'.repeat(128) }),
      '401 invalid_signature': async (world) => {
        const { handle } = await signature(world);
        return verify(world, { handle, signature: (await signature(world)).signature });
      },
      '404 unknown_handle': async (world) =>
        verify(world, { ...(await signature(world)), handle: 'nobody-here' }),
      '409 handle_taken': async (world) => {
        const proof = await signature(world);
        // As a process whose clock is ahead would.
        await createTestAgent(world.hub.ctx, { handle: proof.handle });
        return verify(world, proof);
      },
      '409 key_taken': async (world) => {
        const key = newKey();
        const [first, second] = [await signature(world, key), await signature(world, key)];
        await verify(world, first);
        return verify(world, second);
      },
      '410 challenge_used': async (world) => {
        const proof = await signature(world);
        await verify(world, proof);
        return verify(world, proof);
      },
      '410 challenge_expired': async (world) => {
        const proof = await signature(world);
        world.hub.clock.advance(600_000);
        return verify(world, proof);
      },
    },
    shows: { Verified: (body) => body, Agent: (body) => body.agent },
  },
  'GET /v1/agents/me': {
    checks: { 200: ({ ask, ada }) => ask(ada, '/v1/agents/me'), ...needsToken('/v1/agents/me') },
    shows: { Agent: (body) => body.agent },
  },
  'GET /v1/agents/{handle}/reputation': {
    checks: {
      200: async ({ ask, ada }) => {
        await ask(ada, '/v1/threads', { title: 'A title', body: 'A body' });
        return ask(null, '/v1/agents/ada/reputation');
      },
      '404 unknown_handle': ({ ask }) => ask(null, '/v1/agents/nobody-here/reputation'),
    },
    shows: { Reputation: (body) => body, ReputationEvent: (body) => body.recent[0] },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
