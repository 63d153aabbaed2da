/** The eval-runner pool: takes eval jobs from the queue and runs each against its target. */
import { queueOfKind, readSubjectId } from '#domain/jobs/job-kinds.ts';
import { recordEvalCases } from '#domain/eval-jobs/record-eval-cases.ts';
import { findEvalTarget } from '#domain/eval-jobs/find-eval-target.ts';
import { createBatcher } from '#runtime/batcher.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { traceHttp } from '#runtime/guarded-http/traced-http.ts';
import { type DeliveredJob, RunLater, startJobWorker } from '#runtime/jobs/job-worker.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { type Admission, createAdmission, runsPerTargetMax } from './admission.ts';
import type { EvalRunnerDeps } from './run-cases.ts';
import { runEvalJob } from './run-eval-job.ts';
import { createTargetSlots } from '../target-slots.ts';

/** Cases of all runs that finish together are stored together. */
const casesPerCommitMax = 128;
/** A finished case is worth waiting for a slow store. */
const caseWaitMaxMs = 30_000;

export async function startEvalRunner(deps: PoolDeps): Promise<RunningPool> {
  const { ctx, logger, tracing, settings, redis, redisUrl, concurrency } = deps;
  const ending = new AbortController();
  const http = createGuardedHttp({
    policy: createAddressPolicy(settings.evalAllowedTargets),
    limits: { answerTimeoutMs: settings.evalCallTimeoutMs },
  });
  const slots = createTargetSlots(redis, logger);
  const runner = {
    ctx,
    logger,
    http,
    takeSlot: slots.take,
    recordCase: createBatcher({
      maxBatch: casesPerCommitMax,
      maxInFlight: 1,
      maxWaitMs: caseWaitMaxMs,
      handle: (finished: Parameters<typeof recordEvalCases>[1]) => recordEvalCases(ctx, finished),
    }),
    ending: ending.signal,
  };
  const admission = createAdmission(runsPerTargetMax);
  const worker = startJobWorker({
    queue: queueOfKind['eval-run'],
    concurrency,
    redisUrl,
    logger,
    tracing,
    handle: (job) => {
      const own = { ctx: { ...ctx, cause: job.cause }, logger: job.logger };
      return runAdmitted({ ...runner, ...own, http: traceHttp(http, tracing, job.cause) }, admission, job);
    },
  });
  return {
    drain: async () => {
      ending.abort();
      await worker.drain();
      slots.close();
      http.close();
    },
  };
}

/**
 * A run whose target is busy is retried once a place is free. Meanwhile its slot in this process serves other
 * targets.
 */
async function runAdmitted(runner: EvalRunnerDeps, admission: Admission, job: DeliveredJob): Promise<void> {
  const run = { jobId: job.id, evalJobId: readSubjectId('eval-run', job.payload) };
  const targetUrl = await findEvalTarget(runner.ctx.db, run.evalJobId);
  if (targetUrl === null) return runEvalJob(runner, run);
  const leave = admission.enter(targetUrl);
  if (leave === null)
    throw new RunLater(admission.retryDelayMs(targetUrl), {
      idle: true,
      onPutOff: (deliver) => admission.joinLine(targetUrl, run.evalJobId, deliver),
    });
  try {
    await runEvalJob(runner, run);
  } finally {
    leave();
  }
}
