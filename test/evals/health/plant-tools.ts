/** Ways to plant a fault into an agent that calls tools. */
import type { Step, ToolCall } from '#evals/worlds/world.ts';
import { type Args, knownOf, type Message, say, type ToolAgent } from './tool-agent.ts';

export interface ToolFault {
  readonly name: string;
  readonly said: RegExp;
  readonly plant: (agent: ToolAgent) => ToolAgent;
}

/** @param take takes a step in place of the agent */
export const instead = (
  name: string,
  said: RegExp,
  take: (agent: ToolAgent, messages: readonly Message[]) => Step,
): ToolFault => ({ name, said, plant: (agent) => (messages) => take(agent, messages) });

export function changeSteps(
  name: string,
  said: RegExp,
  change: (step: Step, messages: readonly Message[]) => Step,
): ToolFault {
  return instead(name, said, (agent, messages) => change(agent(messages), messages));
}

/** Says the first call of a step in place of making it. */
export const sayCall = (name: string, textOf: (one: ToolCall) => string): ToolFault =>
  changeSteps(name, /come back as text/, (step) => {
    const [one] = step.calls;
    return one === undefined ? step : say(textOf(one));
  });

export function changeCalls(name: string, said: RegExp, change: (made: ToolCall) => ToolCall): ToolFault {
  return changeSteps(name, said, (step) => ({ ...step, calls: step.calls.map(change) }));
}

/** Changes arguments of calls; one that becomes undefined is left out. */
export function changeArgs(
  name: string,
  said: RegExp,
  change: (name: string, value: unknown) => unknown,
): ToolFault {
  return changeCalls(name, said, (one) => ({
    ...one,
    arguments: Object.fromEntries(
      Object.entries(argsOf(one))
        .map(([key, value]) => [key, change(key, value)] as const)
        .filter(([, value]) => value !== undefined),
    ),
  }));
}

export function changeResults(
  name: string,
  said: RegExp,
  change: (content: string) => string | null,
): ToolFault {
  return instead(name, said, (agent, messages) =>
    agent(
      messages.flatMap((one): Message[] => {
        if (one.role !== 'tool') return [one];
        const content = change(one.content);
        return content === null ? [] : [{ ...one, content }];
      }),
    ),
  );
}

export const argsOf = ({ arguments: given }: ToolCall) => given as Args;
export const lastKnown = (messages: readonly Message[]) => knownOf(messages).at(-1);
