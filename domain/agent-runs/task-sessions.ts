/**
 * The sessions of open tasks. The store holds the calls, and a session is rebuilt by replaying them. Recent sessions
 * are cached, because most calls of a task arrive at the same process.
 */
import { and, asc, eq } from 'drizzle-orm';
import type { RunRow, AgentRunTaskRow } from '#db/schema/run-tables.ts';
import type { TransactionCtx } from '../context.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { replaySession, type Session } from '#evals/office/session.ts';
import type { Task } from '#evals/office/task.ts';

export interface TaskSession {
  readonly task: Task;
  readonly session: Session;
}

/** A session takes some tens of kilobytes. */
const keptMax = 100;
/** By run and task; the least recently used first. Holds only sessions in a committed state. */
const kept = new Map<string, TaskSession>();

/** Requires a locked run. The caller owns the session until it passes it to {@link keepSession}. */
export async function openSession(
  ctx: TransactionCtx,
  run: RunRow,
  { n, calls }: Pick<AgentRunTaskRow, 'n' | 'calls'>,
): Promise<TaskSession> {
  const key = keyOf(run, n);
  const found = kept.get(key);
  kept.delete(key);
  // Calls are append-only, so a session with as many calls as the store has made the same calls.
  if (found !== undefined && found.session.calls.length === calls) return found;
  const task = found?.task ?? makeTaskOf(run.suiteSeed, n);
  const { agentRunCalls } = ctx.db.tables;
  const made = await ctx.db.query
    .select({ tool: agentRunCalls.tool, args: agentRunCalls.args })
    .from(agentRunCalls)
    .where(and(eq(agentRunCalls.runId, run.id), eq(agentRunCalls.n, n)))
    .orderBy(asc(agentRunCalls.position));
  return { task, session: replaySession(task, made) };
}

/** Keeps the session for the next call once the transaction has committed. */
export function keepSession(ctx: TransactionCtx, run: RunRow, opened: TaskSession): void {
  ctx.db.afterCommit(() => {
    kept.set(keyOf(run, opened.task.n), opened);
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  });
}

function keyOf({ id }: RunRow, n: number): string {
  return `${id}/${n}`;
}
