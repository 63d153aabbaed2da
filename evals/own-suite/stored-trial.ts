/** What is kept of a trial of a case, and of a whole run of a suite. */
import type { Finding, Review, RunnerVerdict, SuiteRunResult } from './shown-run.ts';
import type { TrialEnd } from '../stored-item.ts';
import type { Step } from '../worlds/world.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { StoredTask } from '../week/grade.ts';
import type { Reply } from './document.ts';
import type { GraderResult } from './grade-reply.ts';
import type { Ungraded } from './graders/grader.ts';

/** A letter for each trial of a case, in order. */
export type TrialMarks = string;

export interface StoredTrial extends TrialEnd {
  /** In its run. */
  index: number;
  case_id: string;
  /** Counted from 1. */
  trial: number;
  /** From 0 to 1. */
  score: number;
  latency_ms: number | null;
  /** As the target or the agent reports it. */
  usage?: TokenUsage;
  graders: readonly GraderResult[];
  tool_calls?: Reply['tool_calls'];
  /** Of a case with turns: the replies before the last one, whose calls `tool_calls` has too. */
  earlier?: readonly Pick<Reply, 'text' | 'tool_calls'>[];
  /** Whether a reply, or the arguments of a call, are stored only in part. */
  shortened?: true;
  /** In error: whether the agent had replied in its conversation before. */
  begun?: true;
  /** Of a case with tools: what the agent said and called. The world answers the same again. */
  steps?: readonly Step[];
  /** Of a task in the office. */
  task?: StoredTask;
  /** Of the first task: what the agent is told about its work in the office. */
  brief?: string;
  /** The names of undone changes (`evals/findings/undo.ts`). */
  undone?: readonly string[];
  /**
   * Of a reply that waits for judges, be it failed or not: the share of each grader so far, and how often the judge of
   * each gave no verdict.
   */
  judging?: { readonly shares: readonly (number | null)[]; readonly tries: readonly number[] };
  judged?: readonly RunnerVerdict[];
  review?: Review;
  /** Why the reply has no verdict, and so has not passed. */
  ungraded?: string;
  /** What the graders of the suite ran out of, if they did. Only its owner is told. */
  exhausted?: Ungraded['exhausted'];
}

/** What is stored of a completed run, beside its trials, which are deleted earlier. */
export interface StoredSuiteResult extends SuiteRunResult {
  /** The pass rate as a fraction, in decimal digits. */
  exact: { numerator: string; denominator: string };
  /** By the id of the case. */
  marks: Readonly<Record<string, TrialMarks>>;
  /** What people decided, which stays when the trials are deleted. */
  reviews?: readonly StoredReview[];
  /** What is wrong with the agent; absent in suites without rules for it. */
  findings?: readonly Finding[];
}

export interface StoredReview extends Pick<Review, 'passed' | 'was'> {
  readonly case_id: string;
  readonly trial: number;
  /** Whether a judge of the runner had decided, alone or with rules. */
  readonly judged: boolean;
}
