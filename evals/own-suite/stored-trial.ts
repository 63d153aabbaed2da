/** What is kept of a trial of a case, and of a whole run of a suite. */
import type { TrialEnd } from '../stored-item.ts';
import type { Step } from '../worlds/world.ts';
import type { Finding } from '../findings/rule.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { StoredTask } from '../week/grade.ts';
import type { Reply } from './document.ts';
import type { GraderResult } from './grade-reply.ts';
import type { Vote } from './judges.ts';
import type { Metrics } from './metrics.ts';
import type { Ungraded } from './graders/grader.ts';

/** A letter for each trial of a case, in order. */
export type TrialMarks = string;

/** The `error_code` of a reply that no judge of the runner has judged so far. */
export const notJudged = 'not_judged';

/** Of a grader that a judge of the runner has decided. */
export interface RunnerVerdict {
  /** The place of the grader in the case. */
  readonly grader: number;
  readonly judge: string;
  /** The handle of the agent that asked the judge. */
  readonly by: string;
  /** As the runner calls it; null for a program. */
  readonly model: string | null;
  /** The version of the prompt; null for a program. */
  readonly prompt: number | null;
  readonly votes: readonly Vote[];
  /** ISO 8601. */
  readonly at: string;
}

/** What a person decided about a trial, beside what was decided before. */
export interface Review {
  readonly passed: boolean;
  /** What the trial was before any person decided, with its share. */
  readonly was: StoredTrial['status'];
  readonly share: number;
  readonly reason: string;
  /** The handle of the owner of the run. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

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
  /** Of a case with tools: what the agent said and called. The world answers the same again. */
  steps?: readonly Step[];
  /** Of a task in the office. */
  task?: StoredTask;
  /** The changes without which the reply passes, by name (`evals/findings/undo.ts`). */
  undone?: readonly string[];
  /** Of a reply that waits for judges: the share of each grader so far, and how often a judge gave no verdict. */
  judging?: { readonly shares: readonly (number | null)[]; readonly tries: number };
  judged?: readonly RunnerVerdict[];
  review?: Review;
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
  'graders' | 'ungraded' | 'exhausted' | 'steps' | 'task' | 'judging' | 'earlier'
> {
  readonly graders: readonly ShownGrader[];
  /** Texts. */
  readonly earlier?: readonly string[];
  readonly ungraded?: string | null;
}

export interface ShownSuiteCase {
  readonly case_id: string;
  /** Absent if it has none, and where its prompt is hidden. */
  readonly title?: string;
  /** Assertions that the import left out; absent as the title is. */
  readonly lost?: readonly string[];
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
  /** By name; absent if no grader has one. */
  metrics?: Metrics;
  latency: { p50_ms: number; p90_ms: number } | null;
  /** Null if no tokens were reported. */
  usage: TokenUsage | null;
  /** Trials that count neither way. */
  ungraded: number;
  /** Trials without a reply, or without the verdict of a judge, which count as failed. */
  errors: number;
  /** Those among them that were never answered, because the run ended before. */
  unanswered: number;
  /** Absent if judges of the runner decide nothing. */
  judged?: JudgedFigures;
  /** The cases that lost assertions when they were imported; absent if none did. */
  partial?: readonly string[];
  /** Absent if no person has looked at a verdict. */
  reviewed?: ReviewedFigures;
}

/** Of the verdicts that judges of the runner gave. */
export interface JudgedFigures {
  /** The cases that judges decide, alone or with rules. */
  readonly cases: readonly string[];
  /** Replies that still have no verdict. */
  readonly open: number;
  readonly judges: readonly JudgeFigures[];
}

export interface JudgeFigures {
  readonly judge: string;
  readonly models: readonly string[];
  /** Replies that it was asked about. */
  readonly replies: number;
  /** The cases with a reply about which its votes differ. */
  readonly split: readonly string[];
  /** Replies about which its votes differ. */
  readonly splits: number;
}

/** Of the verdicts that the owner of the run has looked at. */
export interface ReviewedFigures {
  readonly confirmed: number;
  /** The cases with an overruled verdict. */
  readonly overruled: readonly string[];
  /** The pass rate with the verdicts that were overruled. */
  readonly as_graded: { readonly value: number; readonly low: number; readonly high: number } | null;
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
