/**
 * One run of cases in push mode, from claim to settlement. It may be interrupted at any point: recorded cases are kept,
 * and the next runner resumes from them.
 */
import type { FailureCause, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { claimRun, noteReply, releaseRun } from '#domain/runs/hold-run.ts';
import { productOf } from '#domain/runs/products.ts';
import { plainTarget } from '#domain/runs/read-target.ts';
import { faultOfAttempts, HeldReplies, lethalRepliesProblem } from '#domain/runs/reply-in-hand.ts';
import { deadlineMessage, delayedMsMax, runDeadlineMs } from '#domain/runs/run-limits.ts';
import type { RunOutcome } from '#domain/runs/run-outcome.ts';
import { missingInError, type RunPlan } from '#domain/runs/run-plan.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { listItems } from '#domain/runs/store-items.ts';
import { RunLater } from '#runtime/jobs/job-worker.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { PausableDeadline } from './pausable-deadline.ts';
import { type CaseRun, type EvalRunnerDeps, runCases } from './run-cases.ts';

export interface RunJob {
  readonly runId: string;
  /** The row in `jobs` of this run. */
  readonly jobId: string;
}

/** A busy job is retried this long after its lease ends. */
const busyMarginMs = 250;
export const handBackDelayMs = 500;

/**
 * Claims a run, of any product.
 * @returns null if it has ended; its row in `jobs` is closed then
 * @throws RunLater when another runner holds it
 */
export async function claimOrWait(ctx: Ctx, { runId, jobId }: RunJob): Promise<RunRow | null> {
  const claim = await claimRun(ctx, { runId });
  switch (claim.state) {
    case 'ended':
      await withTransaction(ctx, (inner) => closeJobs(inner, [jobId]));
      return null;
    case 'busy':
      throw new RunLater(Math.max(0, claim.leaseUntil.getTime() - ctx.clock.now().getTime()) + busyMarginMs, {
        idle: true,
      });
    case 'claimed':
      return claim.run;
  }
}

/**
 * @throws RunLater when another runner holds the job, or when this process shuts down before the run ends
 */
export async function pushRun(deps: EvalRunnerDeps, run: RunJob): Promise<void> {
  const job = await claimOrWait(deps.ctx, run);
  if (job !== null) await runClaimed(deps, run, job);
}

async function runClaimed(deps: EvalRunnerDeps, run: RunJob, job: RunRow): Promise<void> {
  const { ctx, logger } = deps;
  // Cases that earlier attempts recorded.
  const recorded = job.attempt === 1 ? [] : await listItems(ctx, job.id);
  crashPoint('run.claimed');
  const claim = { runId: job.id, attempt: job.attempt };
  const outcome =
    faultOfAttempts(job) === 'hub'
      ? failure('internal', 'The hub attempted the run several times without finishing it.')
      : await deps.leases.whileHolding(claim, (lost) => runToOutcome(deps, job, recorded, lost));
  if (outcome === 'lost') {
    logger.warn({ evalJob: job.id, attempt: job.attempt }, 'claim on the eval job lost, nothing settled');
    return;
  }
  if (outcome === 'ending') {
    await releaseRun(ctx, claim);
    throw new RunLater(handBackDelayMs);
  }
  crashPoint('run.settling');
  const settled = await settleRun(ctx, { ...claim, outcome, jobId: run.jobId });
  crashPoint('run.settled');
  const ended = outcome.kind === 'failed' ? outcome.code : outcome.score;
  logger.info(
    { evalJob: job.id, attempt: job.attempt, settled, outcome: outcome.kind, ended },
    'eval run ended',
  );
}

async function runToOutcome(
  deps: EvalRunnerDeps,
  job: RunRow,
  recorded: readonly StoredItem[],
  lost: AbortSignal,
): Promise<RunOutcome | 'lost' | 'ending'> {
  const { cases } = productOf(job);
  if (cases === null) throw new Error(`A run of ${job.product} has no cases.`);
  const plan = await cases.plan(deps.ctx, job);
  if (plan === null) return failure('internal', cases.goneMessage);
  const { clock, rules } = deps.ctx;
  const startedAt = job.startedAt ?? clock.now();
  const endsAt = startedAt.getTime() + runDeadlineMs(rules, job) + job.delayedMs;
  const leftMs = endsAt - clock.now().getTime();
  const claim = { runId: job.id, attempt: job.attempt };
  const run: RunContext = {
    job,
    plan,
    now: () => clock.now(),
    deadlineMessage: deadlineMessage(rules, job),
  };
  if (faultOfAttempts(job) === 'target')
    return endedEarly(run, recorded, 'target_bad_response', lethalRepliesProblem);
  if (leftMs <= 0) return endedEarly(run, recorded, 'deadline_exceeded', run.deadlineMessage);
  const deadline = new PausableDeadline(leftMs, delayedMsMax - job.delayedMs);
  const ran = await runCases({
    ...deps,
    turns: deps.turns(() => deadline.pause()),
    delayedMs: () => job.delayedMs + deadline.pausedMs(),
    ...claim,
    replies: new HeldReplies(job.attempt, (isHeld) => noteReply(deps.ctx, claim, isHeld)),
    agentId: job.agentId,
    targetUrl: job.targetUrl ?? '',
    target: job.target ?? plainTarget,
    headers: job.targetHeaders === null ? {} : decryptHeaders(deps.secretKey, job.targetHeaders),
    plan,
    recorded,
    stop: AbortSignal.any([lost, deadline.signal]),
  }).finally(() => deadline.clear());
  if (lost.aborted) return 'lost';
  return outcomeOf(run, ran, deadline.signal.aborted);
}

interface RunContext {
  readonly job: RunRow;
  readonly plan: RunPlan;
  readonly now: () => Date;
  readonly deadlineMessage: string;
}

function outcomeOf(run: RunContext, ran: CaseRun, pastDeadline: boolean): RunOutcome | 'lost' | 'ending' {
  switch (ran.end) {
    case 'all_done':
      return completed(run, ran.results);
    case 'target_failed':
      return endedEarly(run, ran.results, ran.code, ran.message, ran.cause);
    case 'fenced':
      return 'lost';
    case 'stopped':
      return pastDeadline ? endedEarly(run, ran.results, 'deadline_exceeded', run.deadlineMessage) : 'ending';
  }
}

/** A ranked run counts even if its target fails: cases without a reply score 0. */
function endedEarly(
  run: RunContext,
  results: readonly StoredItem[],
  code: RunFailureCode,
  message: string,
  cause: FailureCause | null = null,
): RunOutcome {
  if (!run.job.ranked) return failure(code, message, cause);
  return completed(run, results, missingInError(run.plan, results, code));
}

function completed(
  { job: run, plan, now }: RunContext,
  results: readonly StoredItem[],
  missing: readonly StoredItem[] = [],
): RunOutcome {
  return plan.score({ run, finishedAt: now() }, results, missing);
}

function failure(code: RunFailureCode, message: string, cause: FailureCause | null = null): RunOutcome {
  return { kind: 'failed', code, message: `${message} The run was refunded.`, cause };
}
