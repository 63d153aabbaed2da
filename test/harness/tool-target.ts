/** OpenAI-style targets that work with tools, for agent runs in push mode. */
import type { ToolMessage } from '#domain/targets/tool-calls.ts';
import { makeTasks, planOf } from '#evals/office/make-tasks.ts';
import type { ToolCall } from '#evals/office/tool.ts';
import { startTarget, type TestTarget } from './target.ts';

/** A reply that asks for these calls. */
export function toolCallsReply(calls: readonly ToolCall[], content: string | null = null): Response {
  const tool_calls = calls.map(({ tool, args }, index) => ({
    // The same ids in every reply, like those of some local servers.
    id: `call_${index}`,
    type: 'function',
    function: { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return Response.json({ choices: [{ index: 0, message: { role: 'assistant', content, tool_calls } }] });
}

export function textReply(content: string): Response {
  return Response.json({ choices: [{ index: 0, message: { role: 'assistant', content } }] });
}

export interface ToolTurn {
  readonly messages: readonly ToolMessage[];
  /** The remaining calls of a perfect agent; empty for a task of an unknown run. */
  readonly left: readonly ToolCall[];
  /** The number of the call to this target, from 1. */
  readonly call: number;
}

/**
 * @param seeds of the runs whose plans it knows
 * @param reply by default, two calls of a perfect agent at once
 */
export function startToolTarget(
  seeds: readonly string[],
  reply: (turn: ToolTurn) => Response | Promise<Response> = ({ left }) => toolCallsReply(left.slice(0, 2)),
): TestTarget {
  const plans = new Map<string, readonly ToolCall[]>();
  let call = 0;
  return startTarget(({ body }) => {
    // The hub sends messages of this form.
    const { messages } = body as { readonly messages: readonly ToolMessage[] };
    for (const seed of seeds) {
      if (!plans.has(seed)) for (const task of makeTasks(seed)) plans.set(task.prompt, planOf(task));
      plans.set(seed, []);
    }
    const prompt = messages.find(({ role }) => role === 'user')?.content ?? '';
    const made = messages.filter(({ role }) => role === 'tool').length;
    call += 1;
    return reply({ messages, left: plans.get(prompt)?.slice(made) ?? [], call });
  });
}
