/** What is kept of a trial of a case, and of a whole run of a suite. */
import type { StoredItem } from '../stored-item.ts';
import type { Step } from '../worlds/world.ts';
import type { Finding } from '../findings/rule.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { StoredTask } from '../week/score.ts';
import type { Reply } from './document.ts';
import type { GraderResult } from './grade-reply.ts';
import type { Ungraded } from './graders/grader.ts';

/** A letter for each trial of a case, in order. */
export type TrialMarks = string;

export interface StoredTrial extends StoredItem {
  case_id: string;
  /** Counted from 1. */
  trial: number;
  graders: readonly GraderResult[];
  tool_calls?: Reply['tool_calls'];
  /** Of a case with tools: what the agent said and called. The world answers the same again. */
  steps?: readonly Step[];
  /** Of a task in the office. */
  task?: StoredTask;
  /** The changes without which the reply passes, by name (`evals/findings/undo.ts`). */
  undone?: readonly string[];
  /** Why the trial counts neither way. */
  ungraded?: string;
  /** What the graders of the suite ran out of, if that is why. It decides who pays, and agents do not see it. */
  exhausted?: Ungraded['exhausted'];
}

/** A grader as the agent sees it: what would give away a hidden suite is null. */
export interface ShownGrader extends Omit<GraderResult, 'expected' | 'found'> {
  readonly expected: string | null;
  readonly found: string | null;
}

export interface ShownTrial extends Omit<
  StoredTrial,
  'graders' | 'ungraded' | 'exhausted' | 'steps' | 'task'
> {
  readonly graders: readonly ShownGrader[];
  readonly ungraded?: string | null;
}

export interface ShownSuiteCase {
  readonly case_id: string;
  readonly tags: readonly string[];
  readonly weight: number;
  /** The beginning of the last message. */
  readonly prompt: string | null;
  /** The mean over the graded trials, from 0 to 1; null if none was graded. */
  readonly pass_rate: number | null;
  readonly trials: readonly ShownTrial[];
}

/** The figures of a completed run, as the API shows them. Rates are from 0 to 1. */
export interface SuiteRunResult {
  pass_rate: { value: number; low: number; high: number };
  /** The share of cases that passed in all `k` trials. */
  pass_k: { k: number; value: number };
  /** The ids of cases that passed in some trials and failed in others. */
  flaky: readonly string[];
  /** `answered`: the cases with an answer to at least one trial. */
  tags: Readonly<Record<string, { value: number; cases: number; answered: number }>>;
  latency: { p50_ms: number; p90_ms: number } | null;
  /** Null if no tokens were reported. */
  usage: TokenUsage | null;
  /** Trials that count neither way. */
  ungraded: number;
  /** Trials without a reply, which count as failed. */
  errors: number;
  /** Those among them that were never answered, because the run ended before. */
  unanswered: number;
}

/** What is stored of a completed run, beside its trials, which are deleted earlier. */
export interface StoredSuiteResult extends SuiteRunResult {
  /** The pass rate as a fraction, in decimal digits. */
  exact: { numerator: string; denominator: string };
  /** By the id of the case. */
  marks: Readonly<Record<string, TrialMarks>>;
  /** Of the cases, in their order; absent in suites without levels. */
  levels?: readonly number[];
  /** What is wrong with the agent; absent in suites without rules for it. */
  findings?: readonly Finding[];
}
