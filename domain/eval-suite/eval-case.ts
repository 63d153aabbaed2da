/** The types that all parts of the suite share. Results use the field names of the HTTP API. */
import type { GraderSpec } from './graders/grader.ts';

/** Relative to the category. Recorded so that a scorecard can separate easy misses from hard ones. */
export type Difficulty = 'easy' | 'medium' | 'hard';

/**
 * `weighted` gives partial scores by check. `all` gives the full score or none: a leak invalidates a finished
 * task.
 */
export type Scoring = 'weighted' | 'all';

/** What a category generates. The suite adds position, id and weight. */
export interface CaseDraft {
  /** The kind of task within the category, such as `gcd`. */
  readonly kind: string;
  readonly difficulty: Difficulty;
  readonly prompt: string;
  readonly graders: readonly GraderSpec[];
  readonly scoring: Scoring;
  /** A reply that earns the full score. */
  readonly expected: string;
}

/** One task for the target. Plain data that survives JSON. */
export interface EvalCase extends CaseDraft {
  /** Position in the run, from 0. */
  readonly index: number;
  /** Unique within the run, such as `arithmetic-3`. */
  readonly id: string;
  readonly category: string;
  /** Share of the suite's total of 100. */
  readonly weight: number;
}

/** The verdict of one grader; `name` is the grader's. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what was found, in one sentence. */
  readonly message: string;
  /**
   * The verdict when wrapping (a fence, a first or last line, emphasis) is ignored. Absent when equal to
   * `passed`.
   */
  readonly passed_loose?: boolean;
  /** Share of the check inside its case; absent means 1. */
  readonly weight?: number;
}

/** The verdict on one reply. */
export interface Grade {
  /** 0 to 1. */
  readonly score: number;
  /** Whether every check passed. */
  readonly passed: boolean;
  readonly checks: readonly Check[];
}

/** The outcome of one case: graded, or in error when the target gave no reply to grade. */
export interface CaseResult {
  readonly index: number;
  readonly id: string;
  readonly category: string;
  readonly prompt: string;
  readonly status: 'passed' | 'failed' | 'error';
  /** 0 to 1. An error scores 0. */
  readonly score: number;
  readonly weight: number;
  readonly checks: readonly Check[];
  /** The first 4,000 characters of the reply; null in error. */
  readonly response_text: string | null;
  readonly error_code: string | null;
  readonly attempts: number;
  readonly latency_ms: number | null;
  /** A scorecard derives kind and difficulty from the seed, so they need not be stored. */
  readonly kind?: string;
  readonly difficulty?: Difficulty;
}

/** Everything a scorecard is rendered from. */
export interface RunSummary {
  readonly job_id: string;
  readonly suite: { readonly name: string; readonly version: string; readonly seed: string };
  readonly target_url: string;
  /** ISO 8601 in UTC. */
  readonly started_at: string;
  /** ISO 8601 in UTC. */
  readonly finished_at: string;
  readonly results: readonly CaseResult[];
}
