/** What the sweeper does with runs: ends those that nobody is left to end, and deletes old cases. */
import { and, asc, eq, isNotNull, isNull, lt, lte, not, or, type SQL } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { isOpenRun, isRunningRun } from '#db/schema/index-conditions.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { Setbacks } from '../setbacks.ts';
import { eraseLater } from '../erasing/erasures.ts';
import { countCasesSeen } from '../suites/list-suite-runs.ts';
import { eraseCases } from './erase-cases.ts';
import { endOverdueRun } from './pull/pull-run.ts';
import { type RetentionInput, retentionStart } from '../retention.ts';
import {
  deadlineMessage,
  delayedMsMax,
  failedOutcome,
  overdueGraceMs,
  runDeadlineMs,
  shortestDeadlineMs,
} from './run-limits.ts';
import { settleRun } from './settle-run.ts';

/** More than can be running in one hour, so the oldest of them is always read. */
const overdueReadMax = 1_000;
const settledAtOnceMax = 100;
/**
 * A live runner knows how long its run was delayed and ends it itself, so its run is left alone for the longest delay.
 *
 * @param setbacks kept from call to call: a run that cannot be ended keeps no other one open
 * @returns how many were ended, at most 100 per call
 * @throws AggregateError after the others, naming the runs that could not be ended
 */
export async function failOverduePushRuns(ctx: Ctx, setbacks = new Setbacks(ctx.clock)): Promise<number> {
  const { runs } = ctx.db.tables;
  const now = ctx.clock.now().getTime();
  const abandonedSince = new Date(now - overdueGraceMs);
  const isAbandoned = lt(runs.leaseUntil, abandonedSince);
  // The earliest deadline of all; that of each run is looked at below. The oldest come first.
  const latestStart = now - shortestDeadlineMs(ctx.rules) - overdueGraceMs;
  const overdue = await ctx.db.query
    .select({
      id: runs.id,
      attempt: runs.attempt,
      chargeFree: runs.chargeFree,
      runSize: runs.runSize,
      limitSeconds: runs.limitSeconds,
      startedAt: runs.startedAt,
      delayedMs: runs.delayedMs,
      leaseUntil: runs.leaseUntil,
    })
    .from(runs)
    .where(
      and(
        isRunningRun(runs),
        isNull(runs.dueAt),
        eq(runs.mode, 'push'),
        isNotLeftOut(ctx, setbacks),
        lt(runs.startedAt, new Date(latestStart)),
        or(isAbandoned, lt(runs.startedAt, new Date(latestStart - delayedMsMax))),
      ),
    )
    .orderBy(asc(runs.startedAt))
    .limit(overdueReadMax);
  const latestMs = ({ leaseUntil, delayedMs, ...run }: (typeof overdue)[number]) => {
    const isLeft = leaseUntil !== null && leaseUntil < abandonedSince;
    return runDeadlineMs(ctx.rules, run) + (isLeft ? delayedMs : delayedMsMax) + overdueGraceMs;
  };
  const due = overdue.filter((run) => now - (run.startedAt?.getTime() ?? 0) > latestMs(run));
  let ended = 0;
  await setbacks.forEach(notEnded, due.slice(0, settledAtOnceMax), async ({ id, attempt, ...kind }) => {
    const outcome = failedOutcome('deadline_exceeded', deadlineMessage(ctx.rules, kind));
    // The next runner that claims the job sees that the run has ended, and closes the job's row.
    if (await settleRun(ctx, { runId: id, attempt, outcome, jobId: null })) ended += 1;
  });
  return ended;
}

const notEnded = 'runs could not be ended';

function isNotLeftOut({ db }: Ctx, setbacks: Setbacks): SQL {
  return not(inList(db, db.tables.runs.id, setbacks.leftOut()));
}

const endedAtOnceMax = 20;

/** Like {@link failOverduePushRuns}, for runs with a `dueAt`, at most 20 per call. */
export async function endDueRuns(ctx: Ctx, setbacks = new Setbacks(ctx.clock)): Promise<number> {
  const { runs } = ctx.db.tables;
  const overdue = await ctx.db.query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isOpenRun(runs), lte(runs.dueAt, ctx.clock.now()), isNotLeftOut(ctx, setbacks)))
    .orderBy(asc(runs.dueAt))
    .limit(endedAtOnceMax);
  return setbacks.forEach(notEnded, overdue, ({ id }) => endOverdueRun(ctx, id));
}

const runsPrunedAtOnceMax = 20;

/**
 * A run may have a hundred megabytes of replies, so of each only a first part is erased at once.
 * @returns the number of runs whose cases were deleted, at most 20 per call
 */
export async function pruneItems(ctx: Ctx, input: RetentionInput): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  if (before === null) return 0;
  return withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { runs } = db.tables;
    const old = await db.query
      .select({ id: runs.id, suiteId: runs.suiteId })
      .from(runs)
      .where(and(isNotNull(runs.finishedAt), isNull(runs.itemsPrunedAt), lt(runs.finishedAt, before)))
      .orderBy(asc(runs.finishedAt))
      .limit(runsPrunedAtOnceMax);
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    await keepCasesSeen(inner, old);
    for (const id of ids) await eraseLater(inner, 'run', id, eraseCases);
    await db.query
      .update(runs)
      .set({ itemsPrunedAt: clock.now() })
      .where(inList(db, runs.id, ids));
    return ids.length;
  });
}

/** The owner of a suite still sees how much of it a runner has seen. */
async function keepCasesSeen(
  { db }: TransactionCtx,
  old: readonly { readonly id: string; readonly suiteId: string | null }[],
): Promise<void> {
  const { runs } = db.tables;
  const ofSuites = old.filter(({ suiteId }) => suiteId !== null).map(({ id }) => id);
  for (const [id, casesSeen] of await countCasesSeen(db, ofSuites))
    await db.query.update(runs).set({ casesSeen }).where(eq(runs.id, id));
}
