/** How a run ends. */
import type { FailureCause, RunEstimate, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { LatencySummary } from '#evals/latency-summary.ts';

interface AnyOutcome {
  /** Replies whose graders ran out of work, time or memory, if there are any. */
  readonly exhausted?: number;
}

export interface CompletedOutcome extends AnyOutcome {
  readonly kind: 'completed';
  /** 0 to 100. */
  readonly score: number;
  readonly latency?: LatencySummary | null;
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
  /** Whether the agent pays all the same, because the fault is in what it made itself. */
  readonly isCharged?: true;
}

export type RunOutcome = CompletedOutcome | FailedOutcome;

/** The outcome of a run that is refunded. */
export function failedOutcome(
  code: RunFailureCode,
  message: string,
  cause: FailureCause | null = null,
): FailedOutcome {
  return { kind: 'failed', code, message: `${message} The run was refunded.`, cause };
}

/** The outcome of a run that fails by the fault of its agent, which could repeat it for free otherwise. */
export function chargedFailure(code: RunFailureCode, message: string, because: string): FailedOutcome {
  return {
    kind: 'failed',
    code,
    message: `${message} The run was not refunded, because ${because}.`,
    isCharged: true,
  };
}

export function hasEnded({ status }: Pick<RunRow, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
