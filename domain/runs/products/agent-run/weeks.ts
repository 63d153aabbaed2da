/**
 * The offices of open runs. The store holds the calls, and an office is rebuilt by making them again. Recent ones are
 * cached, because most calls of a run arrive at the same process; one that is behind makes the missing calls only.
 */
import { and, asc, eq, gte, lte } from 'drizzle-orm';
import type { AgentRunTaskRow, RunRow, StoredAgentTask } from '#db/schema/run-tables.ts';
import { nextWorld, type OfficeState, type OfficeWorld, weekAfter } from '#evals/week/office-world.ts';
import { makeWeek, weekName, weekVersion } from '#evals/week/week.ts';
import { type WeekLevel, weekLevels } from '#evals/week/dials.ts';
import type { Step } from '#evals/worlds/world.ts';
import type { Ctx, TransactionCtx } from '../../../context.ts';
import { hasEnded } from '../../run-outcome.ts';

/** A week takes about 4 MB. */
const keptMax = 24;

export interface OpenOffice {
  /** The task, in the run. */
  readonly n: number;
  readonly world: OfficeWorld;
  readonly state: OfficeState;
}

/** By run; the least recently used first. Holds only what is committed. */
const kept = new Map<string, OpenOffice>();

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

/** The office in a task, after the calls that the store has. Requires a locked run. */
export async function openOffice(
  ctx: TransactionCtx,
  run: RunRow,
  { n, calls }: Pick<AgentRunTaskRow, 'n' | 'calls'>,
): Promise<OpenOffice> {
  const found = kept.get(run.id) ?? null;
  // Calls are append-only, so an office with as many calls as the store has made the same calls.
  const isCurrent = found?.n === n && found.state.calls.length === calls;
  return found !== null && isCurrent ? found : bringUpToDate(ctx, run, n, found);
}

/** Keeps the office for the next call once the transaction has committed. */
export function keepOffice(ctx: TransactionCtx, run: RunRow, office: OpenOffice): void {
  ctx.db.afterCommit(() => keep(run.id, office));
}

/**
 * Rebuilds the office of an open run, if it is not cached, before the run is locked: a long week takes a second or two.
 *
 * @param agentId of the agent that must own the run; null for a worker
 */
export async function prepareOffice(ctx: Ctx, runId: string, agentId: string | null): Promise<void> {
  if (kept.has(runId)) return;
  const key = `${runId}/${agentId}`;
  const begun = preparing.get(key) ?? prepare(ctx, runId, agentId).finally(() => preparing.delete(key));
  preparing.set(key, begun);
  // Without it, the office is rebuilt under the lock, and a fault of the database shows there.
  await begun.catch(() => undefined);
}

/** Concurrent requests for one run rebuild its office once. */
const preparing = new Map<string, Promise<void>>();

async function prepare(ctx: Ctx, runId: string, agentId: string | null): Promise<void> {
  const { runs } = ctx.db.tables;
  const isOwn = agentId === null ? undefined : eq(runs.agentId, agentId);
  const [run] = await ctx.db.query
    .select()
    .from(runs)
    .where(and(eq(runs.id, runId), eq(runs.suiteName, weekName), isOwn));
  if (run === undefined || hasEnded(run) || run.progressDone === run.progressTotal) return;
  const office = await rebuildOffice(ctx, run, run.progressDone + 1);
  if (!kept.has(runId)) keep(runId, office);
}

/** The office in a task from the store alone. */
export function rebuildOffice(ctx: Ctx, run: RunRow, n: number): Promise<OpenOffice> {
  return bringUpToDate(ctx, run, n, null);
}

function keep(runId: string, office: OpenOffice): void {
  kept.delete(runId);
  kept.set(runId, office);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
}

/** Takes the steps that an office lacks; all, if `found` does not fit the store. */
async function bringUpToDate(
  ctx: Ctx,
  run: RunRow,
  n: number,
  found: OpenOffice | null,
): Promise<OpenOffice> {
  const { agentRunTasks, agentRunCalls } = ctx.db.tables;
  const first = n - placeInWeek(run, n);
  const tasks = await ctx.db.query
    .select()
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), gte(agentRunTasks.n, first), lte(agentRunTasks.n, n)))
    .orderBy(asc(agentRunTasks.n));
  let office =
    found !== null && isBehind(found, first, tasks) ? found : await beginWeek(ctx, run, first, tasks);
  const missing = await ctx.db.query
    .select({ n: agentRunCalls.n, tool: agentRunCalls.tool, args: agentRunCalls.args })
    .from(agentRunCalls)
    .where(and(eq(agentRunCalls.runId, run.id), gte(agentRunCalls.n, office.n), lte(agentRunCalls.n, n)))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const callsOf = Map.groupBy(missing, (call) => call.n);
  for (const task of tasks.slice(office.n - first)) {
    // A call that was stored after its task was read is left for later.
    const calls = (callsOf.get(task.n) ?? []).slice(0, task.calls);
    office = { ...office, state: takeSteps(office, stepsOf(calls, task.remindedAfter)) };
    if (task.endedAt !== null && task.n < n) office = openTask(task.n + 1, weekAfter(office.state));
  }
  return office;
}

/** Each call is a step of its own, as the office counts calls only. */
function stepsOf(
  calls: readonly { readonly tool: string; readonly args: unknown }[],
  remindedAfter: number | null,
): readonly Step[] {
  const steps = calls.map(({ tool, args }) => ({
    text: null,
    calls: [{ id: '', name: tool, arguments: args }],
  }));
  return remindedAfter === null ? steps : steps.toSpliced(remindedAfter, 0, { text: null, calls: [] });
}

/** The state after all steps of a task, some of which it has taken. */
function takeSteps({ world, state }: OpenOffice, steps: readonly Step[]): OfficeState {
  const taken = state.calls.length + Number(state.isReminded);
  return steps.slice(taken).reduce((before, step) => world.next(before, step).state, state);
}

function openTask(n: number, week: OfficeState['week']): OpenOffice {
  const world = nextWorld(week);
  return { n, world, state: world.start().state };
}

/** Whether the store has all tasks and calls of the office. */
function isBehind({ n, state }: OpenOffice, first: number, tasks: readonly AgentRunTaskRow[]): boolean {
  if (n < first || n - first > tasks.length) return false;
  const { verdicts } = state.week;
  const ended = verdicts.every((verdict, place) => {
    const task = tasks[place];
    return task !== undefined && task.endedAt !== null && task.calls === verdict.calls;
  });
  return ended && state.calls.length <= (tasks[n - first]?.calls ?? 0);
}

/** The first week of a run fixes the levels of the others. */
async function beginWeek(ctx: Ctx, run: RunRow, first: number, tasks: readonly AgentRunTaskRow[]) {
  if (isWeekGone(run)) throw new Error(weekGoneMessage);
  const options = { tasks: tasksInWeek(run) };
  const levels = run.levels ?? (first === 1 ? null : await levelsOfFirstWeek(ctx.db, run));
  const known = tasks.map(({ task }) => task);
  return openTask(
    first,
    makeWeek(run.suiteSeed, levels === null ? options : { ...options, levels: asLevels(levels) }, known),
  );
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
