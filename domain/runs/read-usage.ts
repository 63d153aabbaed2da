/** The limits on an agent's redemptions: its open runs and its refunded runs, over all products. */
import { and, asc, count, gt, isNull, notInArray, or, sql } from 'drizzle-orm';
import { inList, listParameter } from '#db/in-list.ts';
import { prepareForTransactions } from '#db/prepare-once.ts';
import { isOpenRun, isRefundedRun } from '#db/schema/index-conditions.ts';
import type { RunFailureCode } from '#db/schema/run-tables.ts';
import { pipelined } from '#db/pipelined.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/** Over all products. */
export const openRunsPerAgentMax = 5;
/** `Retry-After` of a caller with too many open runs. */
const openRunsRetryAfterSeconds = 5;
/** A refunded run costs the hub work but the agent nothing, so their number is limited. */
export const refundedRunsPerAgentMax = 10;
const refundedRunsWindowMs = 24 * 60 * 60 * 1_000;

/** Refunds that say nothing about the agent or its target do not count as failures. */
const endedByHub: RunFailureCode[] = ['cancelled', 'agent_suspended', 'account_closed'];

export interface Usage {
  readonly openRuns: Map<string, number>;
  /** End times of the refunded runs in the window, oldest first. */
  readonly refundedAt: Map<string, Date[]>;
}

export async function readUsage(ctx: TransactionCtx, ids: readonly string[]): Promise<Usage> {
  const values = {
    agentIds: listParameter(ids),
    windowStart: new Date(ctx.clock.now().getTime() - refundedRunsWindowMs),
  };
  const [open, refunded] = await pipelined(
    openRunsOf(ctx.db).execute(values),
    refundedRunsOf(ctx.db).execute(values),
  );
  const refundedAt = new Map<string, Date[]>();
  for (const { agentId, finishedAt } of refunded) {
    if (finishedAt !== null) refundedAt.set(agentId, [...(refundedAt.get(agentId) ?? []), finishedAt]);
  }
  return { openRuns: new Map(open.map(({ agentId, runs }) => [agentId, runs])), refundedAt };
}

/** Why an agent may start no further run now; null if it may. */
export function refusalByUsage(
  agentId: string,
  openRuns: number,
  usage: Usage,
  now: Date,
): DomainError | null {
  if (openRuns >= openRunsPerAgentMax) {
    return new DomainError(
      'too_many_open_jobs',
      `You have ${openRuns} open runs. The limit is ${openRunsPerAgentMax}.`,
      {
        hint: `Wait for one to finish, or cancel one. ${operation('getRuns')} lists them.`,
        retryAfterSeconds: openRunsRetryAfterSeconds,
      },
    );
  }
  const refundedAt = usage.refundedAt.get(agentId) ?? [];
  if (refundedAt.length < refundedRunsPerAgentMax) return null;
  const freesPlace = refundedAt.at(-refundedRunsPerAgentMax) ?? now;
  const waitMs = freesPlace.getTime() + refundedRunsWindowMs - now.getTime();
  return new DomainError(
    'too_many_failed_runs',
    `${refundedAt.length} of your runs failed and were refunded within 24 hours. The limit is ${refundedRunsPerAgentMax}.`,
    {
      hint: `Read \`failure\` in ${operation('getRuns')}, fix the target, and retry after the time in Retry-After.`,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    },
  );
}

const agentIds = sql.placeholder('agentIds');
const windowStart = sql.placeholder('windowStart');

const openRunsOf = prepareForTransactions((db) => {
  const { runs } = db.tables;
  return db.query
    .select({ agentId: runs.agentId, runs: count() })
    .from(runs)
    .where(and(inList(db, runs.agentId, agentIds), isOpenRun(runs)))
    .groupBy(runs.agentId)
    .prepare('find_open_runs');
});

const refundedRunsOf = prepareForTransactions((db) => {
  const { runs } = db.tables;
  return db.query
    .select({ agentId: runs.agentId, finishedAt: runs.finishedAt })
    .from(runs)
    .where(
      and(
        inList(db, runs.agentId, agentIds),
        isRefundedRun(runs),
        gt(runs.finishedAt, sql.param(windowStart, runs.finishedAt)),
        or(isNull(runs.failureCode), notInArray(runs.failureCode, endedByHub)),
      ),
    )
    .orderBy(asc(runs.finishedAt))
    .prepare('find_refunded_runs');
});
