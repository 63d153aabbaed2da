import { and, desc, eq } from 'drizzle-orm';
import type { AgentRunCallRow, RunRow, AgentRunTaskRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { argumentSize, taskBudget } from '#evals/office/session.ts';
import type { ToolResult } from '#evals/office/tool.ts';
import { hasEnded } from '../runs/find-run.ts';
import { isOverdue } from '../runs/run-limits.ts';
import { applyCalls } from './apply-calls.ts';
import { isOutOfTime } from './end-task.ts';
import { findOpenTask } from './score-tasks.ts';
import { requirePullMode } from '../runs/find-run.ts';
import { lockOwnAgentRun } from './show-agent-run.ts';
import { operation } from '../operation.ts';

export interface AgentCallInput {
  readonly runId: string;
  /** Null for the open task; then `callId` identifies a call within the whole run. */
  readonly n: number | null;
  /** The agent's id for the call. Within a task, the same id means the same call. */
  readonly callId: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface AgentCallOutcome {
  /** The task in which the call was made. */
  readonly n: number;
  readonly result: ToolResult;
  readonly callsLeft: number;
  /** Whether the call was the last of its task. */
  readonly endedTask: boolean;
}

/**
 * Makes one call in the office of a task. A wrong tool or wrong arguments produce a result, which counts as a call. A
 * repeated call returns its first result, even after the task has ended.
 *
 * @throws DomainError agent_run_not_found, not_pull_mode, task_not_found, call_id_reused, task_ended, budget_exhausted
 */
export async function makeAgentCall(ctx: AgentCtx, input: AgentCallInput): Promise<AgentCallOutcome> {
  return withTransaction(ctx, async (inner) => {
    const run = requirePullMode(await lockOwnAgentRun(inner, input));
    const made = await findCall(inner, input);
    if (made !== null) return repeat(made, input);
    const row = await findTask(inner, run, input.n);
    const bytes = argumentSize(input.args);
    const refusal = whyRefused(inner, run, row, bytes);
    if (refusal !== null) throw refusal;
    const { callId, tool, args } = input;
    const { made: applied } = await applyCalls(inner, run, row, [{ callId, tool, args, said: null }]);
    const [call] = applied;
    invariant(call !== undefined, 'An open task takes a call.');
    return outcomeOf(call);
  });
}

function outcomeOf({
  n,
  position,
  result,
}: Pick<AgentRunCallRow, 'n' | 'position' | 'result'>): AgentCallOutcome {
  const callsLeft = taskBudget.calls - position;
  return { n, result, callsLeft, endedTask: callsLeft === 0 || result['finished'] === true };
}

/** @throws DomainError task_not_found */
async function findTask(ctx: TransactionCtx, run: RunRow, n: AgentCallInput['n']): Promise<AgentRunTaskRow> {
  const row = n === null ? await findOpenTask(ctx, run) : await readTask(ctx, run, n);
  if (row !== null) return row;
  if (n !== null) {
    const message = `Task ${n} of this run has not been fetched.`;
    throw new DomainError('task_not_found', message, { hint: nextTaskHint });
  }
  throw whyNoTask(run);
}

function whyNoTask(run: RunRow): DomainError {
  if (hasEnded(run)) return runEnded();
  return new DomainError('task_not_found', 'No task of this run is open.', {
    hint: `Fetch the next task before you call its tools: ${operation('getAgentRunsByIdTasksNext')}.`,
  });
}

async function readTask({ db }: TransactionCtx, run: RunRow, n: number): Promise<AgentRunTaskRow | null> {
  const { agentRunTasks } = db.tables;
  const [row] = await db.query
    .select()
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, n)));
  return row ?? null;
}

async function findCall(
  { db }: TransactionCtx,
  { runId, n, callId }: AgentCallInput,
): Promise<AgentRunCallRow | null> {
  const { agentRunCalls } = db.tables;
  const [made] = await db.query
    .select()
    .from(agentRunCalls)
    .where(
      and(
        eq(agentRunCalls.runId, runId),
        n === null ? undefined : eq(agentRunCalls.n, n),
        eq(agentRunCalls.callId, callId),
      ),
    )
    .orderBy(desc(agentRunCalls.n))
    .limit(1);
  return made ?? null;
}

function repeat(made: AgentRunCallRow, { n, tool, args, callId }: AgentCallInput): AgentCallOutcome {
  if (made.tool !== tool || !Bun.deepEquals(made.args, args)) {
    const scope = n === null ? 'run' : 'task';
    throw new DomainError(
      'call_id_reused',
      `\`call_id\` ${JSON.stringify(callId)} has already been used for another call of this ${scope}.`,
      { hint: 'Use a new `call_id` for each call, and the same one only to retry a call.' },
    );
  }
  return outcomeOf(made);
}

const nextTaskHint = `${operation('getAgentRunsByIdTasksNext')} returns the next task.`;

function whyRefused(
  ctx: TransactionCtx,
  run: RunRow,
  row: AgentRunTaskRow,
  bytes: number,
): DomainError | null {
  if (row.verdict !== null && row.verdict.outcome !== null)
    return new DomainError('task_ended', `Task ${row.n} ended with \`finish\`.`, { hint: nextTaskHint });
  if (row.calls >= taskBudget.calls)
    return exhausted(`All ${taskBudget.calls} calls of the task have been made.`);
  if (isOverdue(ctx.clock.now(), run) || hasEnded(run)) return runEnded();
  if (row.endedAt !== null || isOutOfTime(ctx, row))
    return exhausted(`The ${taskBudget.seconds} seconds of the task are over.`);
  const left = taskBudget.argumentBytes - row.argumentBytes;
  if (bytes <= left) return null;
  return exhausted(
    `The arguments of this call take ${bytes} bytes, but only ${left} of the task's ${taskBudget.argumentBytes} are left.`,
    'Send shorter arguments, or call `finish`.',
  );
}

function runEnded(): DomainError {
  return new DomainError('task_ended', 'The run has ended, and its tasks with it.', {
    hint: `${operation('getAgentRunsById')} shows its scorecard.`,
  });
}

function exhausted(message: string, hint: string = nextTaskHint): DomainError {
  return new DomainError('budget_exhausted', message, { hint });
}
