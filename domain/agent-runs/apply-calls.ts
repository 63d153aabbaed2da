import { and, eq } from 'drizzle-orm';
import type { AgentRunCallRow, RunRow, AgentRunTaskRow } from '#db/schema/run-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../context.ts';
import { argumentSize } from '#evals/office/session.ts';
import type { ToolCall } from '#evals/office/tool.ts';
import { endTask } from './end-task.ts';
import { keepSession, openSession } from './task-sessions.ts';

export interface NamedCall extends ToolCall {
  readonly callId: string;
  /** The text that came with the call, in push mode. */
  readonly said: string | null;
}

export interface AppliedCalls {
  /** Fewer than requested if one of them ended the task. */
  readonly made: readonly AgentRunCallRow[];
  readonly endedTask: boolean;
}

/** Makes calls in the office of an open task, in order, either all or none. Requires a locked run. */
export async function applyCalls(
  ctx: TransactionCtx,
  run: RunRow,
  row: AgentRunTaskRow,
  calls: readonly NamedCall[],
): Promise<AppliedCalls> {
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  const opened = await openSession(ctx, run, row);
  const { session } = opened;
  const made: AgentRunCallRow[] = [];
  let argumentBytes = row.argumentBytes;
  for (const { tool, args, ...named } of calls) {
    if (session.ended) break;
    argumentBytes += argumentSize(args);
    const result = session.call({ tool, args });
    const position = row.calls + made.length + 1;
    made.push({ runId: run.id, n: row.n, position, tool, args, result, madeAt: ctx.clock.now(), ...named });
  }
  const changed = { ...row, calls: row.calls + made.length, argumentBytes };
  await ctx.db.query
    .update(agentRunTasks)
    .set({ calls: changed.calls, argumentBytes })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, row.n)));
  await ctx.db.query.insert(agentRunCalls).values(made);
  crashPoint('agent-call.written');
  if (session.ended) await endTask(ctx, run, changed, { opened });
  else keepSession(ctx, run, opened);
  return { made, endedTask: session.ended };
}
