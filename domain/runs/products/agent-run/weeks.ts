/**
 * The working weeks of open runs. The store holds the calls, and a week is rebuilt by making them again. Recent weeks are
 * cached, because most calls of a run arrive at the same process; one that is behind makes the missing calls only.
 */
import { and, asc, eq, gte, lte } from 'drizzle-orm';
import type { AgentRunTaskRow, RunRow, StoredAgentTask } from '#db/schema/run-tables.ts';
import { makeWeek, type Week, weekName, weekVersion } from '#evals/week/week.ts';
import { type WeekLevel, weekLevels } from '#evals/week/dials.ts';
import type { Ctx, TransactionCtx } from '../../../context.ts';
import { hasEnded } from '../../run-outcome.ts';

/** A week takes about 4 MB. */
const keptMax = 24;

interface KeptWeek {
  /** In a run that repeats its week: which one, from 0. */
  readonly turn: number;
  readonly week: Week;
}

/** By run; the least recently used first. Holds only weeks in a committed state. */
const kept = new Map<string, KeptWeek>();

/** The number of tasks in the week of a run. */
export function tasksInWeek({ runSize, repeat }: Pick<RunRow, 'runSize' | 'repeat'>): number {
  return runSize / repeat;
}

/** Whether this version can no longer make the week of a run. */
export function isWeekGone({ suiteVersion }: Pick<RunRow, 'suiteVersion'>): boolean {
  return suiteVersion !== weekVersion;
}

export const weekGoneMessage = 'The hub changed the office while the run was open.';

/** The place of a task in its week, from 0. */
export function placeInWeek(run: Pick<RunRow, 'runSize' | 'repeat'>, n: number): number {
  return (n - 1) % tasksInWeek(run);
}

/**
 * The week of a task, with all earlier tasks ended. Requires a locked run. The caller owns the week until it passes it to
 * {@link keepWeek}.
 *
 * @param calls the number of calls in the task
 */
export async function openWeek(
  ctx: TransactionCtx,
  run: RunRow,
  { n, calls }: Pick<AgentRunTaskRow, 'n' | 'calls'>,
): Promise<Week> {
  const found = kept.get(run.id)?.turn === turnOf(run, n) ? kept.get(run.id)?.week : undefined;
  kept.delete(run.id);
  // Calls are append-only, so a week with as many calls as the store has made the same calls.
  const isCurrent = found?.verdicts.length === placeInWeek(run, n) && found.calls === calls;
  return found !== undefined && isCurrent ? found : bringUpToDate(ctx, run, n, found ?? null);
}

/** Keeps the week for the next call once the transaction has committed. */
export function keepWeek(ctx: TransactionCtx, run: RunRow, n: number, week: Week): void {
  ctx.db.afterCommit(() => keep(run.id, { turn: turnOf(run, n), week }));
}

/**
 * Rebuilds the week of an open run, if it is not cached, before the run is locked: a long week takes a second or two.
 *
 * @param agentId of the agent that must own the run; null for a worker
 */
export async function prepareWeek(ctx: Ctx, runId: string, agentId: string | null): Promise<void> {
  if (kept.has(runId)) return;
  const key = `${runId}/${agentId}`;
  const begun = preparing.get(key) ?? prepare(ctx, runId, agentId).finally(() => preparing.delete(key));
  preparing.set(key, begun);
  // Without it, the week is rebuilt under the lock, and a fault of the database shows there.
  await begun.catch(() => undefined);
}

/** Concurrent requests for one run rebuild its week once. */
const preparing = new Map<string, Promise<void>>();

async function prepare(ctx: Ctx, runId: string, agentId: string | null): Promise<void> {
  const { runs } = ctx.db.tables;
  const isOwn = agentId === null ? undefined : eq(runs.agentId, agentId);
  const [run] = await ctx.db.query
    .select()
    .from(runs)
    .where(and(eq(runs.id, runId), eq(runs.suiteName, weekName), isOwn));
  if (run === undefined || hasEnded(run) || run.progressDone === run.progressTotal) return;
  const n = run.progressDone + 1;
  const week = await rebuildWeek(ctx, run, n);
  week.present();
  if (!kept.has(runId)) keep(runId, { turn: turnOf(run, n), week });
}

