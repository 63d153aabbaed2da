/** The eval-runner pool: takes runs from the queue and runs each against its target. */
import { isDatabaseUnavailable } from '#db/errors.ts';
import type { Ctx } from '#domain/context.ts';
import { queueOfKind, readSubjectId } from '#domain/jobs/job-kinds.ts';
import { type RecordedProgress, recordItems } from '#domain/runs/store-items.ts';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders, shortReplyMax } from '#domain/place/place-graders.ts';
import { createJudges } from '#domain/runs/grading/judges.ts';
import { findClaimant, noteNamedHost, renewRunLeases } from '#domain/runs/hold-run.ts';
import { createBatcher } from '#runtime/loop-turns.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { type DeliveredJob, Snooze, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { unlessFrozen } from '../unless-frozen.ts';
import { Admission } from './admission.ts';
import { openChats } from './chats.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { EvalRunnerDeps } from './run-cases.ts';
import { pushRun } from './push-run.ts';
import { createTargetTurns, type TargetTurns } from '#runtime/turns/target-turns.ts';
import { userAgentOf } from '#runtime/guarded-http/user-agent.ts';

/** Cases of all runs that finish together are stored together. */
const casesPerCommitMax = 128;
const deliveriesBeyondPlaces = 16;
/** The concurrency of the pool limits them. */
const repliesWaitingMax = { ofAgent: Infinity, all: Infinity };
/** A finished case is worth waiting for a slow store. */
const caseWaitMaxMs = 30_000;

export async function startEvalRunner(deps: PoolDeps): Promise<RunningPool> {
  const { ctx, logger, tracing, settings, redis, redisUrl, concurrency } = deps;
  const ending = new AbortController();
  const http = createGuardedHttp({
    policy: ctx.rules.targetAddresses,
    limits: { answerTimeoutMs: settings.evalCallTimeoutMs },
    userAgent: userAgentOf(settings),
  });
  const turns = createTargetTurns({ redis, logger, http, settings });
  const leases = new LeaseKeeper((claims) => renewRunLeases(ctx, claims), logger);
  const secretKey = await loadSecretKey(settings);
  const policy = ctx.rules.targetAddresses;
  const judges = createJudges({ policy, userAgent: userAgentOf(settings), redis, logger, secretKey });
  const place = openPlace({ waitingMax: repliesWaitingMax });
  const graders = createPlaceGraders({ place, inlineMax: shortReplyMax, judges });
  const runner = {
    ctx,
    logger,
    graders,
    recordCase: createCaseRecorder(ctx),
    leases,
    secretKey,
    ending: ending.signal,
  };
  const admission = new Admission(concurrency);
  const worker = startJobWorker({
    queue: queueOfKind.run,
    // More runs than there are slots are delivered, so that admission can choose between them.
    concurrency: concurrency + deliveriesBeyondPlaces,
    redisUrl,
    logger,
    tracing,
    handle: unlessFrozen(ctx.db, (job) => {
      const own = { ctx: { ...ctx, cause: job.cause }, logger: job.logger };
      const traced = { ...runner, ...own, chat: openChats(http, tracing, job.cause) };
      return runAdmitted(traced, turns, admission, job);
    }),
  });
  return {
    drain: async () => {
      ending.abort();
      await worker.drain();
      leases.close();
      turns.close();
      http.close();
      place.close();
      judges.close();
    },
  };
}

/** A run without a slot is retried once one is free. Meanwhile this process handles other runs. */
async function runAdmitted(
  runner: Omit<EvalRunnerDeps, 'turns' | 'claimant'>,
  targetTurns: TargetTurns,
  admission: Admission,
  job: DeliveredJob,
): Promise<void> {
  const runId = readSubjectId('run', job.payload);
  const { targetUrl, ...claimant } = await findClaimant(runner.ctx.db, runId);
  const turns: EvalRunnerDeps['turns'] = (onDelay) =>
    targetTurns.takeFor(claimant, {
      onDelay,
      onNamed: (origin) => noteNamedHost(runner.ctx, { runId, origin }),
    });
  const claim = { runId, claimant, targetUrl };
  const slot = admission.enter(claim);
  if (slot === null)
    throw new Snooze(admission.retryDelayMs(), {
      idle: true,
      onSnooze: (deliver) => admission.joinQueue(claim, deliver),
    });
  try {
    const ending = AbortSignal.any([runner.ending, slot.yielded]);
    await pushRun({ ...runner, claimant, turns, ending }, { runId, jobId: job.id });
  } finally {
    slot.leave();
  }
}

export function createCaseRecorder(ctx: Ctx): EvalRunnerDeps['recordCase'] {
  return createBatcher({
    maxBatch: casesPerCommitMax,
    maxInFlight: 1,
    maxWaitMs: caseWaitMaxMs,
    handle: async (finished: readonly RecordedProgress[]) => {
      try {
        return await recordItems(ctx, finished);
      } catch (error) {
        if (finished.length === 1 || isDatabaseUnavailable(error)) throw error;
        return recordEach(ctx, finished);
      }
    },
  });
}

/** Lets an item that cannot be stored fail only its own run. */
async function recordEach(ctx: Ctx, finished: readonly RecordedProgress[]): Promise<(boolean | Error)[]> {
  const results: (boolean | Error)[] = [];
  for (const item of finished) {
    const [result = false] = await recordItems(ctx, [item]).catch((error: unknown) => [
      error instanceof Error ? error : new Error('The item cannot be stored.', { cause: error }),
    ]);
    results.push(result);
  }
  return results;
}
