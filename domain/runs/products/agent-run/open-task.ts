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
import { argumentSize, limitsOf } from '#evals/week/task-limits.ts';
import { promptOf, type Week, type WeekCall } from '#evals/week/week.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TransactionCtx } from '../../../context.ts';
import { invariant } from '../../../errors.ts';
import { runTopic } from '../../run-limits.ts';
import { keepWeek, openWeek, placeInWeek } from './weeks.ts';

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
  const week = await openWeek(ctx, run, { n, calls: 0 });
  const presented = week.present();
  invariant(presented !== null, `The week has a task ${n}.`);
  const { level, budget } = presented;
  const now = ctx.clock.now();
  const row = {
    runId: run.id,
    n,
    calls: 0,
    argumentBytes: 0,
    handedOutAt: now,
    endedAt: null,
    task: { level, budget, prompt: promptOf(presented), policy: week.brief },
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
  keepWeek(ctx, run, n, week);
  crashPoint('agent-task.handed-out');
  return { run: { ...run, dueAt, ...begun }, row };
}

export interface NamedCall extends WeekCall {
  readonly callId: string;
  /** The text that came with the call, in push mode. */
  readonly said: string | null;
}

export interface AppliedCalls {
  /** Fewer than requested if one of them ended the task. */
  readonly made: readonly AgentRunCallRow[];
  readonly endedTask: boolean;
  readonly run: RunRow;
}

/** Makes calls in the office of an open task, in order, either all or none. */
export async function applyCalls(
  ctx: TransactionCtx,
  run: RunRow,
  row: AgentRunTaskRow,
  calls: readonly NamedCall[],
): Promise<AppliedCalls> {
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  const week = await openWeek(ctx, run, row);
  const made: AgentRunCallRow[] = [];
  let argumentBytes = row.argumentBytes;
  let endedTask = false;
  for (const { tool, args, ...named } of calls) {
    if (endedTask) break;
    argumentBytes += argumentSize(args);
    const result = week.call(tool, args);
    endedTask = result['task_ended'] === true;
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
  if (endedTask) return { made, endedTask, run: await endOpenTask(ctx, run, changed, { week }) };
  keepWeek(ctx, run, row.n, week);
  return { made, endedTask, run };
}

export interface TaskEnd {
  /** The week of the task if the caller has it. */
  readonly week?: Week;
  /** Why the target could not continue. */
  readonly error?: RunFailureCode;
}

/** Grades and closes the open task. The run goes on, even if this was its last task. */
export async function endOpenTask(
  ctx: TransactionCtx,
  run: RunRow,
  open: AgentRunTaskRow,
  { week: given, error }: TaskEnd = {},
): Promise<RunRow> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const week = given ?? (await openWeek(ctx, run, open));
  const verdict = { ...verdictOf(week, run, open.n), ...(error === undefined ? {} : { error }) };
  await ctx.db.query
    .update(agentRunTasks)
    .set({ endedAt: ctx.clock.now(), verdict })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, open.n)));
  const progressDone = run.progressDone + 1;
  await ctx.db.query.update(runs).set({ progressDone }).where(eq(runs.id, run.id));
  ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
  if (progressDone < run.progressTotal) keepWeek(ctx, run, open.n, week);
  return { ...run, progressDone };
}

/** What was missed is stored once for each task, up to this many things. */
const missedMax = 60;

function verdictOf(week: Week, run: RunRow, n: number): FullTaskVerdict {
  const place = placeInWeek(run, n);
  if (week.verdicts.length === place) week.end();
  const verdict = week.verdicts[place];
  invariant(verdict !== undefined, `Task ${n} has ended.`);
  return { ...verdict, n, missed: verdict.missed.slice(0, missedMax) };
}
