/** Ways to plant a fault into an agent. */
import type { Agent, Said } from './healthy-agent.ts';

export interface PlantedFault {
  readonly name: string;
  readonly plant: (agent: Agent) => Agent;
  /** What the first two sentences of a report must say. */
  readonly said: RegExp;
}

/** Changes what reaches the agent. */
export function way(change: (text: string) => string): (agent: Agent) => Agent {
  return (agent) => (call) =>
    agent({
      ...call,
      messages: call.messages.map((one) =>
        one.role === 'user' ? { ...one, content: change(one.content) } : one,
      ),
    });
}

/** Changes what comes back. */
export function back(change: (text: string, messages: readonly Said[]) => string): (agent: Agent) => Agent {
  return (agent) => (call) => {
    const returned = agent(call);
    return typeof returned === 'string' ? change(returned, call.messages) : returned;
  };
}

/** Keeps a number per agent, so that runs do not share it. */
export function counted(make: (count: () => number) => (agent: Agent) => Agent): (agent: Agent) => Agent {
  return (agent) => {
    let count = 0;
    return make(() => (count += 1))(agent);
  };
}

export const asked = (messages: readonly Said[]) => messages.at(-1)?.content ?? '';
export const length = (messages: readonly Said[]) =>
  messages.reduce((sum, { content }) => sum + content.length, 0);
