/** Scores a run of cases. */
import { type CaseTrials, flakyCases, passAll, passRate, rateByTag } from '#evals/own-suite/statistics.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { marksOf, passesOf } from '#evals/own-suite/trial-marks.ts';
import { hundredfold, numberOf, roundRate } from '#evals/rates.ts';
import { latencySummary } from '#evals/latency-summary.ts';
import { addTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import { isUnanswered, type StoredItem } from '#evals/stored-item.ts';
import type { RunPlan } from '../run-plan.ts';
import { chargedFailure, failedOutcome, type RunOutcome } from '../run-outcome.ts';

/** A run with more ungraded trials than this share fails. */
const ungradedShareMax = 0.1;
const shareDigits = 3;

/** @param missing trials that were never asked or answered, which are stored when the run is settled */
export async function scoreCases(
  plan: RunPlan,
  recorded: readonly StoredItem[],
  missing: readonly StoredItem[] = [],
): Promise<RunOutcome> {
  const stored: readonly StoredItem[] = [...recorded, ...missing];
  // The plans of cases store these.
  const all = stored as readonly StoredTrial[];
  const cases = plan.casesOf(all);
  const { owner } = plan;
  const ungraded = all.filter(({ status }) => status === 'ungraded');
  const exhausted = all.filter((trial) => trial.exhausted !== undefined).length;
  const marks = marksOf(all);
  // Ungraded trials are left out.
  const trials = cases.map(({ id, weight = 1, tags = [] }): CaseTrials => ({
    id,
    weight,
    tags,
    passes: passesOf(marks.get(id) ?? ''),
  }));
  const [rate, whole] = [passRate(trials), passAll(trials)];
  if (rate === null || whole === null || ungraded.length > all.length * ungradedShareMax) {
    const reason = ungraded[0]?.ungraded ?? 'No reply was graded.';
    const why =
      ((await owner?.mayReadCases()) ?? true) ? `The first reason: ${reason}` : 'The suite hides why.';
    const message = `${ungraded.length} of ${all.length} replies could not be graded. ${why}`;
    // Otherwise the owner could keep the hub at work for free.
    const outcome =
      exhausted > all.length * ungradedShareMax && (await owner?.isOwn()) === true
        ? chargedFailure('ungraded', message, 'the graders are your own')
        : failedOutcome('ungraded', message);
    return { ...outcome, exhausted };
  }
  const latency = latencySummary(all);
  const unanswered = all.filter(isUnanswered).length;
  const answered = new Set(all.filter((trial) => !isUnanswered(trial)).map(({ case_id: id }) => id));
  const result: StoredSuiteResult = {
    pass_rate: { value: rounded(rate.value), low: rounded(rate.low), high: rounded(rate.high) },
    pass_k: { k: whole.k, value: rounded(whole.value) },
    flaky: flakyCases(trials),
    tags: Object.fromEntries(
      Object.entries(rateByTag(trials)).map(([tag, { value, cases: tagged }]) => [
        tag,
        {
          value: rounded(value),
          cases: tagged,
          answered: trials.filter(({ id, tags }) => tags.includes(tag) && answered.has(id)).length,
        },
      ]),
    ),
    latency: latency === null ? null : { p50_ms: latency.p50_ms, p90_ms: latency.p90_ms },
    usage: all.reduce<TokenUsage | null>((sum, { usage = null }) => addTokenUsage(sum, usage), null),
    ungraded: ungraded.length,
    errors: all.filter(({ status }) => status === 'error').length,
    unanswered,
    exact: { numerator: String(rate.exact.numerator), denominator: String(rate.exact.denominator) },
    marks: Object.fromEntries(marks),
  };
  const [figures, findings] = [plan.figures?.(all), await plan.findings(all)];
  // Not rounded: runs are ranked by both.
  const interval = { low: 100 * rate.low, high: 100 * rate.high };
  return {
    kind: 'completed',
    score: figures?.score ?? numberOf(hundredfold(rate.exact)),
    latency,
    estimate: figures?.estimate ?? { level: null, interval },
    scoreJson: {
      ...result,
      ...(figures === undefined ? {} : { levels: figures.levels }),
      ...(findings === null ? {} : { findings }),
    },
    missing,
    exhausted,
  };
}

function rounded(share: number): number {
  return roundRate(share, shareDigits, 1);
}
