/** Scores a run of cases. */
import type { JudgedFigures } from '#evals/own-suite/shown-run.ts';
import { judgesOfCase } from '#evals/own-suite/judges.ts';
import { metricsOf } from '#evals/own-suite/metrics.ts';
import { type CaseTrials, flakyCases, passAll, passRate, rateByTag } from '#evals/own-suite/statistics.ts';
import type { StoredSuiteResult, StoredTrial, TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { addUsage, waitsForJudges } from './trials.ts';
import { addFigures } from '../judging/apply-verdict.ts';
import { marksOf, passesOf, statusesOf } from '#evals/own-suite/trial-marks.ts';
import { hundredfold, numberOf, roundRate } from '#evals/rates.ts';
import { latencySummary } from '#evals/latency-summary.ts';
import type { UsageOfReplies } from '#evals/token-usage.ts';
import { isUnanswered } from '#evals/stored-item.ts';
import type { RunPlan, ScoredCase } from '../run-plan.ts';
import { failedOutcome, type RunOutcome } from '../run-limits.ts';

/** A run with more ungraded trials than this share fails. */
const ungradedShareMax = 0.1;
const shareDigits = 3;

/** @param missing trials that were never asked or answered, which are stored when the run is settled */
export async function scoreCases(
  plan: RunPlan,
  recorded: readonly StoredTrial[],
  missing: readonly StoredTrial[] = [],
): Promise<RunOutcome> {
  const all = [...recorded, ...missing];
  const cases = plan.casesOf(all);
  const ungraded = all.filter(({ status }) => status === 'ungraded');
  const exhausted = all.filter((trial) => trial.exhausted !== undefined).length;
  const marks = Object.fromEntries(marksOf(all));
  const figures = figuresOf(cases, marks);
  if (figures === null || ungraded.length > all.length * ungradedShareMax) {
    const reason = ungraded[0]?.ungraded ?? 'No reply was graded.';
    const why =
      ((await plan.mayReadCases?.()) ?? true) ? `The first reason: ${reason}` : 'The suite hides why.';
    const message = `${ungraded.length} of ${all.length} replies could not be graded. ${why}`;
    return { ...failedOutcome('ungraded', message), exhausted };
  }
  const latency = latencySummary(all);
  const unanswered = all.filter(isUnanswered).length;
  const answered = new Set(all.filter((trial) => !isUnanswered(trial)).map(({ case_id: id }) => id));
  const judged = judgedFigures(cases, all);
  const partial = cases.filter(({ lost = [] }) => lost.length > 0).map(({ id }) => id);
  const usage = all.reduce<UsageOfReplies>(addUsage, undefined);
  const result: StoredSuiteResult = {
    ...figures.result,
    tags: withAnswered(
      figures.result.tags,
      (tag) => cases.filter(({ id, tags = [] }) => tags.includes(tag) && answered.has(id)).length,
    ),
    ...metricsOf({ cases, trials: all }),
    unanswered,
    latency: latency === null ? null : { p50_ms: latency.p50_ms, p90_ms: latency.p90_ms },
    usage: usage ?? null,
    ...(judged === null ? {} : { judged }),
    ...(partial.length === 0 ? {} : { partial }),
    ...(plan.leftOut === undefined ? {} : { left_out: plan.leftOut }),
  };
  const [effort, findings] = [plan.effort?.(all), await plan.findings(all)];
  return {
    kind: 'completed',
    score: figures.score,
    latency,
    usage: result.usage,
    estimate: { interval: figures.interval, ...(effort === undefined ? {} : { effort }) },
    scoreJson: { ...result, ...(findings === null ? {} : { findings }) },
    missing,
    exhausted,
    unjudged: judged?.open ?? 0,
  };
}

interface FiguresOfMarks extends Pick<
  StoredSuiteResult,
  'pass_rate' | 'pass_k' | 'flaky' | 'ungraded' | 'errors' | 'exact' | 'marks'
> {
  readonly tags: Readonly<Record<string, { readonly value: number; readonly cases: number }>>;
}

/** @param answeredOf how many of the cases with a tag were answered */
export function withAnswered(
  tags: FiguresOfMarks['tags'],
  answeredOf: (tag: string) => number,
): StoredSuiteResult['tags'] {
  return Object.fromEntries(
    Object.entries(tags).map(([tag, share]) => [tag, { ...share, answered: answeredOf(tag) }]),
  );
}

/** All figures that follow from the verdicts; null if nothing was graded. */
export function figuresOf(
  cases: readonly ScoredCase[],
  marks: Readonly<Record<string, TrialMarks>>,
): {
  readonly result: FiguresOfMarks;
  /** From 0 to 100, as its interval. Not rounded: runs are ranked by both. */
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
} | null {
  const marksById = new Map(Object.entries(marks));
  const trials = cases.map(({ id, weight = 1, tags = [] }): CaseTrials => ({
    id,
    weight,
    tags,
    passes: passesOf(marksById.get(id) ?? ''),
  }));
  const [rate, whole] = [passRate(trials), passAll(trials)];
  if (rate === null || whole === null) return null;
  const statuses = [...marksById.values()].flatMap(statusesOf);
  const result = {
    pass_rate: { value: rounded(rate.value), low: rounded(rate.low), high: rounded(rate.high) },
    pass_k: { k: whole.k, value: rounded(whole.value) },
    flaky: flakyCases(trials),
    tags: Object.fromEntries(
      Object.entries(rateByTag(trials)).map(([tag, { value, cases: tagged }]) => [
        tag,
        { value: rounded(value), cases: tagged },
      ]),
    ),
    ungraded: statuses.filter((status) => status === 'ungraded').length,
    errors: statuses.filter((status) => status === 'error').length,
    exact: { numerator: String(rate.exact.numerator), denominator: String(rate.exact.denominator) },
    marks,
  };
  const interval = { low: 100 * rate.low, high: 100 * rate.high };
  return { result, score: numberOf(hundredfold(rate.exact)), interval };
}

/** A regraded run begins with verdicts that were kept. */
function judgedFigures(cases: readonly ScoredCase[], trials: readonly StoredTrial[]): JudgedFigures | null {
  const judged = cases.filter(({ expect = [] }) => judgesOfCase({ expect }).size > 0).map(({ id }) => id);
  const open = trials.filter(waitsForJudges).length;
  const verdicts = trials.flatMap((trial) => (trial.judged ?? []).map((verdict) => ({ trial, verdict })));
  return judged.length === 0 ? null : addFigures({ cases: judged, open, judges: [] }, verdicts);
}

function rounded(share: number): number {
  return roundRate(share, shareDigits, 1);
}
