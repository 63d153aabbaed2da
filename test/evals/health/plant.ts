/** Ways to plant a fault into an agent. */
import type { Agent, Call, Returned, Said } from './healthy-agent.ts';

export interface PlantedFault {
  readonly name: string;
  /** What the first two sentences of a report must say. */
  readonly said: RegExp;
  readonly plant: (agent: Agent) => Agent;
}

export const planted = (name: string, said: RegExp, plant: PlantedFault['plant']): PlantedFault => ({
  name,
  said,
  plant,
});

/** Changes what reaches the agent. */
export function way(name: string, said: RegExp, change: (text: string) => string): PlantedFault {
  return recall(name, said, (messages) =>
    messages.map((one) => (one.role === 'user' ? { ...one, content: change(one.content) } : one)),
  );
}

/** Changes which messages of a conversation reach the agent. */
export function recall(
  name: string,
  said: RegExp,
  change: (messages: readonly Said[]) => readonly Said[],
): PlantedFault {
  return instead(name, said, (agent, call) => agent({ ...call, messages: change(call.messages) }));
}

/** Changes what comes back. */
export function back(
  name: string,
  said: RegExp,
  change: (text: string, messages: readonly Said[], count: number) => string,
): PlantedFault {
  return instead(name, said, (agent, call, count) => {
    const returned = agent(call);
    return typeof returned === 'string' ? change(returned, call.messages, count) : returned;
  });
}

/**
 * @param reply replies in place of the agent. `count` is the number of the call, from 1, counted for each agent, so that
 *   runs do not share it.
 */
export function instead(
  name: string,
  said: RegExp,
  reply: (agent: Agent, call: Call, count: number) => Returned,
): PlantedFault {
  return planted(name, said, (agent) => {
    let count = 0;
    return (call) => reply(agent, call, (count += 1));
  });
}

/** Calls for which `isHit` is true get `by` in place of a reply. */
export function replaced(
  name: string,
  said: RegExp,
  by: Returned,
  isHit: (call: Call, count: number) => boolean,
): PlantedFault {
  return instead(name, said, (agent, call, count) => (isHit(call, count) ? by : agent(call)));
}

/** Calls with the same key get the reply of the first one. */
export function cache(
  name: string,
  said: RegExp,
  keyOf: (messages: readonly Said[]) => string,
): PlantedFault {
  return planted(name, said, (agent) => {
    const replies = new Map<string, Returned>();
    return (call) => {
      const key = keyOf(call.messages);
      const reply = replies.get(key) ?? agent(call);
      replies.set(key, reply);
      return reply;
    };
  });
}

export const status = (code: number): Returned => ({ code: 'target_error_status', status: code });
export const asked = (messages: readonly Said[]) => messages.at(-1)?.content ?? '';
export const length = (messages: readonly Said[]) =>
  messages.reduce((sum, { content }) => sum + content.length, 0);
