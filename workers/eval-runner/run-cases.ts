/** Runs the remaining cases of a run, a few at a time, and stores each result. */
import { evalErrorShareMax } from '#domain/eval-jobs/eval-job.ts';
import type { Ctx } from '#domain/context.ts';
import type { FinishedCase } from '#domain/eval-jobs/record-eval-cases.ts';
import type { Batcher } from '#runtime/batcher.ts';
import type { GuardedHttp, TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type TargetFaultCode, type TargetReply, callTarget } from './call-target.ts';
import { type CaseResult, type EvalCase, gradeReply } from '#domain/eval-suite/index.ts';

export interface EvalRunnerDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly http: GuardedHttp;
  readonly takeSlot: TakeSlot;
  readonly recordCase: Batcher<FinishedCase, boolean>;
  /** Fires when the process is shutting down: no new cases, and the job is handed back. */
  readonly ending: AbortSignal;
}

const callsAtOnceMax = 4;
/** How long calls in flight may continue after shutdown begins. */
const endingGraceMs = 2_000;
const storedReplyMaxCharacters = 4_000;

export interface CaseRunInput extends Pick<EvalRunnerDeps, 'http' | 'takeSlot' | 'recordCase' | 'ending'> {
  readonly evalJobId: string;
  readonly attempt: number;
  readonly targetUrl: string;
  readonly cases: readonly EvalCase[];
  /** Results of earlier attempts. */
  readonly recorded: readonly CaseResult[];
  /** Aborts all calls. */
  readonly stop: AbortSignal;
}

export type CaseRun =
  | { readonly end: 'all_done'; readonly results: readonly CaseResult[] }
  | {
      readonly end: 'too_many_errors';
      /** The most frequent code of the cases in error. */
      readonly code: TargetFaultCode;
      readonly errorCounts: ReadonlyMap<TargetFaultCode, number>;
      readonly firstCall: boolean;
      readonly results: readonly CaseResult[];
      readonly total: number;
    }
  /** Another runner holds the claim. */
  | { readonly end: 'fenced' }
  | { readonly end: 'stopped' };

/** When the very first call ends like this, there is no target to run against. */
const noTargetCodes: ReadonlySet<string> = new Set<TargetFaultCode>(['target_unreachable', 'target_blocked']);

export async function runCases(input: CaseRunInput): Promise<CaseRun> {
  const results = [...input.recorded];
  const recordedIndexes = new Set(results.map((result) => result.index));
  const left = input.cases.filter((evalCase) => !recordedIndexes.has(evalCase.index));
  const abort = new AbortController();
  const signal = AbortSignal.any([input.stop, abort.signal]);
  let graceTimer: ReturnType<typeof setTimeout> | undefined;
  const onEnding = (): void => {
    graceTimer = setTimeout(() => abort.abort(), endingGraceMs);
  };
  if (input.ending.aborted) onEnding();
  else input.ending.addEventListener('abort', onEnding, { once: true });

  let fenced = false;
  const isOver = (): boolean =>
    fenced || signal.aborted || input.ending.aborted || hasTooManyErrors(results, input.cases.length);
  const runNext = async (): Promise<void> => {
    const evalCase = left.shift();
    if (evalCase === undefined) return;
    const result = await runCase(input, evalCase, signal);
    if (result === null) return;
    const stored = await input.recordCase.ask({ evalJobId: input.evalJobId, attempt: input.attempt, result });
    crashPoint('case.stored');
    if (stored) results.push(result);
    else fenced = true;
  };
  const runLane = async (): Promise<void> => {
    while (left.length > 0 && !isOver()) await runNext();
  };

  try {
    // The first case runs by itself: if the target is down, it is spared the other calls.
    if (results.length === 0 && !isOver()) await runNext();
    if (!hasNoTarget(results)) await Promise.all(Array.from({ length: callsAtOnceMax }, runLane));
  } finally {
    clearTimeout(graceTimer);
    input.ending.removeEventListener('abort', onEnding);
    abort.abort();
  }
  if (fenced) return { end: 'fenced' };
  if (hasNoTarget(results) || hasTooManyErrors(results, input.cases.length))
    return errorEnd(results, input.cases.length);
  return results.length === input.cases.length ? { end: 'all_done', results } : { end: 'stopped' };
}

/** @returns null when the signal aborted the call */
async function runCase(
  input: CaseRunInput,
  evalCase: EvalCase,
  signal: AbortSignal,
): Promise<CaseResult | null> {
  try {
    crashPoint('target.calling');
    const reply = await callTarget(input.http, input.takeSlot, {
      url: input.targetUrl,
      prompt: evalCase.prompt,
      idempotencyKey: `${input.evalJobId}-${evalCase.index}`,
      signal,
    });
    crashPoint('target.answered');
    return resultOf(evalCase, reply);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function resultOf(evalCase: EvalCase, reply: TargetReply): CaseResult {
  const { index, id, category, prompt, weight, difficulty } = evalCase;
  const common = { index, id, category, prompt, weight, difficulty, attempts: reply.attempts };
  if (!reply.ok) {
    const inError = { status: 'error', score: 0, checks: [], response_text: null, latency_ms: null } as const;
    return { ...common, ...inError, error_code: reply.code };
  }
  const grade = gradeReply(evalCase, reply.text);
  return {
    ...common,
    status: grade.passed ? 'passed' : 'failed',
    score: grade.score,
    checks: grade.checks.map((check) => ({ ...check, message: storable(check.message) })),
    response_text: firstCharacters(reply.text, storedReplyMaxCharacters),
    error_code: null,
    latency_ms: Math.round(reply.latencyMs),
  };
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

function hasTooManyErrors(results: readonly CaseResult[], total: number): boolean {
  return results.filter((result) => result.status === 'error').length > total * evalErrorShareMax;
}

function hasNoTarget(results: readonly CaseResult[]): boolean {
  const [only] = results;
  return results.length === 1 && noTargetCodes.has(only?.error_code ?? '');
}

function errorEnd(results: readonly CaseResult[], total: number): CaseRun {
  const errorCounts = new Map<TargetFaultCode, number>();
  for (const { error_code: code } of results) {
    // Only `resultOf` makes results in error, with the codes of `callTarget`.
    if (code !== null)
      errorCounts.set(code as TargetFaultCode, (errorCounts.get(code as TargetFaultCode) ?? 0) + 1);
  }
  const [most] = [...errorCounts].toSorted(([, a], [, b]) => b - a);
  const code = most?.[0] ?? 'target_bad_response';
  return { end: 'too_many_errors', code, errorCounts, firstCall: hasNoTarget(results), results, total };
}
