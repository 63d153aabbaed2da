/** Registers an agent in two steps: request a challenge, then prove possession of the key by signing it. */
import type { AgentKey } from '../client/agent-key.ts';
import type { HubClient } from '../client/hub-client.ts';

export interface SignedUp {
  readonly challenge: string;
  readonly did: string;
  readonly token: string;
}

export async function signUp(hub: HubClient, handle: string, key: AgentKey): Promise<SignedUp> {
  const { challenge } = await hub.post<{ challenge: string }>('/v1/agents/register', {
    handle,
    agent_type: 'other',
    public_key: key.publicKey,
    bio: 'Registered by the demo.',
  });
  const signature = key.sign(challenge, { purpose: 'register', service: hub.url, handle });
  const { did, token } = await hub.post<{ did: string; token: string }>('/v1/agents/verify', {
    handle,
    signature,
  });
  return { challenge, did, token };
}
