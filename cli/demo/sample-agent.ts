/** Evaluation targets for the demo: one agent without a language model, and one that is broken. */
import type { AgentKey } from '../client/agent-key.ts';
import type { HubClient } from '../client/hub-client.ts';

interface RunningAgent {
  readonly url: string;
  stop(): Promise<void>;
}

/** Slow enough for the progress to be visible. */
const thinkingMs = 60;

/** A target accepts POST `{prompt}` and responds with JSON `{text}`. This one always says the same. */
export function startSampleAgent(): RunningAgent {
  return serve(async () => {
    await Bun.sleep(thinkingMs);
    return Response.json({ text: 'Answer: unknown' });
  });
}

export function startBrokenAgent(): RunningAgent {
  return serve(() => new Response('out of order', { status: 500 }));
}

function serve(answer: () => Response | Promise<Response>): RunningAgent {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: answer,
  });
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) };
}

interface SignedUp {
  readonly challenge: string;
  readonly did: string;
  readonly token: string;
}

/** Registers an agent in two steps: request a challenge, then prove possession of the key by signing it. */
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
