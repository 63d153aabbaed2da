/** Ways to plant a fault into an agent that calls tools. */
import type { ToolCall } from '#evals/worlds/world.ts';
import { type Args, knownOf, type Message, type ToolAgent } from './tool-agent.ts';

export interface ToolFault {
  readonly name: string;
  readonly plant: (agent: ToolAgent) => ToolAgent;
  readonly said: RegExp;
}

export function changeCalls(change: (made: ToolCall) => ToolCall | null): (agent: ToolAgent) => ToolAgent {
  return (agent) => (messages) => {
    const step = agent(messages);
    return { ...step, calls: step.calls.flatMap((one) => change(one) ?? []) };
  };
}

/** Changes arguments of calls; one that becomes undefined is left out. */
export function changeArgs(
  change: (name: string, value: unknown) => unknown,
): (agent: ToolAgent) => ToolAgent {
  return changeCalls((one) => ({
    ...one,
    arguments: Object.fromEntries(
      Object.entries(argsOf(one)).flatMap(([name, value]) => {
        const changed = change(name, value);
        return changed === undefined ? [] : [[name, changed]];
      }),
    ),
  }));
}

export function changeResults(
  change: (content: string, at: number, all: readonly string[]) => string | null,
): (agent: ToolAgent) => ToolAgent {
  return (agent) => (messages) => {
    const contents = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
    let at = -1;
    return agent(
      messages.flatMap((one): Message[] => {
        if (one.role !== 'tool') return [one];
        at += 1;
        const content = change(one.content, at, contents);
        return content === null ? [] : [{ ...one, content }];
      }),
    );
  };
}

export const argsOf = ({ arguments: given }: ToolCall) => given as Args;
export const lastKnown = (messages: readonly Message[]) => knownOf(messages).at(-1);
