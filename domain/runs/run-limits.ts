/** The bounds of a run, for the verbs, the runner and the sweeper, and the ways in which it ends. */
import type { FailureCause, RunEstimate, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { LatencySummary } from '#evals/latency-summary.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { hasReply } from '#evals/stored-item.ts';
import type { HubRules } from '../hub-rules.ts';

/** A large run gets this long for each case, if that is more than the setting. */
const secondsPerCase = 15;
const runSecondsMax = 3_600;
/** A run with more items, which only suites have, may take longer. */
const ordinarySizeMax = 240;
const longRunSecondsMax = 6 * 3_600;
/** A runner that does not renew its claim for this long counts as dead. For liveness only: `attempt` is the fence. */
export const runLeaseMs = 6_000;
export const runLeaseRenewalMs = 1_500;
/** A lease that ends later was set by a machine whose clock is ahead. Allows for small differences between clocks. */
export const honestLeaseMaxMs = 10 * runLeaseMs;
/** After this many attempts that ended with their process, a run is refunded: the fault is the hub's. */
export const runAttemptsMax = 24;
/** A run fails if more than this share of its cases end in error after retries: of all cases, or of the first stage. */
export const errorShareMax = { run: 0.2, firstStage: 0.5 };
/** The sweeper leaves the runner this long to settle an overdue run itself. */
export const overdueGraceMs = 30_000;

/** A run that nobody begins within this time is refunded. */
export const unfetchedMs = 24 * 60 * 60 * 1_000;
/** From the first fetch of a run in pull mode to its end. */
export const pullRunMs = 60 * 60 * 1_000;

/** Waiting for turns at a limited host extends the deadline of a run by at most this long. */
export const delayedMsMax = 3_600_000;

/** When an open run ends at the latest; null for a run that waits for a worker. */
export function latestEndOf(
  rules: Pick<HubRules, 'evalRunSeconds'>,
  run: Pick<RunRow, 'startedAt' | 'dueAt' | 'delayedMs'> & DeadlineOf,
): Date | null {
  const { startedAt, dueAt, delayedMs } = run;
  if (dueAt !== null) return dueAt;
  return startedAt === null ? null : new Date(startedAt.getTime() + runDeadlineMs(rules, run) + delayedMs);
}

type DeadlineOf = Pick<RunRow, 'chargeFree' | 'runSize' | 'limitSeconds'>;

/** From the first claim to the end, over all attempts, without the time that the hub delayed its calls. */
export function runDeadlineMs({ evalRunSeconds }: Pick<HubRules, 'evalRunSeconds'>, run: DeadlineOf): number {
  if (run.limitSeconds !== null) return run.limitSeconds * 1_000;
  return (run.chargeFree ? evalRunSeconds.free : secondsFor(run.runSize, evalRunSeconds.paid)) * 1_000;
}

/** Of the runs of any size. */
export function shortestDeadlineMs({ evalRunSeconds }: HubRules): number {
  return Math.min(evalRunSeconds.free, evalRunSeconds.paid) * 1_000;
}

/** More for a large run. */
function secondsFor(runSize: number, least: number): number {
  const most = runSize > ordinarySizeMax ? longRunSecondsMax : runSecondsMax;
  return Math.min(most, Math.max(least, runSize * secondsPerCase));
}

/** How long a run in pull mode may take from its first fetch. */
export function pullRunMsOf(run: Pick<RunRow, 'runSize' | 'limitSeconds'>): number {
  return (run.limitSeconds ?? secondsFor(run.runSize, pullRunMs / 1_000)) * 1_000;
}

export function deadlineMessage(rules: HubRules, run: DeadlineOf): string {
  return `The run did not end within ${Math.round(runDeadlineMs(rules, run) / 60_000)} minutes.`;
}

type CaseOutcome = Pick<StoredTrial, 'index' | 'status' | 'error_code'>;

/** Counts the outcomes of a run against a target, which stops if the target fails too often. */
export class OutcomeTally {
  readonly #run: { readonly total: number; readonly firstStage: number };
  #ended = 0;
  #errors = 0;
  #early = 0;
  #earlyErrors = 0;

  constructor(run: { readonly total: number; readonly firstStage: number }) {
    this.#run = run;
  }

  add(outcome: CaseOutcome): void {
    const { index } = outcome;
    const isError = !hasReply(outcome);
    this.#ended += 1;
    if (isError) this.#errors += 1;
    if (index >= this.#run.firstStage) return;
    this.#early += 1;
    if (isError) this.#earlyErrors += 1;
  }

  /** Whether the target failed on the very first case, or on too many. */
  get isGivenUp(): boolean {
    const { total, firstStage } = this.#run;
    if (this.#errors > total * errorShareMax.run) return true;
    if (this.#early === firstStage && this.#earlyErrors > firstStage * errorShareMax.firstStage) return true;
    return this.#ended === 1 && this.#errors === 1;
  }
}

interface AnyOutcome {
  /** Replies whose graders ran out of work, time or memory, if there are any. */
  readonly exhausted?: number;
  /** Replies that wait for judges, if there are any. */
  readonly unjudged?: number;
}

export interface CompletedOutcome extends AnyOutcome {
  readonly kind: 'completed';
  /** 0 to 100. */
  readonly score: number;
  readonly latency?: LatencySummary | null;
  readonly usage?: TokenUsage | null;
  readonly estimate: RunEstimate;
  /** The summary of the scorecard, which stays when the items are deleted. */
  readonly scoreJson?: Record<string, unknown>;
  /** Items without a reply, stored with the outcome. */
  readonly missing?: readonly StoredTrial[];
  /** Whether its agent ended the run. */
  readonly cancelled?: true;
}

export interface FailedOutcome extends AnyOutcome {
  readonly kind: 'failed';
  readonly code: RunFailureCode;
  readonly message: string;
  readonly cause?: FailureCause | null;
}

export type RunOutcome = CompletedOutcome | FailedOutcome;

/** A failed run is refunded. */
export function failedOutcome(
  code: RunFailureCode,
  message: string,
  cause: FailureCause | null = null,
): FailedOutcome {
  return { kind: 'failed', code, message: `${message} The run was refunded.`, cause };
}
