/** The limits on an agent's redemptions, over all products: its runs at work, and the calls of its failed runs. */
import { and, asc, eq, exists, gt, isNull, notInArray, or, sql } from 'drizzle-orm';
import { inList, isWithin } from '#db/conditions.ts';
import { listParameter, prepareForTransactions } from '#db/prepared.ts';
import { pipelined } from '#db/transaction.ts';
import { isOpenRun, isRefundedRun } from '#db/schema/index-conditions.ts';
import type { RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { HubRules, RunLimits } from '../hub-rules.ts';
import { operation } from '../operation.ts';
import { latestEndOf } from './run-limits.ts';

/** `Retry-After` of a caller with too many open runs: places are free as soon as a run ends. */
const openRunsRetryAfterSeconds = 5;
const failedCallsWindowMs = 24 * 60 * 60 * 1_000;
/** A new run in pull mode counts for this long before its first fetch. */
const newRunMs = 2 * 60 * 1_000;

/** Refunds that say nothing about the agent or its target do not count as failures. */
const endedByHub: RunFailureCode[] = ['cancelled', 'agent_suspended', 'account_closed'];

type RunAtWork = Pick<
  RunRow,
  'mode' | 'createdAt' | 'startedAt' | 'dueAt' | 'limitSeconds' | 'runSize' | 'chargeFree' | 'delayedMs'
>;

interface FailedRun {
  readonly finishedAt: Date;
  readonly calls: number;
}

export interface Usage {
  readonly limits: RunLimits;
  /** Empty if there is no limit on them. */
  readonly atWork: Map<string, readonly RunAtWork[]>;
  /** Runs whose failures cost the hub work in the window, oldest first. */
  readonly failed: Map<string, readonly FailedRun[]>;
}

const nothing: Promise<never[]> = Promise.resolve([]);

export async function readUsage(ctx: TransactionCtx, ids: readonly string[]): Promise<Usage> {
  const { runLimits: limits } = ctx.rules;
  const now = ctx.clock.now();
  const agentIds = listParameter(ids);
  const before = (ms: number) => new Date(now.getTime() - ms);
  const [open, refunded] = await pipelined(
    limits.openRuns === 0
      ? nothing
      : runsAtWork(ctx.db).execute({ agentIds, now, newSince: before(newRunMs) }),
    limits.failedCallsPerDay === 0
      ? nothing
      : failedRuns(ctx.db).execute({ agentIds, now, windowStart: before(failedCallsWindowMs) }),
  );
  const failed = refunded.flatMap(({ agentId, finishedAt, calls, items }) =>
    // Of a run that failed at its first call, no calls are stored. A run that is fetched or regraded makes no calls, so
    // its replies count.
    finishedAt === null ? [] : [{ agentId, finishedAt, calls: Math.max(1, calls, items) }],
  );
  return {
    limits,
    atWork: Map.groupBy(open, ({ agentId }) => agentId),
    failed: Map.groupBy(failed, ({ agentId }) => agentId),
  };
}

/** Why an agent may start no further run now; null if it may. */
export function refusalByUsage(
  agentId: string,
  usage: Usage,
  rules: Pick<HubRules, 'evalRunSeconds'>,
  now: Date,
): DomainError | null {
  const { openRuns, failedCallsPerDay } = usage.limits;
  const atWork = usage.atWork.get(agentId) ?? [];
  if (openRuns > 0 && atWork.length >= openRuns) return tooManyOpen(atWork, openRuns, rules);
  const failed = usage.failed.get(agentId) ?? [];
  let calls = failed.reduce((sum, run) => sum + run.calls, 0);
  if (failedCallsPerDay === 0 || calls < failedCallsPerDay) return null;
  const made = calls;
  let freesAt = now;
  for (const run of failed) {
    if (calls < failedCallsPerDay) break;
    calls -= run.calls;
    freesAt = new Date(run.finishedAt.getTime() + failedCallsWindowMs);
  }
  return new DomainError(
    'too_many_failed_runs',
    `The hub made ${made} calls within 24 hours for runs of yours that failed and were refunded. The limit is ${failedCallsPerDay}. You can start a run again at ${shown(freesAt)}.`,
    {
      hint: `Read \`failure\` in ${operation('getRuns')} and fix the target or the suite meanwhile.`,
      retryAfterSeconds: Math.max(1, Math.ceil((freesAt.getTime() - now.getTime()) / 1_000)),
    },
  );
}

function tooManyOpen(
  atWork: readonly RunAtWork[],
  limit: number,
  rules: Pick<HubRules, 'evalRunSeconds'>,
): DomainError {
  const ends = atWork.flatMap((run) => latestEndOf(rules, run)?.getTime() ?? []);
  const latest = ends.length === 0 ? '' : `, at the latest at ${shown(new Date(Math.min(...ends)))}`;
  return new DomainError(
    'too_many_open_jobs',
    `You have ${atWork.length} open runs at work. The limit is ${limit}. A place is free when one of them ends${latest}.`,
    {
      hint: `Wait and repeat the request, or cancel a run. ${operation('getRuns')} lists them.`,
      retryAfterSeconds: openRunsRetryAfterSeconds,
    },
  );
}

function shown(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

const agentIds = sql.placeholder('agentIds');

/**
 * Open runs that cost the hub work. A run in pull mode costs none unless its agent is at work on it: an agent that has
 * vanished keeps no place for longer than its leases.
 */
const runsAtWork = prepareForTransactions((db) => {
  const { runLeases, runs } = db.tables;
  const lease = db.query
    .select({ one: sql`1` })
    .from(runLeases)
    .where(
      and(
        eq(runLeases.runId, runs.id),
        gt(runLeases.times, 0),
        gt(runLeases.expiresAt, sql.param(sql.placeholder('now'), runLeases.expiresAt)),
      ),
    );
  const isNew = isWithin(runs.createdAt, sql.placeholder('newSince'), sql.placeholder('now'));
  return db.query
    .select({
      agentId: runs.agentId,
      mode: runs.mode,
      createdAt: runs.createdAt,
      startedAt: runs.startedAt,
      dueAt: runs.dueAt,
      runSize: runs.runSize,
      limitSeconds: runs.limitSeconds,
      chargeFree: runs.chargeFree,
      delayedMs: runs.delayedMs,
    })
    .from(runs)
    .where(
      and(
        inList(db, runs.agentId, agentIds),
        isOpenRun(runs),
        or(eq(runs.mode, 'push'), isNew, exists(lease)),
      ),
    )
    .prepare('find_runs_at_work');
});

/**
 * The agent's own fetching costs the hub nothing, so runs in pull mode count only if their replies could not be graded:
 * asking their judges is work of the hub. The agent need not own the suite, whose owner can order runs with another one.
 */
const failedRuns = prepareForTransactions((db) => {
  const { runs } = db.tables;
  return db.query
    .select({
      agentId: runs.agentId,
      finishedAt: runs.finishedAt,
      calls: runs.calls,
      items: runs.progressDone,
    })
    .from(runs)
    .where(
      and(
        inList(db, runs.agentId, agentIds),
        isRefundedRun(runs),
        or(eq(runs.mode, 'push'), eq(runs.failureCode, 'ungraded')),
        isWithin(runs.finishedAt, sql.placeholder('windowStart'), sql.placeholder('now')),
        or(isNull(runs.failureCode), notInArray(runs.failureCode, endedByHub)),
      ),
    )
    .orderBy(asc(runs.finishedAt))
    .prepare('find_failed_runs');
});
