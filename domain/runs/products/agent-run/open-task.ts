/**
 * The open task of an agent run, from when it is handed out to its verdict. Requires a locked run; settles nothing. An agent
 * that fetches its tasks and a worker that sends them take the same steps.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type {
  AgentRunCallRow,
  AgentRunTaskRow,
  FullTaskVerdict,
  RunFailureCode,
  RunRow,
} from '#db/schema/run-tables.ts';
import type { ErrorResponse } from '#evals/stored-item.ts';
import { type OfficeState, verdictOf } from '#evals/week/office-world.ts';
import { limitsOf } from '#evals/week/task-limits.ts';
import type { Step } from '#evals/worlds/world.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../../../context.ts';
import { runTopic } from '../../run-limits.ts';
import { keepOffice, openOffice } from './weeks.ts';

export interface OpenTask {
  readonly run: RunRow;
  readonly row: AgentRunTaskRow;
}

/** Finds the open task of an open run, or hands out the next one. The first task starts the run. */
export async function openNextTask(ctx: TransactionCtx, run: RunRow): Promise<OpenTask> {
  const row = await findOpenTask(ctx, run);
  return row === null ? handOut(ctx, run, run.progressDone + 1) : { run, row };
}

export async function findOpenTask({ db }: TransactionCtx, run: RunRow): Promise<AgentRunTaskRow | null> {
  const { agentRunTasks } = db.tables;
  const [open] = await db.query
    .select()
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), isNull(agentRunTasks.endedAt)));
  return open ?? null;
}

async function handOut(ctx: TransactionCtx, run: RunRow, n: number): Promise<OpenTask> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const office = await openOffice(ctx, run, { n, calls: 0 });
  const { system, task } = office.world;
  const [prompt] = office.world.start().messages;
  const { level, budget } = task;
  const now = ctx.clock.now();
  const row = {
    runId: run.id,
    n,
    calls: 0,
    argumentBytes: 0,
    handedOutAt: now,
    endedAt: null,
    task: { level, budget, prompt: prompt?.content ?? '', policy: system },
    remindedAfter: null,
    usage: null,
    delayedMs: 0,
    verdict: null,
  };
  await ctx.db.query.insert(agentRunTasks).values(row);
  // Each task extends the time of the run; the first one starts it.
  const from = n === 1 || run.dueAt === null ? now : run.dueAt;
  const dueAt = new Date(from.getTime() + 1_000 * limitsOf(budget).seconds);
  const begun = n === 1 ? ({ status: 'running', startedAt: run.startedAt ?? now } as const) : {};
  await ctx.db.query
    .update(runs)
    .set({ dueAt, ...begun })
    .where(eq(runs.id, run.id));
  if (n === 1) ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  keepOffice(ctx, run, office);
  crashPoint('agent-task.handed-out');
  return { run: { ...run, dueAt, ...begun }, row };
}

export interface TakenStep {
  readonly run: RunRow;
  readonly row: AgentRunTaskRow;
  /** The calls of the step that were made, in order: fewer than requested if one of them ended the task. */
  readonly made: readonly AgentRunCallRow[];
  readonly endedTask: boolean;
}

/** Takes a step of the agent in an open task. */
export async function takeStep(
  ctx: TransactionCtx,
  run: RunRow,
  row: AgentRunTaskRow,
  step: Step,
): Promise<TakenStep> {
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  const office = await openOffice(ctx, run, row);
  const { state, done } = office.world.next(office.state, step);
  const made = state.calls
    .slice(row.calls)
    .map(({ name, arguments: args, result }, index): AgentRunCallRow => ({
      runId: run.id,
      n: row.n,
      position: row.calls + index + 1,
      callId: step.calls[index]?.id ?? '',
      said: index === 0 ? step.text : null,
      tool: name,
      args,
      // The results of the office are objects.
      result: JSON.parse(result) as AgentRunCallRow['result'],
      madeAt: ctx.clock.now(),
    }));
  const changes = {
    calls: state.calls.length,
    argumentBytes: state.argumentBytes,
    remindedAfter: state.isReminded ? (row.remindedAfter ?? row.calls) : null,
  };
  await ctx.db.query
    .update(agentRunTasks)
    .set(changes)
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, row.n)));
  if (made.length > 0) {
    await ctx.db.query.insert(agentRunCalls).values(made);
    crashPoint('agent-call.written');
  }
  keepOffice(ctx, run, { ...office, state });
  const changed = { ...row, ...changes };
  if (!done) return { run, row: changed, made, endedTask: false };
  return { run: await endOpenTask(ctx, run, changed, { state }), row: changed, made, endedTask: true };
}

export interface TaskEnd {
  /** The state of the task if the caller has it. */
  readonly state?: OfficeState;
  /** Why the target could not continue. A task that ends like that has not passed, whatever was done before. */
  readonly fault?: { readonly code: RunFailureCode; readonly response: ErrorResponse | null };
}

/** Grades and closes the open task. The run goes on, even if this was its last task. */
export async function endOpenTask(
  ctx: TransactionCtx,
  run: RunRow,
  open: AgentRunTaskRow,
  { state, fault }: TaskEnd = {},
): Promise<RunRow> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const found = verdictOf(state ?? (await openOffice(ctx, run, open)).state);
  const verdict: FullTaskVerdict = {
    ...found,
    n: open.n,
    missed: found.missed.slice(0, missedMax),
    ...(fault === undefined ? {} : { passed: false, error: fault.code }),
    ...(fault?.response == null ? {} : { error_response: fault.response }),
  };
  await ctx.db.query
    .update(agentRunTasks)
    .set({ endedAt: ctx.clock.now(), verdict })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, open.n)));
  const progressDone = run.progressDone + 1;
  await ctx.db.query.update(runs).set({ progressDone }).where(eq(runs.id, run.id));
  ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  return { ...run, progressDone };
}

/** What was missed is stored once for each task, up to this many things. */
const missedMax = 60;
