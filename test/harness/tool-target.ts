/** OpenAI-style targets that work with tools, for agent runs in push mode. */
import type { ToolMessage } from '#domain/targets/tool-calls.ts';
import type { Ctx } from '#domain/context.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { WeekCall } from '#evals/week/week.ts';
import { readAgentRun, taskAt } from './agent-runs.ts';
import { startTarget, type TestTarget } from './target.ts';

/** A reply that asks for these calls. */
export function toolCallsReply(calls: readonly WeekCall[], content: string | null = null): Response {
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
  readonly left: readonly WeekCall[];
  /** The number of the call to this target, from 1. */
  readonly call: number;
}

/**
 * @param known the runs whose plans it knows, which may grow; null if it plays by itself
 * @param reply by default, two calls of a perfect agent at once
 */
export function startToolTarget(
  known: { readonly ctx: Ctx; readonly runs: readonly Pick<RunRow, 'id'>[] } | null,
  reply: (turn: ToolTurn) => Response | Promise<Response> = ({ left }) => toolCallsReply(left.slice(0, 2)),
): TestTarget {
  const plans = new Map<string, readonly WeekCall[]>();
  let call = 0;
  return startTarget(async ({ body }) => {
    // The hub sends messages of this form.
    const { messages } = body as { readonly messages: readonly ToolMessage[] };
    const prompt = messages.find(({ role }) => role === 'user')?.content ?? '';
    const made = messages.filter(({ role }) => role === 'tool').length;
    if (known !== null && !plans.has(prompt) && made === 0)
      plans.set(prompt, await planOf(known.ctx, known.runs, prompt));
    call += 1;
    return reply({ messages, left: plans.get(prompt)?.slice(made) ?? [], call });
  });
}

/** Empty for the prompt of no open task. */
async function planOf(
  ctx: Ctx,
  runs: readonly Pick<RunRow, 'id'>[],
  prompt: string,
): Promise<readonly WeekCall[]> {
  for (const { id } of runs) {
    const { run } = await readAgentRun(ctx, id);
    if (run.status !== 'running') continue;
    const found = await taskAt(ctx, run, run.progressDone);
    if (found.prompt === prompt) return found.plan;
  }
  return [];
}
