/**
 * The conversation with the target of a run in push mode. It is rebuilt from the stored calls for every request, so a
 * worker that takes over a run sends the same messages as the one that died.
 */
import type { AgentRunCallRow, StoredAgentTask } from '#db/schema/run-tables.ts';
import { reminder } from '#evals/week/office-world.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import type { Step } from '#evals/worlds/world.ts';
import type { ToolMessage, ToolReply } from '../../../targets/tool-calls.ts';

type MadeCall = Pick<AgentRunCallRow, 'callId' | 'tool' | 'args' | 'result' | 'said' | 'position'>;

export interface Conversation {
  readonly task: Pick<StoredAgentTask, 'prompt' | 'policy'>;
  readonly calls: readonly MadeCall[];
  /** The number of calls made before the target was reminded; null if it was not. */
  readonly remindedAfter: number | null;
}

/** The tools, as described to the target. */
export const toolDeclarations = weekTools.map(({ name, description, parameters }) => ({
  name,
  description,
  parameters,
}));

export function messagesOf({ task, calls, remindedAfter }: Conversation): readonly ToolMessage[] {
  const messages: ToolMessage[] = [
    { role: 'system', content: task.policy },
    { role: 'user', content: task.prompt },
  ];
  const remind = (made: number): void => {
    if (remindedAfter === made) messages.push({ role: 'user', content: reminder });
  };
  remind(0);
  for (const reply of Map.groupBy(calls, ({ callId }) => nameOf(callId).turn).values()) {
    messages.push(
      {
        role: 'assistant',
        content: reply[0]?.said ?? null,
        tool_calls: reply.map(({ callId, tool, args }) => ({
          id: nameOf(callId).id,
          type: 'function' as const,
          function: { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        })),
      },
      ...reply.map(({ callId, result }) => ({
        role: 'tool' as const,
        tool_call_id: nameOf(callId).id,
        content: JSON.stringify(result),
      })),
    );
    remind(reply.at(-1)?.position ?? 0);
  }
  return messages;
}

/** The next reply, with calls named so that it can be rebuilt from the store. */
export function stepOf({ calls }: Conversation, { said, calls: asked }: ToolReply): Step {
  const last = calls.at(-1);
  const turn = last === undefined ? 1 : nameOf(last.callId).turn + 1;
  return {
    text: said,
    calls: asked.map(({ id, tool, args }, index) => ({
      id: `${turn}.${index + 1} ${id}`,
      name: tool,
      arguments: args,
    })),
  };
}

function nameOf(callId: string): { readonly turn: number; readonly id: string } {
  const space = callId.indexOf(' ');
  // The number before the point, from `stepOf`, is that of the reply.
  return { turn: Number.parseInt(callId, 10), id: callId.slice(space + 1) };
}
