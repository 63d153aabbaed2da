/**
 * One run in push mode, from claim to settlement. It may be interrupted at any point: recorded cases and steps are kept,
 * and the next runner resumes from them.
 */
import type { FailureCause, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { missingInError } from '#domain/runs/cancel-run.ts';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { readRun } from '#domain/runs/find-run.ts';
import { claimRun, releaseRun, type RunClaim } from '#domain/runs/hold-run.ts';
import { scoreCases } from '#domain/runs/cases/score-cases.ts';
import { productOf } from '#domain/runs/products.ts';
import { plainTarget } from '#domain/runs/read-order.ts';
import {
  deadlineMessage,
  delayedMsMax,
  failedOutcome,
  runAttemptsMax,
  runDeadlineMs,
  type RunOutcome,
} from '#domain/runs/run-limits.ts';
import type { RunPlan } from '#domain/runs/run-plan.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { listItemsInParts, listOpenItems } from '#domain/runs/store-items.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { RunTarget } from './call-target.ts';
import { PausableDeadline } from './pausable-deadline.ts';
import { regradeCases, type RegradedSource } from './regrade-cases.ts';
import { type CaseRun, type EvalRunnerDeps, runCases } from './run-cases.ts';

export interface RunJob {
  readonly runId: string;
  /** The row in `jobs` of this run. */
  readonly jobId: string;
}

/** A busy run is retried this long after its lease ends. */
const busyMarginMs = 250;
const releaseDelayMs = 500;

/**
 * @throws Snooze when another runner holds the run, or when this process shuts down before the run ends
 */
export async function pushRun(deps: EvalRunnerDeps, job: RunJob): Promise<void> {
  const { ctx, logger } = deps;
  const run = await claimOrWait(ctx, job);
  if (run === null) return;
  crashPoint('run.claimed');
  const claim = { runId: run.id, attempt: run.attempt };
  const outcome = await runToOutcome(deps, run, claim);
  if (outcome === 'lost') {
    logger.warn(claim, 'claim on the run lost, nothing settled');
    return;
  }
  if (outcome === 'stopped') {
    await releaseRun(ctx, claim);
    throw new Snooze(releaseDelayMs);
  }
  crashPoint('run.settling');
  const settled = await settleRun(ctx, { ...claim, outcome, jobId: job.jobId });
  crashPoint('run.settled');
  const ended = outcome.kind === 'failed' ? outcome.code : outcome.score;
  logger.info({ ...claim, product: run.product, settled, outcome: outcome.kind, ended }, 'run ended');
}

/**
 * @returns null if the run has ended; its row in `jobs` is closed then
 * @throws Snooze when another runner holds it
 */
async function claimOrWait(ctx: Ctx, { runId, jobId }: RunJob): Promise<RunRow | null> {
  const claim = await claimRun(ctx, { runId });
  switch (claim.state) {
    case 'ended':
      await withTransaction(ctx, (inner) => closeJobs(inner, [jobId]));
      return null;
    case 'busy':
      throw new Snooze(Math.max(0, claim.leaseUntil.getTime() - ctx.clock.now().getTime()) + busyMarginMs, {
        idle: true,
      });
    case 'claimed':
      return claim.run;
  }
}

async function runToOutcome(
  deps: EvalRunnerDeps,
  run: RunRow,
  claim: RunClaim,
): Promise<RunOutcome | 'lost' | 'stopped'> {
  if (run.attempt - 1 - run.releases >= runAttemptsMax)
    return failedOutcome('internal', 'The hub attempted the run several times without finishing it.');
  return deps.leases.whileHolding(claim, (lost) =>
    withGrace(deps.ending, async (over) => {
      const outcome = await pushCases(deps, run, claim, AbortSignal.any([lost, over]));
      return lost.aborted ? 'lost' : outcome;
    }),
  );
}

/** How long calls in flight may continue after shutdown begins. */
const endingGraceMs = 2_000;

/** Runs `work` with a signal that fires some time after `ending`, and once the work is over. */
async function withGrace<T>(ending: AbortSignal, work: (over: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onEnding = (): void => {
    timer = setTimeout(() => abort.abort(), endingGraceMs);
  };
  if (ending.aborted) onEnding();
  else ending.addEventListener('abort', onEnding, { once: true });
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', onEnding);
    abort.abort();
  }
}

function targetOf({ secretKey }: EvalRunnerDeps, run: RunRow): RunTarget {
  const headers = run.targetHeaders === null ? {} : decryptHeaders(secretKey, run.targetHeaders);
  return { runId: run.id, url: run.targetUrl ?? '', settings: run.target ?? plainTarget, headers };
}

/** @param stop fires when all calls must end */
async function pushCases(
  deps: EvalRunnerDeps,
  run: RunRow,
  claim: RunClaim,
  stop: AbortSignal,
): Promise<RunOutcome | 'lost' | 'stopped'> {
  const { cases } = productOf(run);
  const plan = await cases.plan(deps.ctx, run);
  if (plan === null) return failedOutcome('internal', cases.goneMessage);
  // Cases that earlier attempts recorded.
  const recorded =
    run.attempt === 1 ? [] : await listItemsInParts(deps.ctx, run.id, (item) => plan.scored(item));
  const { clock, rules } = deps.ctx;
  const startedAt = run.startedAt ?? clock.now();
  const endsAt = startedAt.getTime() + runDeadlineMs(rules, run) + run.delayedMs;
  const leftMs = endsAt - clock.now().getTime();
  const planned = { ctx: deps.ctx, run, plan };
  if (leftMs <= 0) return pastDeadline(planned, recorded);
  const deadline = new PausableDeadline(leftMs, delayedMsMax - run.delayedMs);
  const asked = { ...deps, ...claim, plan, recorded, stop: AbortSignal.any([stop, deadline.signal]) };
  const source = await openSource(deps.ctx, run);
  const ran = await (
    source === null
      ? runCases({
          ...asked,
          target: targetOf(deps, run),
          isRanked: run.ranked,
          trials: run.trials,
          turns: deps.turns(() => deadline.pause()),
          delayedMs: () => run.delayedMs + deadline.pausedMs(),
          open: run.attempt === 1 ? [] : await listOpenItems(deps.ctx, run.id),
        })
      : regradeCases({ ...asked, source })
  ).finally(() => deadline.clear());
  return outcomeOf(planned, ran, deadline.signal.aborted);
}

/** The run whose replies are graded again. It cannot vanish before its account does. */
async function openSource(ctx: Ctx, again: RunRow): Promise<RegradedSource | null> {
  if (again.regradedFrom === null) return null;
  const run = await readRun(ctx, { runId: again.regradedFrom });
  const { cases } = productOf(run);
  const plan = await cases.plan(ctx, run);
  const [before, now] = [await cases.judging?.(ctx, run), await cases.judging?.(ctx, again)];
  invariant(plan !== null && before != null && now != null, 'The suite of a run outlives its runs.');
  return { runId: run.id, plan, judges: { before: before.judges, now: now.judges } };
}

interface PlannedRun {
  readonly ctx: Ctx;
  readonly run: RunRow;
  readonly plan: RunPlan;
}

async function outcomeOf(
  planned: PlannedRun,
  ran: CaseRun,
  isPastDeadline: boolean,
): Promise<RunOutcome | 'lost' | 'stopped'> {
  switch (ran.end) {
    case 'all_done':
      return scoreCases(planned.plan, ran.results);
    case 'target_failed':
      return endedEarly(planned, ran.results, ran.code, ran.message, ran.cause);
    case 'fenced':
      return 'lost';
    case 'stopped':
      return isPastDeadline ? pastDeadline(planned, ran.results) : 'stopped';
  }
}

function pastDeadline(planned: PlannedRun, results: readonly StoredTrial[]): Promise<RunOutcome> {
  const message = deadlineMessage(planned.ctx.rules, planned.run);
  return endedEarly(planned, results, 'deadline_exceeded', message);
}

/** A ranked run counts even if its target fails: cases without a reply score 0. */
async function endedEarly(
  { ctx, run, plan }: PlannedRun,
  results: readonly StoredTrial[],
  code: RunFailureCode,
  message: string,
  cause: FailureCause | null = null,
): Promise<RunOutcome> {
  if (!run.ranked) return failedOutcome(code, message, cause);
  return scoreCases(plan, results, await missingInError(ctx, run, plan, { recorded: results, code }));
}
