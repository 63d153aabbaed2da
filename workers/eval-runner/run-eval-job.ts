/**
 * One eval run from claim to settlement. It may be interrupted at any point: recorded cases are kept, and the
 * next runner resumes from them.
 */
import type { FailureCause, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { type CaseSource, caseSourceOf, withMissingInError } from '#domain/eval-jobs/case-source.ts';
import { deadlineMessage, delayedMsMax, runDeadlineMs } from '#domain/runs/run-limits.ts';
import { claimRun, noteReply, releaseRun } from '#domain/runs/hold-run.ts';
import { faultOfAttempts, HeldReplies, lethalRepliesProblem } from '#domain/runs/reply-in-hand.ts';
import { type RunOutcome, settleRun } from '#domain/runs/settle-run.ts';
import { plainTarget } from '#domain/runs/read-target.ts';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { listCases } from '#domain/eval-jobs/show-eval-job.ts';
import { completedOutcome } from '#domain/eval-jobs/completed-outcome.ts';
import { type Suite, suiteGoneMessage, suiteOfRun } from '#domain/eval-jobs/suite-of-run.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
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
export async function runEvalJob(deps: EvalRunnerDeps, run: RunJob): Promise<void> {
  const job = await claimOrWait(deps.ctx, run);
  if (job !== null) await runClaimed(deps, run, job);
}

async function runClaimed(deps: EvalRunnerDeps, run: RunJob, job: RunRow): Promise<void> {
  const { ctx, logger } = deps;
  // Cases that earlier attempts recorded.
  const recorded = job.attempt === 1 ? [] : await listCases(ctx, { runId: job.id });
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
  recorded: readonly StoredCase[],
  lost: AbortSignal,
): Promise<RunOutcome | 'lost' | 'ending'> {
  const suite = suiteOfRun(deps.ctx, job);
  if (suite === null) return failure('internal', suiteGoneMessage);
  const { clock, rules } = deps.ctx;
  const startedAt = job.startedAt ?? clock.now();
  const endsAt = startedAt.getTime() + runDeadlineMs(rules, job) + job.delayedMs;
  const leftMs = endsAt - clock.now().getTime();
  const source = caseSourceOf(suite, job);
  const claim = { runId: job.id, attempt: job.attempt };
  const run: RunContext = {
    job,
    suite,
    source,
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
    source,
    recorded,
    stop: AbortSignal.any([lost, deadline.signal]),
  }).finally(() => deadline.clear());
  if (lost.aborted) return 'lost';
  return outcomeOf(run, ran, deadline.signal.aborted);
}

interface RunContext {
  readonly job: RunRow;
  readonly suite: Suite;
  readonly source: CaseSource;
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
  results: readonly StoredCase[],
  code: RunFailureCode,
  message: string,
  cause: FailureCause | null = null,
): RunOutcome {
  if (!run.job.ranked) return failure(code, message, cause);
  const all = withMissingInError(run.source, results, code);
  return completed(run, results, all.slice(results.length));
}

function completed(
  { job, suite, now }: RunContext,
  results: readonly StoredCase[],
  missing: readonly StoredCase[] = [],
): RunOutcome {
  return completedOutcome({ job, pack: suite.pack, finishedAt: now() }, results, missing);
}

function failure(code: RunFailureCode, message: string, cause: FailureCause | null = null): RunOutcome {
  return { kind: 'failed', code, message: `${message} The run was refunded.`, cause };
}