/** The week of a task from the store alone. */
export function rebuildWeek(ctx: Ctx, run: RunRow, n: number): Promise<Week> {
  return bringUpToDate(ctx, run, n, null);
}

function keep(runId: string, own: KeptWeek): void {
  kept.delete(runId);
  kept.set(runId, own);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
}

function turnOf(run: RunRow, n: number): number {
  return Math.floor((n - 1) / tasksInWeek(run));
}

/** Makes the calls that a week lacks; of a new one, if `found` does not fit the store. */
async function bringUpToDate(ctx: Ctx, run: RunRow, n: number, found: Week | null): Promise<Week> {
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  const first = turnOf(run, n) * tasksInWeek(run) + 1;
  const tasks = await ctx.db.query
    .select({
      n: agentRunTasks.n,
      calls: agentRunTasks.calls,
      endedAt: agentRunTasks.endedAt,
      task: agentRunTasks.task,
    })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), gte(agentRunTasks.n, first), lte(agentRunTasks.n, n)))
    .orderBy(asc(agentRunTasks.n));
  const fits = found !== null && isBehind(found, tasks);
  const week = fits
    ? found
    : makeWeek(
        run.suiteSeed,
        await optionsOf(ctx, run, first),
        tasks.map(({ task }) => task),
      );
  const next = first + week.verdicts.length;
  const missing = await ctx.db.query
    .select({ n: agentRunCalls.n, tool: agentRunCalls.tool, args: agentRunCalls.args })
    .from(agentRunCalls)
    .where(and(eq(agentRunCalls.runId, run.id), gte(agentRunCalls.n, next), lte(agentRunCalls.n, n)))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const callsOf = Map.groupBy(missing, (call) => call.n);
  for (const { n: own, calls, endedAt } of tasks.slice(week.verdicts.length)) {
    const place = own - first;
    // A call that was stored after its task was read is left for later.
    for (const { tool, args } of (callsOf.get(own) ?? []).slice(week.calls, calls)) week.call(tool, args);
    if (endedAt !== null && week.verdicts.length <= place) week.end();
  }
  return week;
}

type TaskState = Pick<AgentRunTaskRow, 'calls' | 'endedAt'>;

/** Whether the store has all tasks and calls of the week. */
function isBehind({ verdicts, calls }: Week, tasks: readonly TaskState[]): boolean {
  const ended = verdicts.every((verdict, place) => {
    const task = tasks[place];
    return task !== undefined && task.endedAt !== null && task.calls === verdict.calls;
  });
  return ended && calls <= (tasks[verdicts.length]?.calls ?? 0);
}

/** The first week of a run fixes the levels of the others. */
async function optionsOf(ctx: Ctx, run: RunRow, first: number) {
  if (isWeekGone(run)) throw new Error(weekGoneMessage);
  const options = { size: 'small', tasks: tasksInWeek(run) } as const;
  const levels = run.levels ?? (first === 1 ? null : await levelsOfFirstWeek(ctx.db, run));
  return levels === null ? options : { ...options, levels: asLevels(levels) };
}

async function levelsOfFirstWeek(db: Ctx['db'], run: RunRow): Promise<readonly number[]> {
  const { agentRunTasks } = db.tables;
  const rows: readonly { readonly task: StoredAgentTask }[] = await db.query
    .select({ task: agentRunTasks.task })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), lte(agentRunTasks.n, tasksInWeek(run))))
    .orderBy(asc(agentRunTasks.n));
  return rows.map(({ task }) => task.level);
}

export function asLevels(levels: readonly number[]): readonly WeekLevel[] {
  return levels.flatMap((level) => weekLevels.filter((known) => known === level));
}
