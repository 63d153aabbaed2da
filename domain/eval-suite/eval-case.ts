/**
 * The shapes that every part of the suite shares: a case as generated, the verdict on a reply, and a case's
 * result as the runner stores it. Results use the field names of the HTTP interface (decisions, section 5).
 */
import type { GraderSpec } from './graders/grader.ts';

/** How hard a case is inside its category; recorded so that a scorecard can tell easy misses from hard ones. */
export type Difficulty = 'easy' | 'medium' | 'hard';

/** `weighted` gives part marks by check; `all` gives the full mark or none (a leak undoes a finished task). */
export type Scoring = 'weighted' | 'all';

/** What a category's generator makes; position, id and weight are added by the suite. */
export interface CaseDraft {
  /** Which kind of task inside the category, such as `gcd`. */
  readonly kind: string;
  readonly difficulty: Difficulty;
  readonly prompt: string;
  readonly graders: readonly GraderSpec[];
  readonly scoring: Scoring;
  /** A reply that earns the full mark, for the oracle in tests and for explaining a case. */
  readonly expected: string;
}

/** One task for the target. Plain data: it survives JSON and means the same afterwards. */
export interface EvalCase extends CaseDraft {
  /** Position in the run, from 0. */
  readonly index: number;
  /** Stable name inside the run, such as `arithmetic-3`. */
  readonly id: string;
  readonly category: string;
  /** Share of the suite's total of 100. */
  readonly weight: number;
}

/** One verdict of one grader; `name` is the grader's name. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what was found, in one sentence. */
  readonly message: string;
  /** The verdict when outer wrapping (fences, a first or last line, emphasis) is forgiven; absent when equal to `passed`. */
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

/** What came of one case: graded, or in error when the target gave no reply to grade. */
export interface CaseResult {
  readonly index: number;
  readonly id: string;
  readonly category: string;
  readonly prompt: string;
  readonly status: 'passed' | 'failed' | 'error';
  /** 0 to 1; an error scores 0. */
  readonly score: number;
  readonly weight: number;
  readonly checks: readonly Check[];
  /** The first 4,000 characters of the reply, null in error. */
  readonly response_text: string | null;
  readonly error_code: string | null;
  readonly attempts: number;
  readonly latency_ms: number | null;
  /** Kind and difficulty are known again from the seed when a scorecard is rendered; the store need not keep them. */
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
