/**
 * One eval run from claim to settlement. It may be interrupted at any point: recorded cases are kept, and the
 * next runner resumes from them.
 */
import type { EvalFailureCode } from '#db/schema/eval-tables.ts';
import { claimEvalJob } from '#domain/eval-jobs/claim-eval-job.ts';
import { evalAttemptsMax, evalLeaseRenewalMs, evalRunDeadlineMs } from '#domain/eval-jobs/eval-job.ts';
import { handBackEvalJob, renewEvalLease } from '#domain/eval-jobs/hold-eval-claim.ts';
import { type EvalOutcome, settleEvalJob } from '#domain/eval-jobs/settle-eval-job.ts';
import { closeJobs } from '#domain/jobs/close-jobs.ts';
import { withTransaction } from '#domain/context.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { RunLater } from '#runtime/jobs/job-worker.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { completedOutcome } from './completed-outcome.ts';
import { type CaseRun, type EvalRunnerDeps, runCases } from './run-cases.ts';
import { type CaseResult, generateCases } from '#domain/eval-suite/index.ts';

export interface EvalRunJob {
  readonly evalJobId: string;
  /** The row in `jobs` of this run. */
  readonly jobId: string;
}

/** A busy job is retried this long after its lease ends. */
const busyMarginMs = 250;
const handBackDelayMs = 500;

/**
 * @throws RunLater when another runner holds the job, or when this process shuts down before the run ends
 */
export async function runEvalJob(deps: EvalRunnerDeps, run: EvalRunJob): Promise<void> {
  const { ctx } = deps;
  const claim = await claimEvalJob(ctx, { evalJobId: run.evalJobId });
  switch (claim.state) {
    case 'ended':
      await withTransaction(ctx, (inner) => closeJobs(inner, [run.jobId]));
      return;
    case 'busy':
      throw new RunLater(Math.max(0, claim.leaseUntil.getTime() - ctx.clock.now().getTime()) + busyMarginMs, {
        idle: true,
      });
    case 'claimed':
      await runClaimed(deps, run, claim.job, claim.cases);
  }
}

async function runClaimed(
  deps: EvalRunnerDeps,
  run: EvalRunJob,
  job: EvalJobRow,
  recorded: readonly CaseResult[],
): Promise<void> {
  const { ctx, logger } = deps;
  crashPoint('run.claimed');
  const claim = { evalJobId: job.id, attempt: job.attempt };
  const outcome =
    job.attempt - job.handBacks > evalAttemptsMax
      ? failure(
          'internal',
          'The run was attempted several times and never finished. The fault is on our side.',
        )
      : await whileHolding(deps, job, (signal) => runToOutcome(deps, job, recorded, signal));
  if (outcome === 'lost') {
    logger.warn({ evalJob: job.id, attempt: job.attempt }, 'claim on the eval job lost, nothing settled');
    return;
  }
  if (outcome === 'ending') {
    await handBackEvalJob(ctx, claim);
    throw new RunLater(handBackDelayMs);
  }
  crashPoint('run.settling');
  const settled = await settleEvalJob(ctx, { ...claim, outcome, jobId: run.jobId });
  crashPoint('run.settled');
  const ended = outcome.kind === 'failed' ? outcome.code : outcome.score;
  logger.info(
    { evalJob: job.id, attempt: job.attempt, settled, outcome: outcome.kind, ended },
    'eval run ended',
  );
}

/** Renews the lease while `work` runs. The signal fires when the claim is lost. */
async function whileHolding<T>(
  deps: EvalRunnerDeps,
  job: EvalJobRow,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      const held = await renewEvalLease(deps.ctx, { evalJobId: job.id, attempt: job.attempt });
      if (!held) lost.abort();
    } catch (err) {
      deps.logger.warn({ err, evalJob: job.id }, 'cannot renew the lease of the eval job');
    }
  };
  const timer = setInterval(() => void renew(), evalLeaseRenewalMs);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
}

async function runToOutcome(
  deps: EvalRunnerDeps,
  job: EvalJobRow,
  recorded: readonly CaseResult[],
  lost: AbortSignal,
): Promise<EvalOutcome | 'lost' | 'ending'> {
  const startedAt = job.startedAt ?? deps.ctx.clock.now();
  const leftMs = startedAt.getTime() + evalRunDeadlineMs - deps.ctx.clock.now().getTime();
  if (leftMs <= 0) return deadlineExceeded();
  const deadline = AbortSignal.timeout(leftMs);
  const cases = generateCases(job.suiteSeed);
  const ran = await runCases({
    ...deps,
    evalJobId: job.id,
    attempt: job.attempt,
    targetUrl: job.targetUrl,
    cases,
    recorded,
    stop: AbortSignal.any([lost, deadline]),
  });
  if (lost.aborted) return 'lost';
  return outcomeOf(ran, job, startedAt, deadline.aborted, deps);
}

function outcomeOf(
  ran: CaseRun,
  job: EvalJobRow,
  startedAt: Date,
  pastDeadline: boolean,
  deps: EvalRunnerDeps,
): EvalOutcome | 'lost' | 'ending' {
  switch (ran.end) {
    case 'all_done':
      return completedOutcome(job, startedAt, deps.ctx.clock.now(), ran.results);
    case 'too_many_errors':
      return failure(ran.code, errorCountMessage(ran));
    case 'fenced':
      return 'lost';
    case 'stopped':
      return pastDeadline ? deadlineExceeded() : 'ending';
  }
}

/** Counts by code only: a failed run shows no prompts and no scores. */
function errorCountMessage(ran: CaseRun & { end: 'too_many_errors' }): string {
  const counts = [...ran.errorCounts].map(([code, count]) => `${count} × ${code}`).join(', ');
  const what = ran.firstCall ? 'The first call to the target failed' : 'Too many calls to the target failed';
  return `${what} (${counts}; ${ran.results.length} of ${ran.total} cases run). The run was refunded.`;
}

function deadlineExceeded(): EvalOutcome {
  return failure('deadline_exceeded', 'The run did not end within 10 minutes. It was refunded.');
}

function failure(code: EvalFailureCode, message: string): EvalOutcome {
  return { kind: 'failed', code, message };
}
