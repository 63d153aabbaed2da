/**
 * Push mode of agent runs: the steps of a worker in a task, each one transaction, fenced by the claim. They settle nothing:
 * the worker settles the outcome.
 */
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import type {
  AgentRunCallRow,
  AgentRunTaskRow,
  FailureCause,
  RunFailureCode,
  RunRow,
} from '#db/schema/run-tables.ts';
import { addTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../../../context.ts';
import { invariant } from '../../../errors.ts';
import { isBodyLimit } from '../../../targets/protocol.ts';
import { lockClaimedRun, type RunClaim } from '../../hold-run.ts';
import { lethalRepliesProblem } from '../../reply-in-hand.ts';
import { delayedMsMax, errorShareMax, isOverdue } from '../../run-limits.ts';
import { failedOutcome, type RunOutcome } from '../../run-outcome.ts';
import {
  endOpenTask,
  findOpenTask,
  openNextTask,
  type TakenStep,
  takeStep,
  type TaskEnd,
} from './open-task.ts';
import { endTasksEarly, scoreTasks } from './score-tasks.ts';
import { isWeekGone, prepareOffice } from './weeks.ts';

export interface PushedTask {
  readonly row: AgentRunTaskRow;
  /** The calls made so far, including those of earlier claims. */
  readonly calls: readonly AgentRunCallRow[];
  /** When the time of the run is up, unless it has a further task. */
  readonly endsAt: Date;
}

/** Why a target could not continue a task. */
export interface PushedFault {
  readonly code: RunFailureCode;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  readonly cause: FailureCause;
}

/**
 * @param lastFault of the target, if this worker has seen one
 * @returns the open task, or the next one; the outcome of the run if it has none left, its time is up or its target fails
 * @throws ClaimLost
 */
export async function openPushedTask(
  ctx: Ctx,
  claim: RunClaim,
  lastFault: PushedFault | null = null,
): Promise<PushedTask | RunOutcome> {
  await prepareOffice(ctx, claim.runId, null);
  return withTransaction(ctx, async (inner) => {
    const { agentRunCalls } = inner.db.tables;
    const locked = await lockClaimedRun(inner, claim);
    const end = await whyEnded(inner, locked, lastFault);
    if (end !== null) return end;
    const { run, row } = await openNextTask(inner, locked);
    const calls = await inner.db.query
      .select()
      .from(agentRunCalls)
      .where(and(eq(agentRunCalls.runId, run.id), eq(agentRunCalls.n, row.n)))
      .orderBy(asc(agentRunCalls.position));
    invariant(run.dueAt !== null, 'An open task sets the time of its run.');
    return { row, calls, endsAt: run.dueAt };
  });
}

/** It follows from the store, so a worker that takes over finds the same. */
async function whyEnded(
  ctx: TransactionCtx,
  run: RunRow,
  lastFault: PushedFault | null,
): Promise<RunOutcome | null> {
  if (lastFault !== null && isBodyLimit(lastFault) && !run.ranked) return failedByTarget(ctx, run, lastFault);
  const { faults, isFirstReply } = await readFaults(ctx, run);
  const [code] = faults.slice(-1);
  if (code !== undefined && (isFirstReply || faults.length > run.progressTotal * errorShareMax.run)) {
    const what = isFirstReply
      ? 'The first call to the target failed'
      : `The target failed in too many tasks (${faults.length} of ${run.progressDone})`;
    const problem = lastFault === null ? `${what}.` : `${what}: ${lastFault.problem}`;
    return failedByTarget(ctx, run, { code, problem, cause: lastFault?.cause ?? null });
  }
  if (run.progressDone === run.progressTotal) return scoreTasks(ctx, run);
  const mustEnd = isOverdue(ctx.clock.now(), run) || isWeekGone(run);
  return mustEnd ? endTasksEarly(ctx, run, 'overdue') : null;
}

/** A ranked run counts, and the remaining tasks score 0. Any other one is refunded. */
async function failedByTarget(
  ctx: TransactionCtx,
  run: RunRow,
  { code, problem, cause }: Omit<PushedFault, 'cause'> & { readonly cause: FailureCause | null },
): Promise<RunOutcome> {
  return run.ranked ? scoreTasks(ctx, run) : failedOutcome(code, problem, cause);
}

/** The faults of the target that ended tasks, in order. */
async function readFaults({ db }: TransactionCtx, { id }: RunRow) {
  const { agentRunTasks } = db.tables;
  const ended = await db.query
    .select({ verdict: agentRunTasks.verdict, calls: agentRunTasks.calls })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, id), isNotNull(agentRunTasks.endedAt)))
    .orderBy(asc(agentRunTasks.n));
  const faults = ended.flatMap(({ verdict }) => (verdict?.error === undefined ? [] : [verdict.error]));
  return { faults, isFirstReply: faults.length === 1 && ended.length === 1 && ended[0]?.calls === 0 };
}

