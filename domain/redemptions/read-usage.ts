/** The limits on an agent's redemptions: its open runs and its refunded runs, over all products. */
import { and, count, gt, isNull, notInArray, or, sql } from 'drizzle-orm';
import { inList, listParameter } from '#db/in-list.ts';
import { prepareForTransactions } from '#db/prepare-once.ts';
import {
  isOpenAgentRun,
  isOpenEvalJob,
  isRefundedAgentRun,
  isRefundedEvalJob,
} from '#db/schema/index-conditions.ts';
import type { AgentRunFailureCode } from '#db/schema/agent-run-tables.ts';
import type { EvalFailureCode } from '#db/schema/eval-tables.ts';
import { together } from '#db/together.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/** Over all products. */
export const openJobsPerAgentMax = 5;
/** `Retry-After` of a caller with too many open runs. */
const openJobsRetryAfterSeconds = 5;
/** A refunded run costs the hub work but the agent nothing, so their number is limited. */
export const refundedRunsPerAgentMax = 10;
const refundedRunsWindowMs = 24 * 60 * 60 * 1_000;

/** Refunds that say nothing about the agent or its target do not count as failures. */
const endedByHub: EvalFailureCode[] = ['cancelled', 'agent_suspended', 'account_closed'];
const agentRunsEndedByHub: AgentRunFailureCode[] = ['cancelled', 'agent_suspended', 'account_closed'];

export interface Usage {
  readonly openJobs: Map<string, number>;
  /** End times of the refunded runs in the window, oldest first. */
  readonly refundedAt: Map<string, Date[]>;
}

export async function readUsage(ctx: TransactionCtx, ids: readonly string[]): Promise<Usage> {
  const values = {
    agentIds: listParameter(ids),
    windowStart: new Date(ctx.clock.now().getTime() - refundedRunsWindowMs),
  };
  const [openEvals, openRuns, refundedEvals, refundedRuns] = await together(
    openEvalsOf(ctx.db).execute(values),
    openAgentRunsOf(ctx.db).execute(values),
    refundedEvalsOf(ctx.db).execute(values),
    refundedAgentRunsOf(ctx.db).execute(values),
  );
  const openJobs = new Map<string, number>();
  for (const { agentId, jobs } of [...openEvals, ...openRuns])
    openJobs.set(agentId, (openJobs.get(agentId) ?? 0) + jobs);
  const refundedAt = new Map<string, Date[]>();
  const refunded = [...refundedEvals, ...refundedRuns];
  for (const { agentId, finishedAt } of refunded.toSorted(byEnd)) {
    if (finishedAt !== null) refundedAt.set(agentId, [...(refundedAt.get(agentId) ?? []), finishedAt]);
  }
  return { openJobs, refundedAt };
}

/** Why an agent may start no further run now; null if it may. */
export function refusalByUsage(
  agentId: string,
  openJobs: number,
  usage: Usage,
  now: Date,
): DomainError | null {
  if (openJobs >= openJobsPerAgentMax) {
    return new DomainError(
      'too_many_open_jobs',
      `You have ${openJobs} open runs. The limit is ${openJobsPerAgentMax}.`,
      {
        hint: `Wait for one to finish. ${operation('listEvalJobs')} and ${operation('getAgentRuns')} list them.`,
        retryAfterSeconds: openJobsRetryAfterSeconds,
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
      hint: `Read \`failure\` in ${operation('listEvalJobs')}, fix the target, and retry after the time in Retry-After.`,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    },
  );
}

interface Ended {
  readonly finishedAt: Date | null;
}

function byEnd(a: Ended, b: Ended): number {
  return (a.finishedAt?.getTime() ?? 0) - (b.finishedAt?.getTime() ?? 0);
}

const agentIds = sql.placeholder('agentIds');
const windowStart = sql.placeholder('windowStart');

const openEvalsOf = prepareForTransactions((db) => {
  const { evalJobs } = db.tables;
  return db.query
    .select({ agentId: evalJobs.agentId, jobs: count() })
    .from(evalJobs)
    .where(and(inList(db, evalJobs.agentId, agentIds), isOpenEvalJob(evalJobs)))
    .groupBy(evalJobs.agentId)
    .prepare('find_open_evals');
});

const openAgentRunsOf = prepareForTransactions((db) => {
  const { agentRuns } = db.tables;
  return db.query
    .select({ agentId: agentRuns.agentId, jobs: count() })
    .from(agentRuns)
    .where(and(inList(db, agentRuns.agentId, agentIds), isOpenAgentRun(agentRuns)))
    .groupBy(agentRuns.agentId)
    .prepare('find_open_agent_runs');
});

const refundedEvalsOf = prepareForTransactions((db) => {
  const { evalJobs } = db.tables;
  return db.query
    .select({ agentId: evalJobs.agentId, finishedAt: evalJobs.finishedAt })
    .from(evalJobs)
    .where(
      and(
        inList(db, evalJobs.agentId, agentIds),
        isRefundedEvalJob(evalJobs),
        gt(evalJobs.finishedAt, sql.param(windowStart, evalJobs.finishedAt)),
        or(isNull(evalJobs.failureCode), notInArray(evalJobs.failureCode, endedByHub)),
      ),
    )
    .prepare('find_refunded_evals');
});

const refundedAgentRunsOf = prepareForTransactions((db) => {
  const { agentRuns } = db.tables;
  return db.query
    .select({ agentId: agentRuns.agentId, finishedAt: agentRuns.finishedAt })
    .from(agentRuns)
    .where(
      and(
        inList(db, agentRuns.agentId, agentIds),
        isRefundedAgentRun(agentRuns),
        or(isNull(agentRuns.failureCode), notInArray(agentRuns.failureCode, agentRunsEndedByHub)),
        gt(agentRuns.finishedAt, sql.param(windowStart, agentRuns.finishedAt)),
      ),
    )
    .prepare('find_refunded_agent_runs');
});
