/** The cases of a run in either mode: which are open now, and what is stored of each reply. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { TokenUsage } from '#evals/suite/token-usage.ts';
import type { RunSize } from '#evals/suite/ladder/ladder.ts';
import { storedReplyCharacters } from '#evals/suite/limits.ts';
import { firstStageOf, makeTask, type PlannedCase, planRun } from '#evals/suite/plan-run.ts';
import type { Task, TaskGrade, TaskLimits } from '#evals/suite/task.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import { type Redact, redacted } from '../targets/redact-secrets.ts';
import type { Suite } from './suite-of-run.ts';

/** From this and the suite, a task of a run can be made anywhere. */
export interface RunKey extends RunOf {
  /** The run's private pack. */
  readonly packHash: string | null;
}

export interface CaseSource {
  readonly key: RunKey;
  readonly total: number;
  readonly firstStage: number;
  /** The cases planned so far, recorded or not. */
  planned(recorded: readonly RecordedCase[]): readonly PlannedCase[];
  /** The cases to ask now, given what was recorded so far. Empty once every case is recorded. */
  open(recorded: readonly RecordedCase[]): readonly PlannedCase[];
  taskOf(planned: PlannedCase): Task;
}

export type RecordedCase = Pick<StoredCase, 'index' | 'score'>;
type RunOf = Pick<RunRow, 'suiteSeed' | 'runSize' | 'maxPromptTokens'>;

export function caseSourceOf({ categories, pack }: Suite, job: RunOf): CaseSource {
  const unseen = pack?.categories ?? [];
  const all = [...categories, ...unseen];
  // The API accepts no other sizes and limits.
  const runSize = job.runSize as RunSize;
  const limits = { maxPromptTokens: job.maxPromptTokens } as TaskLimits;
  const planned = (recorded: readonly RecordedCase[]) =>
    planRun(
      categories,
      { seed: job.suiteSeed, runSize },
      new Map(recorded.map(({ index, score }) => [index, score])),
      unseen,
    );
  const { suiteSeed, maxPromptTokens } = job;
  return {
    key: { suiteSeed, runSize, maxPromptTokens, packHash: pack?.hash ?? null },
    total: runSize,
    firstStage: firstStageOf(runSize),
    planned,
    open: (recorded) => {
      const done = new Set(recorded.map(({ index }) => index));
      return planned(recorded).filter(({ index }) => !done.has(index));
    },
    taskOf: (one) => makeTask(all, job.suiteSeed, one, limits),
  };
}

/** The replies to the turns of a case so far. */
export interface CaseReplies {
  readonly planned: PlannedCase;
  readonly replies: readonly string[];
}

const notQuoted = 'The reply repeats a secret header of its target, so it is not quoted.';

/** @param redact removes the secrets of the target from what is stored; it does not change the verdict */
export function gradedCase(
  { planned, replies }: CaseReplies,
  grade: TaskGrade,
  call: { readonly latencyMs: number; readonly attempts: number; readonly usage: TokenUsage | null },
  redact: Redact = (text) => text,
): StoredCase {
  const shown = replies.map(redact);
  // Checks quote the reply, perhaps only a part of a secret.
  const hasSecret = shown.some((text, index) => text !== replies[index]);
  return {
    ...planned,
    status: grade.passed ? 'passed' : 'failed',
    score: grade.score,
    checks: grade.checks.map((check) => ({
      ...check,
      message: hasSecret ? notQuoted : storable(check.message),
    })),
    response_text: firstCharacters(joinTurns(shown), storedReplyCharacters),
    error_code: null,
    attempts: call.attempts,
    latency_ms: Math.round(call.latencyMs),
    found: grade.found === null ? null : hasSecret ? redacted : storable(grade.found),
    ...(grade.rightValueWrongWrapping === true ? { right_value_wrong_wrapping: true } : {}),
    ...(grade.formKept === undefined ? {} : { form_kept: grade.formKept }),
    ...(call.usage === null ? {} : { usage: call.usage }),
  };
}

/** @param usage of the turns before the fault */
export function caseInError(
  planned: PlannedCase,
  code: string,
  attempts: number,
  usage: TokenUsage | null = null,
): StoredCase {
  return {
    ...planned,
    status: 'error',
    score: 0,
    checks: [],
    response_text: null,
    error_code: code,
    attempts,
    latency_ms: null,
    found: null,
    ...(usage === null ? {} : { usage }),
  };
}

/**
 * Completes a run that ends early: every case without a record counts as an error, whatever its level would have been.
 */
export function withMissingInError(
  source: CaseSource,
  recorded: readonly StoredCase[],
  code: string,
): readonly StoredCase[] {
  const all = [...recorded];
  for (let open = source.open(all); open.length > 0; open = source.open(all)) {
    all.push(...open.map((planned) => caseInError(planned, code, 0)));
  }
  return all;
}

/** Never splits a character. */
function firstCharacters(text: string, max: number): string {
  // No character takes more than two UTF-16 units.
  return storable(
    Array.from(text.slice(0, 2 * max))
      .slice(0, max)
      .join(''),
  );
}

/** Postgres accepts neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