/**
 * The outcome of a run whose replies ended the processes that read them.
 * @throws ClaimLost
 */
export function giveUpPushedTasks(ctx: Ctx, claim: RunClaim): Promise<RunOutcome> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockClaimedRun(inner, claim);
    const open = await findOpenTask(inner, run);
    const code = 'target_bad_response';
    const ended =
      open === null ? run : await endOpenTask(inner, run, open, { fault: { code, response: null } });
    return failedByTarget(inner, ended, { code, problem: lethalRepliesProblem, cause: null });
  });
}

/**
 * Takes a reply of the target as a step of its task.
 * @returns the task after it; null once the task is over
 * @throws ClaimLost
 */
export function takePushedStep(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  step: Step,
  usage: TokenUsage | null = null,
): Promise<Pick<TakenStep, 'row' | 'made'> | null> {
  return inOpenTask(ctx, claim, n, usage, async (inner, run, row) => {
    const taken = await takeStep(inner, run, row, step);
    return taken.endedTask ? null : taken;
  });
}

/**
 * Extends the time of a run by a delay of its calls.
 * @throws ClaimLost
 */
export async function notePushedDelay(ctx: Ctx, claim: RunClaim, n: number, delayMs: number): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { runs, agentRunTasks } = inner.db.tables;
    const run = await lockClaimedRun(inner, claim);
    const row = await findOpenTask(inner, run);
    if (row === null || row.n !== n || run.dueAt === null) return;
    const delayedMs = Math.min(delayedMsMax, row.delayedMs + Math.round(delayMs));
    const dueAt = new Date(run.dueAt.getTime() + delayedMs - row.delayedMs);
    await inner.db.query.update(runs).set({ dueAt }).where(eq(runs.id, run.id));
    await inner.db.query
      .update(agentRunTasks)
      .set({ delayedMs })
      .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, n)));
  });
}

/**
 * Ends a task whose target makes no more calls, perhaps after a fault.
 * @throws ClaimLost
 */
export async function endPushedTask(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  fault: PushedFault | null,
  usage: TokenUsage | null = null,
): Promise<void> {
  await inOpenTask(ctx, claim, n, usage, (inner, run, row) =>
    endOpenTask(inner, run, row, fault === null ? {} : { fault: storedFault(fault) }),
  );
}

function storedFault({ code, cause: { status, excerpt } }: PushedFault): NonNullable<TaskEnd['fault']> {
  return { code, response: status === null ? null : { status, excerpt } };
}

/** @returns null if the task is no longer open, or the time of its run is up */
function inOpenTask<T>(
  ctx: Ctx,
  claim: RunClaim,
  n: number,
  usage: TokenUsage | null,
  work: (ctx: TransactionCtx, run: RunRow, row: AgentRunTaskRow) => Promise<T | null>,
): Promise<T | null> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockClaimedRun(inner, claim);
    const row = await findOpenTask(inner, run);
    if (row === null || row.n !== n || isOverdue(inner.clock.now(), run)) return null;
    if (usage !== null) await noteUsage(inner, run, row, usage);
    return work(inner, run, row);
  });
}

async function noteUsage({ db }: TransactionCtx, run: RunRow, row: AgentRunTaskRow, usage: TokenUsage) {
  const { runs, agentRunTasks } = db.tables;
  await db.query
    .update(runs)
    .set({ usage: addTokenUsage(run.usage, usage) })
    .where(eq(runs.id, run.id));
  await db.query
    .update(agentRunTasks)
    .set({ usage: addTokenUsage(row.usage, usage) })
    .where(and(eq(agentRunTasks.runId, run.id), eq(agentRunTasks.n, row.n)));
}
