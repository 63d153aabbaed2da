/**
 * Pull mode of agent runs: an agent fetches the tasks of its run one after the other, and makes the calls itself. The run
 * ends with its last task, or when its time is up.
 */
import { and, desc, eq } from 'drizzle-orm';
import type { AgentRunCallRow, AgentRunTaskRow, RunRow } from '#db/schema/run-tables.ts';
import { argumentSize, limitsOf } from '#evals/week/task-limits.ts';
import type { ToolResult } from '#evals/week/tools/tool.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../../../context.ts';
import { DomainError, invariant } from '../../../errors.ts';
import { operation } from '../../../operation.ts';
import { endLockedRun } from '../../cancel-run.ts';
import { lockOwnRun, requirePullMode, type RunKey } from '../../find-run.ts';
import { isOverdue } from '../../run-limits.ts';
import { hasEnded } from '../../run-outcome.ts';
import { settleLockedRun } from '../../settle-run.ts';
import { findOpenTask, openNextTask, takeStep } from './open-task.ts';
import { scoreTasks } from './score-tasks.ts';
import { isWeekGone, prepareOffice } from './weeks.ts';

export interface NextTask {
  /** The open task; null once the run has ended. */
  readonly task: AgentRunTaskRow | null;
  /** Tasks that have not ended, including the open one; 0 once the run has ended. */
  readonly remaining: number;
}

/**
 * Returns the open task of a run, or opens its next one. The first task starts the run. A run whose time is up ends here.
 *
 * @throws DomainError run_not_found, not_pull_mode
 */
export function takeNextTask(ctx: AgentCtx, { runId }: RunKey): Promise<NextTask> {
  return inOwnPullRun(ctx, runId, async (inner, locked) => {
    const isOver = isOverdue(inner.clock.now(), locked) || isWeekGone(locked);
    const mustEnd = !hasEnded(locked) && isOver;
    const current = mustEnd ? await endLockedRun(inner, locked, 'overdue') : locked;
    if (hasEnded(current)) return { task: null, remaining: 0 };
    const { run, row } = await openNextTask(inner, current);
    return { task: row, remaining: run.progressTotal - run.progressDone };
  });
}

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
 * @throws DomainError run_not_found, not_pull_mode, task_not_found, call_id_reused, task_ended, budget_exhausted
 */
export function makeAgentCall(ctx: AgentCtx, input: AgentCallInput): Promise<AgentCallOutcome> {
  return inOwnPullRun(ctx, input.runId, async (inner, run) => {
    const made = await findCall(inner, input);
    if (made !== null) return repeat(made, input);
    const row = await findTask(inner, run, input.n);
    const bytes = argumentSize(input.args);
    const refusal = whyRefused(inner, run, row, bytes);
    if (refusal !== null) throw refusal;
    const { callId, tool, args } = input;
    const step = { text: null, calls: [{ id: callId, name: tool, arguments: args }] };
    const taken = await takeStep(inner, run, row, step);
    const [call] = taken.made;
    invariant(call !== undefined, 'An open task takes a call.');
    const { progressDone, progressTotal } = taken.run;
    if (progressDone === progressTotal)
      await settleLockedRun(inner, taken.run, await scoreTasks(inner, taken.run));
    return outcomeOf(call);
  });
}

async function inOwnPullRun<T>(
  ctx: AgentCtx,
  runId: string,
  work: (inner: AgentCtx & TransactionCtx, run: RunRow) => Promise<T>,
): Promise<T> {
  await prepareOffice(ctx, runId, ctx.agent.id);
  return withTransaction(ctx, async (inner) =>
    work(inner, requirePullMode(await lockOwnRun(inner, { runId, product: 'agent-run' }))),
  );
}

function outcomeOf({ n, result }: Pick<AgentRunCallRow, 'n' | 'result'>): AgentCallOutcome {
  return { n, result, callsLeft: Number(result['calls_left']), endedTask: result['task_ended'] === true };
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
  const limits = limitsOf(row.task.budget);
  if (row.verdict?.finished === true)
    return new DomainError('task_ended', `Task ${row.n} ended with \`task_finish\`.`, { hint: nextTaskHint });
  if (row.calls >= limits.calls) return exhausted(`All ${limits.calls} calls of the task have been made.`);
  if (isOverdue(ctx.clock.now(), run) || hasEnded(run) || isWeekGone(run)) return runEnded();
  const left = limits.argumentBytes - row.argumentBytes;
  if (bytes <= left) return null;
  return exhausted(
    `The arguments of this call take ${bytes} bytes, but only ${left} of the task's ${limits.argumentBytes} are left.`,
    'Send shorter arguments, or call `task_finish`.',
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
